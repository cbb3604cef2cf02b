// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "vfio_host.h"

static double us_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) * 1e6 +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e3;
}

static int make_vm(struct vfio_host *h, const struct vfio_options *o)
{
	struct backend *b = &h->b;
	int fd;

	h->kvm = b->open_kvm(b);
	if (h->kvm < 0)
		return h->kvm;
	h->vm = (int)b->ioctl(b, h->kvm, KVM_CREATE_VM, 0);
	if (h->vm < 0)
		return h->vm;
	fd = (int)b->ioctl(b, h->vm, KVM_CREATE_IRQCHIP, 0);
	if (fd < 0)
		return fd;
	for (; h->nr_vcpus < o->vcpus; h->nr_vcpus++) {
		fd = (int)b->ioctl(b, h->vm, KVM_CREATE_VCPU, h->nr_vcpus);
		if (fd < 0)
			return fd;
		h->vcpus[h->nr_vcpus] = fd;
	}
	return msi_routes_init(&h->routes, b, h->vm, true);
}

/* Physical destination, fixed delivery, edge; vectors from 0x30 on, as a guest hands them out. */
static struct msi_message message(const struct vfio_options *o, unsigned int i, unsigned int vcpu)
{
	return (struct msi_message){ 0xfee00000 | (uint64_t)(vcpu % o->vcpus) << 12,
				     0x30 + i % 0xc0 };
}

int vfio_host_begin(struct vfio_host *h, const struct vfio_options *o)
{
	unsigned int i;

	h->kvm = h->vm = -1;
	h->vcpus = calloc(o->vcpus, sizeof(*h->vcpus));
	h->devices = calloc(o->vfs, sizeof(*h->devices));
	h->messages = calloc(o->vectors, sizeof(*h->messages));
	if (!h->vcpus || !h->devices || !h->messages)
		return -ENOMEM;
	for (i = 0; i < o->vectors; i++)
		h->messages[i] = message(o, i, i);
	return make_vm(h, o);
}

void vfio_host_end(struct vfio_host *h)
{
	while (h->nr_devices)
		vfio_device_free(&h->devices[--h->nr_devices]);
	while (h->nr_vcpus)
		h->b.close(&h->b, h->vcpus[--h->nr_vcpus]);
	if (h->vm >= 0)
		h->b.close(&h->b, h->vm);
	if (h->kvm >= 0)
		h->b.close(&h->b, h->kvm);
	free(h->vcpus);
	free(h->devices);
	free(h->messages);
}

int vfio_host_enable(struct vfio_host *h, const struct vfio_options *o, enum vfio_rows row,
		     double *us)
{
	struct vfio_device *d = &h->devices[h->nr_devices];
	struct timespec start;
	int ret;

	ret = vfio_device_init(d, &h->routes, row == ROW_DEFERRED ? VFIO_DEFERRED : VFIO_PER_VECTOR,
			       h->nr_devices * o->vectors, h->messages, o->vectors);
	if (ret)
		return ret;
	h->nr_devices++;
	clock_gettime(CLOCK_MONOTONIC, &start);
	ret = vfio_msix_enable(d);
	*us = us_since(&start);
	return ret < 0 ? ret : 0;
}

int vfio_host_balance(struct vfio_host *h, const struct vfio_options *o, unsigned int nr,
		      double *us)
{
	struct timespec start;
	unsigned int k;
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (k = 0; !ret && k < nr; k++) {
		unsigned int i = k / o->vfs % o->vectors, round = k / o->vfs / o->vectors;
		struct msi_message m = message(o, i, i + round + 1);

		ret = vfio_msix_vector_move(&h->devices[k % o->vfs], i, &m);
	}
	*us = us_since(&start);
	return ret;
}

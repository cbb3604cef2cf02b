// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sim/ops.h>

#include "vfio_msix.h"

int vfio_device_init(struct vfio_device *d, struct msi_routes *routes, enum vfio_strategy strategy,
		     unsigned int first_irq, const struct msi_message *messages, unsigned int nr)
{
	unsigned int i;

	*d = (struct vfio_device){ .routes = routes,
				   .strategy = strategy,
				   .first_irq = first_irq,
				   .nr = nr,
				   .granted = nr };
	d->vectors = calloc(nr ? nr : 1, sizeof(*d->vectors));
	if (!d->vectors)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		d->vectors[i] =
			(struct vfio_vector){ .message = messages[i], .virq = -1, .eventfd = -1 };
	return 0;
}

void vfio_device_free(struct vfio_device *d)
{
	vfio_msix_disable(d);
	free(d->vectors);
	d->vectors = NULL;
}

/* ---- a vector's eventfd, irqfd and route ---- */

static long irqfd(struct vfio_device *d, struct vfio_vector *v, uint32_t flags)
{
	struct kvm_irqfd args = { .fd = v->eventfd, .gsi = v->virq, .flags = flags };
	struct backend *b = d->routes->b;

	d->irqfd_ioctls++;
	return b->ioctl(b, d->routes->vm, KVM_IRQFD, (unsigned long)&args);
}

static void close_eventfd(struct vfio_device *d, struct vfio_vector *v)
{
	if (v->eventfd >= 0)
		d->routes->b->close(d->routes->b, v->eventfd);
	v->eventfd = -1;
}

static void forget_route(struct vfio_device *d, struct vfio_vector *v)
{
	msi_routes_release(d->routes, v->virq);
	v->virq = -1;
}

static int make_eventfd(struct vfio_device *d, struct vfio_vector *v)
{
	if (v->eventfd < 0)
		v->eventfd = d->routes->b->eventfd(d->routes->b);
	return v->eventfd < 0 ? v->eventfd : 0;
}

/* vfio_connect_kvm_msi_virq(): from here on the kernel injects. */
static void connect_irqfd(struct vfio_device *d, struct vfio_vector *v)
{
	if (v->virq >= 0 && irqfd(d, v, 0))
		forget_route(d, v);
}

/* The device signals the vector's eventfd. */
static void start_vector(struct vfio_device *d, unsigned int i)
{
	struct backend *b = d->routes->b;

	if (b->producer_add && d->vectors[i].used && d->vectors[i].eventfd >= 0)
		b->producer_add(b, d->vectors[i].eventfd, d->first_irq + i);
}

/* The host sets up interrupts for vectors 0 to @nr: that number, or how many it grants instead. */
static unsigned int reserve(struct vfio_device *d, unsigned int nr)
{
	d->device_ioctls++;
	if (nr > d->granted)
		return d->granted;
	d->enabled = nr;
	return nr;
}

static void stop_vector(struct vfio_device *d, unsigned int i)
{
	struct backend *b = d->routes->b;
	struct vfio_vector *v = &d->vectors[i];

	if (b->producer_remove && i < d->enabled && v->used && v->eventfd >= 0)
		b->producer_remove(b, d->first_irq + i);
	if (v->virq >= 0) {
		irqfd(d, v, KVM_IRQFD_FLAG_DEASSIGN);
		forget_route(d, v);
	}
	close_eventfd(d, v);
	v->used = false;
}

/* ---- one vector at a time ---- */

/* vfio_msix_vector_do_use() outside a batch: route, commit, irqfd. */
static int use_vector(struct vfio_device *d, unsigned int i)
{
	struct route_change change = msi_routes_begin(d->routes);
	struct vfio_vector *v = &d->vectors[i];
	int ret = make_eventfd(d, v);

	if (ret)
		return ret;
	v->used = true;
	v->virq = msi_routes_add(&change, &v->message);
	if (v->virq < 0) {
		v->virq = -1;
		return 0;
	}
	if (msi_routes_commit(&change)) {
		/* The kernel still has the table without it. */
		forget_route(d, v);
		return 0;
	}
	connect_irqfd(d, v);
	return 0;
}

static int use_each(struct vfio_device *d, unsigned int nr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		if (d->vectors[i].masked)
			continue;
		ret = use_vector(d, i);
		if (ret)
			return ret;
		d->device_ioctls++;
		start_vector(d, i);
	}
	return 0;
}

/* ---- all in one commit ---- */

static void add_each(struct vfio_device *d, struct route_change *change, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct vfio_vector *v = &d->vectors[i];

		if (v->masked)
			continue;
		v->used = true;
		v->virq = msi_routes_add(change, &v->message);
		if (v->virq < 0)
			v->virq = -1;
	}
}

/* vfio_prepare_kvm_msi_virq_batch() to vfio_commit_kvm_msi_virq_batch(). */
static int use_all(struct vfio_device *d, unsigned int nr)
{
	struct route_change change = msi_routes_begin(d->routes);
	bool failed;
	unsigned int i;
	int ret;

	add_each(d, &change, nr);
	failed = msi_routes_commit(&change);
	for (i = 0; i < nr; i++) {
		struct vfio_vector *v = &d->vectors[i];

		if (!v->used)
			continue;
		if (failed)
			forget_route(d, v);
		ret = make_eventfd(d, v);
		if (ret)
			return ret;
		connect_irqfd(d, v);
	}
	return 0;
}

/* ---- the device ---- */

/*
 * Per vector, all are reserved first (ecebe53fe993: the device is not disabled and enabled again for
 * each), then told one by one; deferred, told once when all is there.
 */
static int enable(struct vfio_device *d, unsigned int nr)
{
	unsigned int granted, i;
	int ret;

	if (d->strategy == VFIO_PER_VECTOR) {
		granted = reserve(d, nr);
		ret = granted == nr ? use_each(d, nr) : 0;
		return ret ? ret : (int)granted;
	}
	ret = use_all(d, nr);
	if (ret)
		return ret;
	granted = reserve(d, nr);
	for (i = 0; granted == nr && i < nr; i++)
		start_vector(d, i);
	return granted;
}

int vfio_msix_enable(struct vfio_device *d)
{
	unsigned int nr = d->nr;
	int got;

	sim_count(SIM_OP_VFIO_ENABLE, 1);
	for (;;) {
		got = enable(d, nr);
		if (got == (int)nr)
			return got;
		vfio_msix_disable(d);
		if (got <= 0)
			return got ? got : -ENOSPC;
		nr = got;
	}
}

void vfio_msix_disable(struct vfio_device *d)
{
	unsigned int i;

	for (i = 0; i < d->nr; i++)
		stop_vector(d, i);
	if (d->enabled)
		d->device_ioctls++;
	d->enabled = 0;
}

int vfio_msix_vector_use(struct vfio_device *d, unsigned int i)
{
	struct vfio_vector *v;
	int ret;

	if (i >= d->enabled)
		return -EINVAL;
	v = &d->vectors[i];
	v->masked = false;
	if (v->used)
		return 0;
	ret = use_vector(d, i);
	if (ret)
		return ret;
	d->device_ioctls++;
	start_vector(d, i);
	return 0;
}

void vfio_msix_vector_release(struct vfio_device *d, unsigned int i)
{
	if (i >= d->nr)
		return;
	d->vectors[i].masked = true;
	stop_vector(d, i);
	d->device_ioctls++;
}

int vfio_msix_set_message(struct vfio_device *d, unsigned int i, const struct msi_message *m)
{
	struct route_change change = msi_routes_begin(d->routes);
	int ret;

	if (i >= d->nr)
		return -EINVAL;
	d->vectors[i].message = *m;
	if (d->vectors[i].virq < 0)
		return 0;
	ret = msi_routes_update(&change, d->vectors[i].virq, m);
	return ret ? ret : msi_routes_commit(&change);
}

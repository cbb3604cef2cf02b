// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include <sim/ops.h>

#include "vfio_vector.h"

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
		d->vectors[i] = (struct vfio_vector){
			.message = messages[i], .virq = -1, .user_fd = -1, .kvm_fd = -1, .told = -1
		};
	return 0;
}

void vfio_device_free(struct vfio_device *d)
{
	vfio_msix_disable(d);
	free(d->vectors);
	d->vectors = NULL;
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

static void tell_one(struct vfio_device *d, unsigned int i)
{
	d->device_ioctls++;
	vector_tell(d, i);
}

static void tell_all(struct vfio_device *d)
{
	unsigned int i;

	for (i = 0; i < d->enabled; i++)
		if (d->vectors[i].used)
			vector_tell(d, i);
}

/* ---- one vector at a time ---- */

/* Outside of a batch: route, commit, irqfd. Only an eventfd for user space is asked for. */
static int use_vector(struct vfio_device *d, struct vfio_vector *v)
{
	struct route_change change = msi_routes_begin(d->routes);
	int ret = vector_open(d, v);

	if (ret)
		return ret;
	vector_add_route(v, &change);
	if (msi_routes_commit(&change))
		vector_forget_route(d, v);
	vector_connect(d, v);
	return 0;
}

/*
 * All are reserved first (QEMU ecebe53fe993: the device is not disabled and enabled again for each),
 * then told one by one.
 */
static int enable_each(struct vfio_device *d, unsigned int nr)
{
	unsigned int i, granted = reserve(d, nr);
	int ret;

	for (i = 0; granted == nr && i < nr; i++) {
		if (d->vectors[i].masked)
			continue;
		ret = use_vector(d, &d->vectors[i]);
		if (ret)
			return ret;
		tell_one(d, i);
	}
	return granted;
}

/* ---- all in one commit ---- */

/* From the prepare of QEMU's batch to its commit. */
static int use_all(struct vfio_device *d, unsigned int nr)
{
	struct route_change change = msi_routes_begin(d->routes);
	bool failed;
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		if (d->vectors[i].masked)
			continue;
		ret = vector_open(d, &d->vectors[i]);
		if (ret)
			return ret;
		vector_add_route(&d->vectors[i], &change);
	}
	failed = msi_routes_commit(&change);
	for (i = 0; i < nr; i++) {
		if (failed)
			vector_forget_route(d, &d->vectors[i]);
		vector_connect(d, &d->vectors[i]);
	}
	return 0;
}

/* Told once, when all is there. */
static int enable_all(struct vfio_device *d, unsigned int nr)
{
	unsigned int granted;
	int ret = use_all(d, nr);

	if (ret)
		return ret;
	granted = reserve(d, nr);
	tell_all(d);
	return granted;
}

/* ---- the device ---- */

/* With nothing unmasked the device is still switched to MSI-X, by its vector 0. */
static int enable_none(struct vfio_device *d)
{
	int ret = vector_open(d, &d->vectors[0]);

	if (ret)
		return ret;
	ret = reserve(d, 1);
	tell_all(d);
	return ret;
}

/* Up to the last unmasked vector below @limit. */
static unsigned int vectors_wanted(const struct vfio_device *d, unsigned int limit)
{
	while (limit && d->vectors[limit - 1].masked)
		limit--;
	return limit;
}

static int enable(struct vfio_device *d, unsigned int nr)
{
	if (!nr)
		return enable_none(d);
	return d->strategy == VFIO_PER_VECTOR ? enable_each(d, nr) : enable_all(d, nr);
}

int vfio_msix_enable(struct vfio_device *d)
{
	unsigned int limit = d->nr, nr;
	int got;

	if (!d->nr || d->enabled)
		return -EINVAL;
	sim_count(SIM_OP_VFIO_ENABLE, 1);
	for (;;) {
		nr = vectors_wanted(d, limit);
		got = enable(d, nr);
		if (got == (int)(nr ? nr : 1))
			return got;
		vfio_msix_disable(d);
		if (got <= 0)
			return got ? got : -ENOSPC;
		limit = got;
	}
}

void vfio_msix_disable(struct vfio_device *d)
{
	unsigned int i;

	for (i = 0; i < d->nr; i++)
		vector_close(d, i);
	if (d->enabled)
		d->device_ioctls++;
	d->enabled = 0;
}

/* ---- what the guest does then ---- */

/* Disabled and enabled with more. Where the host has no more, the device is left as it was. */
static int grow(struct vfio_device *d, unsigned int nr)
{
	unsigned int i, granted;

	for (i = 0; i < d->enabled; i++)
		vector_untell(d, i);
	d->device_ioctls++;
	granted = reserve(d, nr);
	tell_all(d);
	return granted == nr ? 0 : -ENOSPC;
}

/* User space injects it. */
static int signal_msi(struct vfio_device *d, const struct vfio_vector *v)
{
	struct kvm_msi msi = { .address_lo = (uint32_t)v->message.address,
			       .address_hi = (uint32_t)(v->message.address >> 32),
			       .data = v->message.data };
	struct backend *b = d->routes->b;
	long ret = b->ioctl(b, d->routes->vm, KVM_SIGNAL_MSI, (unsigned long)&msi);

	return ret < 0 ? (int)ret : 0;
}

/* Its route gets the message. Where the kernel does not take it, the vector is left to user space. */
static void update_vector(struct vfio_device *d, struct vfio_vector *v)
{
	struct route_change change = msi_routes_begin(d->routes);

	msi_routes_update(&change, v->virq, &v->message);
	if (msi_routes_send(d->routes))
		vector_disconnect(d, v);
}

int vfio_msix_vector_use(struct vfio_device *d, unsigned int i, const struct msi_message *m)
{
	struct vfio_vector *v;
	int ret = 0;

	if (!d->enabled || i >= d->nr)
		return -EINVAL;
	v = &d->vectors[i];
	v->message = *m;
	if (v->virq >= 0)
		update_vector(d, v);
	else
		ret = use_vector(d, v);
	if (ret)
		return ret;
	v->masked = false;
	if (i < d->enabled)
		tell_one(d, i);
	else
		ret = grow(d, i + 1);
	if (ret) {
		vector_close(d, i);
		v->masked = true;
		return ret;
	}
	if (!v->pending)
		return 0;
	v->pending = false;
	return signal_msi(d, v);
}

void vfio_msix_vector_release(struct vfio_device *d, unsigned int i)
{
	if (i >= d->nr)
		return;
	d->vectors[i].masked = true;
	if (d->vectors[i].virq >= 0)
		tell_one(d, i);
}

int vfio_msix_vector_move(struct vfio_device *d, unsigned int i, const struct msi_message *m)
{
	vfio_msix_vector_release(d, i);
	return vfio_msix_vector_use(d, i, m);
}

int vfio_device_interrupt(struct vfio_device *d, unsigned int i)
{
	struct backend *b = d->routes->b;
	struct vfio_vector *v;
	long ret;

	if (i >= d->nr || d->vectors[i].told < 0)
		return -EINVAL;
	v = &d->vectors[i];
	ret = b->write(b, v->told, 1);
	if (ret < 0 || v->told != v->user_fd)
		return ret < 0 ? (int)ret : 0;
	if (!v->masked)
		return signal_msi(d, v);
	v->pending = true;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "vfio_vector.h"

static long irqfd(struct vfio_device *d, struct vfio_vector *v, uint32_t flags)
{
	struct kvm_irqfd args = { .fd = v->kvm_fd, .gsi = v->virq, .flags = flags };
	struct backend *b = d->routes->b;

	d->irqfd_ioctls++;
	return b->ioctl(b, d->routes->vm, KVM_IRQFD, (unsigned long)&args);
}

static void close_fd(struct vfio_device *d, int *fd)
{
	if (*fd >= 0)
		d->routes->b->close(d->routes->b, *fd);
	*fd = -1;
}

int vector_open(struct vfio_device *d, struct vfio_vector *v)
{
	if (v->user_fd < 0)
		v->user_fd = d->routes->b->eventfd(d->routes->b);
	if (v->user_fd < 0) {
		int ret = v->user_fd;

		v->user_fd = -1;
		return ret;
	}
	v->used = true;
	return 0;
}

void vector_add_route(struct vfio_vector *v, struct route_change *change)
{
	v->virq = msi_routes_add(change, &v->message);
	if (v->virq < 0)
		v->virq = -1;
}

void vector_forget_route(struct vfio_device *d, struct vfio_vector *v)
{
	msi_routes_release(d->routes, v->virq);
	v->virq = -1;
}

void vector_connect(struct vfio_device *d, struct vfio_vector *v)
{
	if (v->virq < 0)
		return;
	v->kvm_fd = d->routes->b->eventfd(d->routes->b);
	if (v->kvm_fd >= 0 && !irqfd(d, v, 0))
		return;
	close_fd(d, &v->kvm_fd);
	vector_forget_route(d, v);
}

void vector_disconnect(struct vfio_device *d, struct vfio_vector *v)
{
	if (v->virq < 0)
		return;
	/* Where this fails, closing the eventfd is what ends the irqfd. */
	if (v->kvm_fd >= 0)
		irqfd(d, v, KVM_IRQFD_FLAG_DEASSIGN);
	vector_forget_route(d, v);
	close_fd(d, &v->kvm_fd);
}

void vector_untell(struct vfio_device *d, unsigned int i)
{
	struct backend *b = d->routes->b;

	if (b->producer_remove && d->vectors[i].told >= 0)
		b->producer_remove(b, d->first_irq + i);
	d->vectors[i].told = -1;
}

/*
 * A host interrupt is always set up anew, be it for the same eventfd
 * (drivers/vfio/pci/vfio_pci_intrs.c). Where it cannot be posted, the eventfd is signalled.
 */
void vector_tell(struct vfio_device *d, unsigned int i)
{
	struct backend *b = d->routes->b;
	struct vfio_vector *v = &d->vectors[i];

	vector_untell(d, i);
	v->told = v->virq < 0 || v->masked ? v->user_fd : v->kvm_fd;
	if (b->producer_add && v->told >= 0)
		b->producer_add(b, v->told, d->first_irq + i);
}

void vector_close(struct vfio_device *d, unsigned int i)
{
	struct vfio_vector *v = &d->vectors[i];

	vector_untell(d, i);
	vector_disconnect(d, v);
	close_fd(d, &v->user_fd);
	v->used = v->pending = false;
}

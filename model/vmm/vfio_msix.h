/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VMM that passes a device through and enables its MSI-X: for each vector that the guest has
 * unmasked a route, an eventfd and an irqfd, and the device told to signal the eventfd. The order is
 * QEMU's (hw/vfio/pci.c): `per-vector` as it was up to 6.x, `deferred` since dc580d51f7dd (2022),
 * which gathers the routes and commits them once.
 */
#ifndef VMM_VFIO_MSIX_H
#define VMM_VFIO_MSIX_H

#include "msi_routes.h"

enum vfio_strategy { VFIO_PER_VECTOR, VFIO_DEFERRED };

struct vfio_vector {
	struct msi_message message; /* what the guest wrote */
	bool masked;		    /* by the guest: no route before it is unmasked */
	bool used;		    /* it was unmasked since MSI-X was enabled */
	bool pending;		    /* its interrupt came while it was masked */
	int virq;		    /* -1: interrupts go through user space */
	int user_fd;		    /* eventfd that user space waits on; -1: none */
	int kvm_fd;		    /* eventfd of the irqfd; -1: none */
	int told;		    /* the one of these that the device signals, or -1 */
};

struct vfio_device {
	struct msi_routes *routes;
	enum vfio_strategy strategy;
	unsigned int first_irq; /* host interrupt of its vector 0 */
	unsigned int granted;	/* at most so many vectors; what the host can give */
	unsigned int nr;	/* of vectors */
	struct vfio_vector *vectors;
	unsigned int enabled; /* vectors that have a host interrupt: up to the last unmasked one */
	unsigned int irqfd_ioctls, device_ioctls;
};

/* @messages for @nr vectors, unmasked. 0 or -ENOMEM. */
int vfio_device_init(struct vfio_device *d, struct msi_routes *routes, enum vfio_strategy strategy,
		     unsigned int first_irq, const struct msi_message *messages, unsigned int nr);
void vfio_device_free(struct vfio_device *d); /* disables it first */

/*
 * Enable MSI-X. A vector for which there is no route, no irqfd or no table is left to user space
 * (virq -1); where the host grants fewer vectors than are unmasked, all is undone and done again
 * with fewer (QEMU does so for MSI). Returns how many vectors are enabled, or -errno with none.
 */
int vfio_msix_enable(struct vfio_device *d);
void vfio_msix_disable(struct vfio_device *d);

/*
 * The guest unmasks a vector, which has @m by then; outside of a batch: a commit of its own, with a
 * changed table or without. One that came to be the last gets a host interrupt: the device is
 * disabled and enabled again with more. 0, or -errno: it stays masked.
 */
int vfio_msix_vector_use(struct vfio_device *d, unsigned int vector, const struct msi_message *m);
/* The guest masks it: route and irqfd stay, but the device signals user space, which remembers. */
void vfio_msix_vector_release(struct vfio_device *d, unsigned int vector);

/*
 * The guest's irqbalance gives a vector another message. Linux masks it, writes and unmasks
 * (drivers/pci/msi/msi.c). 0 or -errno.
 */
int vfio_msix_vector_move(struct vfio_device *d, unsigned int vector, const struct msi_message *m);

/* The device's interrupt: by its irqfd, or by user space with KVM_SIGNAL_MSI. 0 or -errno. */
int vfio_device_interrupt(struct vfio_device *d, unsigned int vector);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * irqfd: an eventfd whose write is an interrupt. What its parts know of each other.
 *
 * Who protects what:
 *  - kvm->irqfds.lock (spinlock, interrupts off): the list of irqfds. An irqfd on the list is
 *    active; one that left it never comes back. Also the update of its copy of the route.
 *  - irqfd->irq_entry_sc (seqcount): readers of that copy, which hold nothing.
 *  - kvm->irqfds.resampler_lock (mutex): the lists of resamplers and of their irqfds; readers are
 *    in irq_srcu read sections.
 *  - kvm->irq_srcu: an irqfd that is being assigned is in a read section until all of it is there;
 *    its shutdown begins with a grace period.
 * Order: the eventfd's wait queue lock, then irqfds.lock.
 */
#ifndef __KVM_IRQFD_H
#define __KVM_IRQFD_H

#include <linux/kvm_host.h>
#include <linux/kvm_irqfd.h>

#include "../../compat/kvm_compat.h"

/* ---- eventfd.c ---- */

/* The route is copied where it is the only one of its GSI. Under irqfds.lock, in a reader. */
void kvm_irqfd_copy_route(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd);

/* ---- the registration scheme: irqfd_scan.c or irqfd_unique.c ---- */

/*
 * Put @irqfd on the VM's list and its wait entry on the queue of @file, an eventfd. @events: what
 * @file had to say at that moment. -EBUSY where the eventfd injects already; how far "already" goes
 * is the scheme's: in this VM, or in any. In a reader of irq_srcu.
 */
int kvm_irqfd_register(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd, struct file *file,
		       __poll_t *events);

/* ---- irqfd_resampler.c ---- */

/*
 * Share the resampler of the irqfd's GSI, or make it. May sleep, waits for a grace period.
 * -ENOMEM; then nothing has changed.
 */
int kvm_irqfd_resampler_join(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd);
/* The last one lowers the line and takes the resampler with it. */
void kvm_irqfd_resampler_leave(struct kvm_kernel_irqfd *irqfd);

#endif

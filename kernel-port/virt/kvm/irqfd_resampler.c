// SPDX-License-Identifier: GPL-2.0-only
/*
 * Level-triggered irqfds. A write raises the line; when the guest acknowledges it, it is lowered
 * once for all irqfds of the GSI, and each one's user space is told through its second eventfd, so
 * that it writes again if its device still asserts.
 */
#include <linux/eventfd.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "irqfd.h"

static void tell_users(struct kvm_kernel_irqfd_resampler *r)
{
	struct kvm_kernel_irqfd *irqfd;

	list_for_each_entry_srcu(irqfd, &r->list, resampler_link,
				 srcu_read_lock_held(&r->kvm->irq_srcu))
		kvm_eventfd_signal(irqfd->resamplefd);
}

/* Lowered first: a user that is told may raise it at once. */
static void acked(struct kvm_irq_ack_notifier *notifier)
{
	struct kvm_kernel_irqfd_resampler *r =
		container_of(notifier, struct kvm_kernel_irqfd_resampler, notifier);
	int idx;

	kvm_set_irq(r->kvm, KVM_IRQFD_RESAMPLE_IRQ_SOURCE_ID, notifier->gsi, 0, false);

	idx = srcu_read_lock(&r->kvm->irq_srcu);
	tell_users(r);
	srcu_read_unlock(&r->kvm->irq_srcu, idx);
}

static struct kvm_kernel_irqfd_resampler *find(struct kvm *kvm, int gsi)
{
	struct kvm_kernel_irqfd_resampler *r;

	list_for_each_entry_srcu(r, &kvm->irqfds.resampler_list, link,
				 srcu_read_lock_held(&kvm->irq_srcu) ||
					 lockdep_is_held(&kvm->irqfds.resampler_lock))
	{
		if (r->notifier.gsi == gsi)
			return r;
	}

	return NULL;
}

static struct kvm_kernel_irqfd_resampler *make(struct kvm *kvm, int gsi)
{
	struct kvm_kernel_irqfd_resampler *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);

	if (!r)
		return NULL;
	r->kvm = kvm;
	INIT_LIST_HEAD(&r->list);
	r->notifier.gsi = gsi;
	r->notifier.irq_acked = acked;
	list_add_rcu(&r->link, &kvm->irqfds.resampler_list);
	kvm_register_irq_ack_notifier(kvm, &r->notifier);

	return r;
}

int kvm_irqfd_resampler_join(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd)
{
	struct kvm_kernel_irqfd_resampler *r;

	mutex_lock(&kvm->irqfds.resampler_lock);
	r = find(kvm, irqfd->gsi);
	if (!r)
		r = make(kvm, irqfd->gsi);
	if (r) {
		irqfd->resampler = r;
		list_add_rcu(&irqfd->resampler_link, &r->list);
		/* An acknowledgement from here on tells this one too. */
		synchronize_srcu_expedited(&kvm->irq_srcu);
	}
	mutex_unlock(&kvm->irqfds.resampler_lock);

	return r ? 0 : -ENOMEM;
}

void kvm_irqfd_resampler_leave(struct kvm_kernel_irqfd *irqfd)
{
	struct kvm_kernel_irqfd_resampler *r = irqfd->resampler;
	struct kvm *kvm = r->kvm;

	mutex_lock(&kvm->irqfds.resampler_lock);
	list_del_rcu(&irqfd->resampler_link);
	if (list_empty(&r->list)) {
		list_del_rcu(&r->link);
		/* Waits for a grace period, for both lists. */
		kvm_unregister_irq_ack_notifier(kvm, &r->notifier);
		kvm_set_irq(kvm, KVM_IRQFD_RESAMPLE_IRQ_SOURCE_ID, r->notifier.gsi, 0, false);
		kfree(r);
	} else {
		synchronize_srcu_expedited(&kvm->irq_srcu);
	}
	mutex_unlock(&kvm->irqfds.resampler_lock);
	irqfd->resampler = NULL;
}

/* For controllers that see the acknowledgement themselves: tell the users of a pin's GSI. */
bool kvm_notify_irqfd_resampler(struct kvm *kvm, unsigned int irqchip, unsigned int pin)
{
	struct kvm_kernel_irqfd_resampler *r = NULL;
	int idx, gsi;

	idx = srcu_read_lock(&kvm->irq_srcu);
	gsi = kvm_irq_map_chip_pin(kvm, irqchip, pin);
	if (gsi >= 0)
		r = find(kvm, gsi);
	if (r)
		tell_users(r);
	srcu_read_unlock(&kvm->irq_srcu, idx);

	return r;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wants to know when the guest acknowledges an interrupt. The list changes under irq_lock and
 * is read in irq_srcu read sections.
 */
#include <linux/kvm_host.h>
#include <linux/rculist.h>
#include <linux/srcu.h>

#include "../../compat/kvm_compat.h"

void kvm_notify_acked_gsi(struct kvm *kvm, int gsi)
{
	struct kvm_irq_ack_notifier *n;

	hlist_for_each_entry_srcu(n, &kvm->irq_ack_notifier_list, link,
				  srcu_read_lock_held(&kvm->irq_srcu))
	{
		if (n->gsi == gsi)
			n->irq_acked(n);
	}
}

void kvm_notify_acked_irq(struct kvm *kvm, unsigned int irqchip, unsigned int pin)
{
	int idx, gsi;

	idx = srcu_read_lock(&kvm->irq_srcu);
	gsi = kvm_irq_map_chip_pin(kvm, irqchip, pin);
	if (gsi >= 0)
		kvm_notify_acked_gsi(kvm, gsi);
	srcu_read_unlock(&kvm->irq_srcu, idx);
}

static bool has_notifier(struct kvm *kvm, int gsi)
{
	struct kvm_irq_ack_notifier *n;

	hlist_for_each_entry_srcu(n, &kvm->irq_ack_notifier_list, link,
				  srcu_read_lock_held(&kvm->irq_srcu))
	{
		if (n->gsi == gsi)
			return true;
	}

	return false;
}

bool kvm_irq_has_notifier(struct kvm *kvm, unsigned int irqchip, unsigned int pin)
{
	bool found;
	int idx, gsi;

	idx = srcu_read_lock(&kvm->irq_srcu);
	gsi = kvm_irq_map_chip_pin(kvm, irqchip, pin);
	found = gsi >= 0 && has_notifier(kvm, gsi);
	srcu_read_unlock(&kvm->irq_srcu, idx);

	return found;
}

void kvm_register_irq_ack_notifier(struct kvm *kvm, struct kvm_irq_ack_notifier *n)
{
	mutex_lock(&kvm->irq_lock);
	hlist_add_head_rcu(&n->link, &kvm->irq_ack_notifier_list);
	mutex_unlock(&kvm->irq_lock);
	kvm_arch_post_irq_ack_notifier_list_update(kvm);
}

/* Nobody calls @n when this returns. */
void kvm_unregister_irq_ack_notifier(struct kvm *kvm, struct kvm_irq_ack_notifier *n)
{
	mutex_lock(&kvm->irq_lock);
	hlist_del_init_rcu(&n->link);
	mutex_unlock(&kvm->irq_lock);
	synchronize_srcu_expedited(&kvm->irq_srcu);
	kvm_arch_post_irq_ack_notifier_list_update(kvm);
}

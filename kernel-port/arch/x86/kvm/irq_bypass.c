// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86's side of a connected irqfd: the device's remapping entry posts to the vCPU that the route
 * names, or goes through the host as before.
 */
#include <linux/irqbypass.h>
#include <linux/kvm_host.h>
#include <linux/kvm_irqfd.h>

#include "irq.h"
#include "lapic.h"

/* Hardware posts a vector: what else a message may ask for takes the longer way. */
static bool is_postable(const struct kvm_lapic_irq *irq)
{
	return irq->delivery_mode == APIC_DM_FIXED || irq->delivery_mode == APIC_DM_LOWEST;
}

struct kvm_vcpu *kvm_irq_post_target(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e,
				     u8 *vector)
{
	struct kvm_vcpu *vcpu, *only = NULL;
	struct kvm_lapic_irq irq;
	unsigned long i;

	if (e->type != KVM_IRQ_ROUTING_MSI)
		return NULL;
	kvm_msi_to_lapic_irq(kvm, e, &irq);
	if (!is_postable(&irq))
		return NULL;
	kvm_for_each_vcpu(i, vcpu, kvm) {
		if (!kvm_vcpu_apic_present(vcpu) ||
		    !kvm_lapic_match_dest(vcpu, NULL, irq.shorthand, irq.dest_id, irq.dest_mode))
			continue;
		if (only)
			return NULL;
		only = vcpu;
	}
	*vector = irq.vector;

	return only;
}

static struct kvm_kernel_irqfd *irqfd_of(struct irq_bypass_consumer *c)
{
	return container_of(c, struct kvm_kernel_irqfd, consumer);
}

int kvm_arch_irq_bypass_add_producer(struct irq_bypass_consumer *c, struct irq_bypass_producer *p)
{
	struct kvm_kernel_irqfd *irqfd = irqfd_of(c);
	struct kvm *kvm = irqfd->kvm;
	int ret;

	kvm_arch_start_assignment(kvm);

	spin_lock_irq(&kvm->irqfds.lock);
	irqfd->producer = p;
	ret = kvm_pi_update_irte(kvm, p->irq, irqfd->gsi, true);
	if (ret) {
		/* Not connected: a table that changes must not go by it. */
		irqfd->producer = NULL;
		kvm_arch_end_assignment(kvm);
	}
	spin_unlock_irq(&kvm->irqfds.lock);

	return ret;
}

void kvm_arch_irq_bypass_del_producer(struct irq_bypass_consumer *c, struct irq_bypass_producer *p)
{
	struct kvm_kernel_irqfd *irqfd = irqfd_of(c);
	struct kvm *kvm = irqfd->kvm;

	WARN_ON(irqfd->producer != p);

	spin_lock_irq(&kvm->irqfds.lock);
	irqfd->producer = NULL;
	WARN_ON(kvm_pi_update_irte(kvm, p->irq, irqfd->gsi, false));
	spin_unlock_irq(&kvm->irqfds.lock);

	kvm_arch_end_assignment(kvm);
}

void kvm_arch_irq_bypass_stop(struct irq_bypass_consumer *c)
{
}

void kvm_arch_irq_bypass_start(struct irq_bypass_consumer *c)
{
}

int kvm_arch_update_irqfd_routing(struct kvm *kvm, unsigned int host_irq, uint32_t gsi, bool set)
{
	return kvm_pi_update_irte(kvm, host_irq, gsi, set);
}

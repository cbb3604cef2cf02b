// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86's side of a connected irqfd: the device's remapping entry posts to the vCPU that the route
 * names, or goes through the host as before.
 */
#include <linux/irqbypass.h>
#include <linux/kvm_host.h>
#include <linux/kvm_irqfd.h>

#include "irq.h"

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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqfds on x86: which are possible, and who has to know that acknowledgements are waited for.
 */
#include <linux/kvm_host.h>

#include "irq.h"

/* A line that stays up until the guest acknowledges it needs a controller that says so. */
bool kvm_arch_irqfd_allowed(struct kvm *kvm, struct kvm_irqfd *args)
{
	if (args->flags & KVM_IRQFD_FLAG_RESAMPLE)
		return irqchip_mode(kvm) == KVM_IRQCHIP_KERNEL;

	return irqchip_in_kernel(kvm);
}

/* The EOIs that a vCPU has to exit on, or to tell the IOAPIC of, are others now. */
void kvm_arch_post_irq_ack_notifier_list_update(struct kvm *kvm)
{
	if (irqchip_mode(kvm) == KVM_IRQCHIP_KERNEL)
		kvm_make_scan_ioapic_request(kvm);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is a remapping entry worth writing again after an update? Since 515a0c79e796 (5.15) not where the
 * message is the same; bcda70c56f3e (6.15) made a change of the type count as well. Left out of a
 * build, every update writes every entry.
 */
#include <linux/kvm_host.h>
#include <linux/string.h>

/* Only messages can be compared; what is or was none has changed. */
bool kvm_arch_irqfd_route_changed(struct kvm_kernel_irq_routing_entry *old,
				  struct kvm_kernel_irq_routing_entry *new)
{
	if (old->type != KVM_IRQ_ROUTING_MSI || new->type != KVM_IRQ_ROUTING_MSI)
		return true;

	return memcmp(&old->msi, &new->msi, sizeof(new->msi)) != 0;
}

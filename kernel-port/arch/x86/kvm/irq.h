/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86 interrupt delivery, as far as routing needs it. Which irqchip a VM has, and the handlers that
 * a routing entry can point to.
 */
#ifndef __ARCH_X86_KVM_IRQ_H
#define __ARCH_X86_KVM_IRQ_H

#include <linux/kvm_host.h>

#include "../../../compat/kvm_compat.h"

#define PIC_PINS 8 /* of one 8259; the VM has two, cascaded */

/* The mode is written once, by KVM_CREATE_IRQCHIP or KVM_CAP_SPLIT_IRQCHIP, after what it stands
 * for. */
static inline enum kvm_irqchip_mode irqchip_mode(struct kvm *kvm)
{
	enum kvm_irqchip_mode mode = READ_ONCE(kvm->arch.irqchip_mode);

	smp_rmb();
	return mode;
}

static inline bool irqchip_split(struct kvm *kvm)
{
	return irqchip_mode(kvm) == KVM_IRQCHIP_SPLIT;
}

static inline bool irqchip_in_kernel(struct kvm *kvm)
{
	return irqchip_mode(kvm) != KVM_IRQCHIP_NONE;
}

/*
 * Handlers (kvm_kernel_irq_routing_entry.set): raise or lower the line, or send the message.
 * Returns below 0 for not delivered, 0 for pending already, else the number of vCPUs reached.
 */
int kvm_set_pic_irq(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		    int level, bool line_status);
int kvm_set_ioapic_irq(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		       int level, bool line_status);
int kvm_hv_set_sint(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		    int level, bool line_status);
int kvm_xen_set_evtchn_route(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm,
			     int irq_source_id, int level, bool line_status);

/* Fill @e from a KVM_IRQ_ROUTING_XEN_EVTCHN route. 0 or -EINVAL. */
int kvm_xen_fill_route(struct kvm *kvm, struct kvm_kernel_irq_routing_entry *e,
		       const struct kvm_irq_routing_entry *ue);

/* Can user space's message not be decoded in the format that the VM has enabled? */
bool kvm_msi_address_invalid(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e);

/*
 * Have the host interrupt @host_irq posted to where @gsi is routed (@set), or remapped through the
 * host. Under irqfds.lock. 0 or -errno.
 */
int kvm_pi_update_irte(struct kvm *kvm, unsigned int host_irq, u32 gsi, bool set);

/* The routes that a VM has after KVM_CREATE_IRQCHIP. 0 or -errno. */
int kvm_setup_default_irq_routing(struct kvm *kvm);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86 interrupt delivery: which irqchip a VM has, the handlers that a routing entry can point to,
 * and how a message finds its vCPUs.
 */
#ifndef __ARCH_X86_KVM_IRQ_H
#define __ARCH_X86_KVM_IRQ_H

#include <linux/kvm_host.h>

#include "../../../compat/kvm_compat.h"

struct dest_map;

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

/* PIC pair and IOAPIC as well. */
static inline bool irqchip_full(struct kvm *kvm)
{
	return irqchip_mode(kvm) == KVM_IRQCHIP_KERNEL;
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
 * The one vCPU that @e's interrupts could be posted to, and with which vector; NULL where they are
 * no plain message, or more than one vCPU or none is meant.
 */
struct kvm_vcpu *kvm_irq_post_target(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e,
				     u8 *vector);

/*
 * Have the host interrupt @host_irq posted to where @gsi is routed (@set), or remapped through the
 * host. Under irqfds.lock. 0 or -errno.
 */
int kvm_pi_update_irte(struct kvm *kvm, unsigned int host_irq, u32 gsi, bool set);

/* A message's destination, vector and kind. */
void kvm_msi_to_lapic_irq(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e,
			  struct kvm_lapic_irq *irq);

/*
 * Deliver @irq to whom it means. @src: the LAPIC that sends it, NULL for a device. -1: to nobody,
 * else how many LAPICs took it, 0 where all of them dropped it or the destination map knows none. A
 * broadcast with lowest priority goes to all, and @irq says so afterwards.
 */
int kvm_irq_delivery_to_apic(struct kvm *kvm, struct kvm_lapic *src, struct kvm_lapic_irq *irq,
			     struct dest_map *dest_map);

/*
 * Of a split irqchip, the vectors whose EOI user space's IOAPIC has to hear of: set in @vectors
 * (256 bits), as @vcpu sees the routes of the reserved pins.
 */
void kvm_scan_split_routes(struct kvm_vcpu *vcpu, unsigned long *vectors);

/*
 * The hook for those who want to know of a message before it is delivered: a tracer, a simulator.
 */
void kvm_trace_msi(const struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm);

/* The routes that a VM has after KVM_CREATE_IRQCHIP. 0 or -errno. */
int kvm_setup_default_irq_routing(struct kvm *kvm);

#endif

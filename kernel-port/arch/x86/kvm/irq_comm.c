// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86's part of interrupt routing: what a route of user space means here, the routes that a VM
 * starts with, and the way of a message from there to LAPICs.
 */
#include <linux/kvm_host.h>

#include "irq.h"
#include "lapic.h"
#include "../../../virt/kvm/irq_routing.h"

bool kvm_arch_irqchip_in_kernel(struct kvm *kvm)
{
	return irqchip_in_kernel(kvm);
}

/* Asked by the ioctl. Not by kvm_set_routing_entry(): an irqchip sets routes before it is there. */
bool kvm_arch_can_set_irq_routing(struct kvm *kvm)
{
	return irqchip_in_kernel(kvm);
}

bool kvm_msi_address_invalid(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e)
{
	/* KVM_X2APIC_API_USE_32BIT_IDS: bits 31-8 extend the destination, bits 7-0 must be zero. */
	return kvm->arch.x2apic_format && (e->msi.address_hi & 0xff);
}

static int fill_irqchip(struct kvm *kvm, struct kvm_kernel_irq_routing_entry *e,
			const struct kvm_irq_routing_entry *ue)
{
	unsigned int chip = ue->u.irqchip.irqchip;
	unsigned int pin = ue->u.irqchip.pin;

	/* With a split irqchip, user space emulates the pins. */
	if (irqchip_split(kvm))
		return -EINVAL;

	switch (chip) {
	case KVM_IRQCHIP_PIC_MASTER:
	case KVM_IRQCHIP_PIC_SLAVE:
		if (pin >= PIC_PINS)
			return -EINVAL;
		/* The pair is one device with 16 inputs, of which the slave has the upper half. */
		if (chip == KVM_IRQCHIP_PIC_SLAVE)
			pin += PIC_PINS;
		e->set = kvm_set_pic_irq;
		break;
	case KVM_IRQCHIP_IOAPIC:
		if (pin >= KVM_IOAPIC_NUM_PINS)
			return -EINVAL;
		e->set = kvm_set_ioapic_irq;
		break;
	default:
		return -EINVAL;
	}

	e->irqchip.irqchip = chip;
	e->irqchip.pin = pin;
	return 0;
}

/* Flags and devid stay zero: x86 has no use for a device id, and nobody may compare garbage. */
static int fill_msi(struct kvm *kvm, struct kvm_kernel_irq_routing_entry *e,
		    const struct kvm_irq_routing_entry *ue)
{
	e->msi.address_lo = ue->u.msi.address_lo;
	e->msi.address_hi = ue->u.msi.address_hi;
	e->msi.data = ue->u.msi.data;
	e->set = kvm_set_msi;

	return kvm_msi_address_invalid(kvm, e) ? -EINVAL : 0;
}

int kvm_set_routing_entry(struct kvm *kvm, struct kvm_kernel_irq_routing_entry *e,
			  const struct kvm_irq_routing_entry *ue)
{
	switch (ue->type) {
	case KVM_IRQ_ROUTING_IRQCHIP:
		return fill_irqchip(kvm, e, ue);
	case KVM_IRQ_ROUTING_MSI:
		return fill_msi(kvm, e, ue);
#ifdef CONFIG_KVM_HYPERV
	case KVM_IRQ_ROUTING_HV_SINT:
		e->hv_sint.vcpu = ue->u.hv_sint.vcpu;
		e->hv_sint.sint = ue->u.hv_sint.sint;
		e->set = kvm_hv_set_sint;
		return 0;
#endif
#ifdef CONFIG_KVM_XEN
	case KVM_IRQ_ROUTING_XEN_EVTCHN:
		return kvm_xen_fill_route(kvm, e, ue);
#endif
	}

	return -EINVAL;
}

/* Messages, which is what large tables are made of. */
bool kvm_arch_irq_route_is(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e,
			   const struct kvm_irq_routing_entry *ue)
{
	return ue->type == KVM_IRQ_ROUTING_MSI && e->type == KVM_IRQ_ROUTING_MSI &&
	       e->msi.data == ue->u.msi.data && e->msi.address_lo == ue->u.msi.address_lo &&
	       e->msi.address_hi == ue->u.msi.address_hi && !kvm_msi_address_invalid(kvm, e);
}

/* A user space IOAPIC's pins are routes, so vCPUs have to look again for what they must exit on. */
void kvm_arch_post_irq_routing_update(struct kvm *kvm)
{
	if (irqchip_split(kvm))
		kvm_make_scan_ioapic_request(kvm);
}

/*
 * ISA: GSI n is pin n of the IOAPIC and input n of the PIC pair, for the PIC's 16 inputs; from
 * there on of the IOAPIC alone.
 */
int kvm_setup_default_irq_routing(struct kvm *kvm)
{
	struct kvm_irq_routing_entry routes[KVM_IOAPIC_NUM_PINS + 2 * PIC_PINS] = {};
	struct kvm_irq_routing_entry *r = routes;
	unsigned int gsi;

	for (gsi = 0; gsi < KVM_IOAPIC_NUM_PINS; gsi++) {
		r->gsi = gsi;
		r->type = KVM_IRQ_ROUTING_IRQCHIP;
		r->u.irqchip.irqchip = KVM_IRQCHIP_IOAPIC;
		r->u.irqchip.pin = gsi;
		r++;

		if (gsi >= 2 * PIC_PINS)
			continue;

		r->gsi = gsi;
		r->type = KVM_IRQ_ROUTING_IRQCHIP;
		r->u.irqchip.irqchip =
			gsi < PIC_PINS ? KVM_IRQCHIP_PIC_MASTER : KVM_IRQCHIP_PIC_SLAVE;
		r->u.irqchip.pin = gsi % PIC_PINS;
		r++;
	}

	return kvm_set_irq_routing(kvm, routes, r - routes, 0);
}

/* ---- messages ---- */

/* Intel SDM vol. 3, "Message Signalled Interrupts": fields of address and data. */
#define MSI_ADDR_DEST_SHIFT    12
#define MSI_ADDR_REDIR_HINT    BIT(3)
#define MSI_ADDR_LOGICAL       BIT(2)
#define MSI_ADDR_HI_DEST       GENMASK(31, 8)
#define MSI_DATA_DELIVERY      GENMASK(10, 8)
#define MSI_DATA_LEVEL_TRIGGER BIT(15)

void kvm_msi_to_lapic_irq(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e,
			  struct kvm_lapic_irq *irq)
{
	u32 lo = e->msi.address_lo, data = e->msi.data;

	*irq = (struct kvm_lapic_irq){
		.vector = data & 0xff,
		.delivery_mode = data & MSI_DATA_DELIVERY,
		.dest_mode = lo & MSI_ADDR_LOGICAL ? APIC_DEST_LOGICAL : APIC_DEST_PHYSICAL,
		/* A message is an assertion, whatever its level bit says: there is no other. */
		.level = true,
		.trig_mode = !!(data & MSI_DATA_LEVEL_TRIGGER),
		.shorthand = KVM_APIC_NO_SHORTHAND,
		.dest_id = lo >> MSI_ADDR_DEST_SHIFT & 0xff,
		.msi_redir_hint = lo & MSI_ADDR_REDIR_HINT,
	};

	/* 32-bit ids: the upper 24 bits are where they are in a VT-d posted or remapped address. */
	if (kvm->arch.x2apic_format)
		irq->dest_id |= e->msi.address_hi & MSI_ADDR_HI_DEST;
}

int kvm_set_msi(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		int level, bool line_status)
{
	struct kvm_lapic_irq irq;

	if (kvm_msi_address_invalid(kvm, e))
		return -EINVAL;
	/* The line went down: nothing to send. */
	if (!level)
		return -1;

	kvm_trace_msi(e, kvm);
	kvm_msi_to_lapic_irq(kvm, e, &irq);
	return kvm_irq_delivery_to_apic(kvm, NULL, &irq, NULL);
}

/*
 * Lowest priority by vector hashing: the vector decides among those that could take it, so that one
 * vector always goes to the same vCPU. A LAPIC that is off by software has no part in it.
 */
static struct kvm_vcpu *choose_lowest(struct kvm *kvm, struct kvm_lapic *src,
				      const struct kvm_lapic_irq *irq)
{
	DECLARE_BITMAP(candidates, KVM_MAX_VCPUS) = {};
	struct kvm_vcpu *vcpu;
	unsigned int nr = 0;
	unsigned long i;

	kvm_for_each_vcpu(i, vcpu, kvm) {
		if (!kvm_vcpu_apic_present(vcpu) || !vcpu->arch.apic->sw_enabled ||
		    !kvm_lapic_match_dest(vcpu, src, irq->shorthand, irq->dest_id, irq->dest_mode))
			continue;
		__set_bit(i, candidates);
		nr++;
	}

	return nr ? kvm_get_vcpu(kvm, kvm_lapic_hash(irq->vector, nr, candidates, KVM_MAX_VCPUS))
		  : NULL;
}

static int deliver_to_all(struct kvm *kvm, struct kvm_lapic *src, const struct kvm_lapic_irq *irq,
			  struct dest_map *dest_map)
{
	struct kvm_vcpu *vcpu;
	int delivered = -1;
	unsigned long i;

	kvm_for_each_vcpu(i, vcpu, kvm) {
		if (!kvm_vcpu_apic_present(vcpu) ||
		    !kvm_lapic_match_dest(vcpu, src, irq->shorthand, irq->dest_id, irq->dest_mode))
			continue;
		delivered = max(delivered, 0) + kvm_lapic_accept(vcpu, irq, dest_map);
	}

	return delivered;
}

int kvm_irq_delivery_to_apic(struct kvm *kvm, struct kvm_lapic *src, struct kvm_lapic_irq *irq,
			     struct dest_map *dest_map)
{
	struct kvm_vcpu *lowest;
	int delivered;

	if (kvm_lapic_deliver_fast(kvm, src, irq, &delivered, dest_map))
		return delivered;

	/* Everybody cannot have the lowest priority; a redirection hint stands all the same. */
	if (irq->dest_mode == APIC_DEST_PHYSICAL && irq->dest_id == KVM_XAPIC_BROADCAST &&
	    kvm_lowest_prio_delivery(irq))
		irq->delivery_mode = APIC_DM_FIXED;
	if (!kvm_lowest_prio_delivery(irq))
		return deliver_to_all(kvm, src, irq, dest_map);

	lowest = choose_lowest(kvm, src, irq);
	return lowest ? kvm_lapic_accept(lowest, irq, dest_map) : -1;
}

/*
 * From a wake-up, with interrupts off: only what needs no lock that may sleep and no walk over all
 * vCPUs. -EWOULDBLOCK: not done, do it from process context.
 */
int kvm_arch_set_irq_inatomic(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm,
			      int irq_source_id, int level, bool line_status)
{
	struct kvm_lapic_irq irq;
	int delivered;

	switch (e->type) {
	case KVM_IRQ_ROUTING_MSI:
		if (kvm_msi_address_invalid(kvm, e))
			return -EINVAL;
		kvm_msi_to_lapic_irq(kvm, e, &irq);
		if (!kvm_lapic_deliver_fast(kvm, NULL, &irq, &delivered, NULL))
			return -EWOULDBLOCK;
		kvm_trace_msi(e, kvm);
		return delivered;
#ifdef CONFIG_KVM_HYPERV
	case KVM_IRQ_ROUTING_HV_SINT:
		return kvm_hv_set_sint(e, kvm, irq_source_id, level, line_status);
#endif
#ifdef CONFIG_KVM_XEN
	case KVM_IRQ_ROUTING_XEN_EVTCHN:
		return level ? kvm_xen_set_evtchn_route(e, kvm, irq_source_id, level, line_status)
			     : -1;
#endif
	}

	return -EWOULDBLOCK;
}

static bool wants_eoi(struct kvm_vcpu *vcpu, const struct kvm_lapic_irq *irq)
{
	if (!irq->trig_mode)
		return false;
	/* The route may have moved on while its interrupt is still in service here. */
	return kvm_lapic_match_dest(vcpu, NULL, irq->shorthand, irq->dest_id, irq->dest_mode) ||
	       kvm_lapic_pending_eoi(vcpu, irq->vector);
}

void kvm_scan_split_routes(struct kvm_vcpu *vcpu, unsigned long *vectors)
{
	struct kvm_kernel_irq_routing_entry e[KVM_NR_IRQCHIPS];
	struct kvm *kvm = vcpu->kvm;
	struct kvm_lapic_irq irq;
	unsigned int pin;
	int idx, n;

	idx = srcu_read_lock(&kvm->irq_srcu);
	for (pin = 0; pin < kvm->arch.nr_reserved_ioapic_pins; pin++) {
		for (n = kvm_irq_map_gsi(kvm, e, pin); n > 0; n--) {
			if (e[n - 1].type != KVM_IRQ_ROUTING_MSI)
				continue;
			kvm_msi_to_lapic_irq(kvm, &e[n - 1], &irq);
			if (wants_eoi(vcpu, &irq))
				__set_bit(irq.vector, vectors);
		}
	}
	srcu_read_unlock(&kvm->irq_srcu, idx);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86's part of interrupt routing: what a route of user space means here, and the routes that a VM
 * starts with.
 */
#include <linux/kvm_host.h>

#include "irq.h"
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

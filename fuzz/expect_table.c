// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing tables, the plain way: entries chained by GSI, then listed in the order of GSIs.
 */
#include <string.h>

#include "expect_table.h"

#define NONE	  0
#define PIC_PINS  8
#define MAP_WORDS (PORT_MAX_GSI / 64)

/* Of the GSIs in the table at hand; all clear between tables. Positions count from 1. */
static uint16_t last_of[PORT_MAX_GSI];
static uint16_t before[PORT_MAX_GSI + 1];
static uint64_t used[MAP_WORDS];
static struct port_route made[PORT_MAX_GSI];

void expect_table_clear(struct expect_table *t)
{
	t->nr = 0;
	t->highest = 0;
	if (!t->no_pins)
		memset(t->pins, 0xff, sizeof(t->pins));
	t->no_pins = true;
}

/* By number of handler: model/kvm/port_ops.c lists them in this order. */
enum { HANDLER_PIC = 1, HANDLER_IOAPIC, HANDLER_MSI, HANDLER_SINT, HANDLER_XEN };

static bool irqchip_route(const struct kvm_irq_routing_entry *e, struct port_route *r)
{
	uint32_t chip = e->u.irqchip.irqchip, pin = e->u.irqchip.pin;

	if (chip > KVM_IRQCHIP_IOAPIC ||
	    pin >= (chip == KVM_IRQCHIP_IOAPIC ? PORT_NR_PINS : PIC_PINS))
		return false;
	r->words[0] = chip;
	r->words[1] = pin + (chip == KVM_IRQCHIP_PIC_SLAVE ? PIC_PINS : 0);
	r->handler = chip == KVM_IRQCHIP_IOAPIC ? HANDLER_IOAPIC : HANDLER_PIC;
	return true;
}

static bool route(const struct kvm_irq_routing_entry *e, enum expect_mode mode, bool x2apic_format,
		  struct port_route *r)
{
	*r = (struct port_route){ .gsi = e->gsi, .type = e->type };

	switch (e->type) {
	case KVM_IRQ_ROUTING_IRQCHIP:
		/* A split irqchip has no pins in the kernel. */
		return mode != MODE_SPLIT && !e->flags && irqchip_route(e, r);
	case KVM_IRQ_ROUTING_MSI:
		if (e->flags & ~KVM_MSI_VALID_DEVID)
			return false;
		/* api.rst on KVM_CAP_X2APIC_API: bits 7-0 of address_hi must be zero then. */
		if (x2apic_format && (e->u.msi.address_hi & 0xff))
			return false;
		r->words[0] = e->u.msi.address_lo;
		r->words[1] = e->u.msi.address_hi;
		r->words[2] = e->u.msi.data;
		r->handler = HANDLER_MSI;
		return true;
	case KVM_IRQ_ROUTING_HV_SINT:
		r->words[0] = e->u.hv_sint.vcpu;
		r->words[1] = e->u.hv_sint.sint;
		r->handler = HANDLER_SINT;
		return !e->flags;
	case KVM_IRQ_ROUTING_XEN_EVTCHN:
		r->words[0] = e->u.xen_evtchn.port;
		r->words[1] = e->u.xen_evtchn.vcpu;
		r->words[2] = e->u.xen_evtchn.priority;
		r->handler = HANDLER_XEN;
		return !e->flags &&
		       e->u.xen_evtchn.priority == KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL;
	}
	return false;
}

/* A GSI has one route, or one to each of several irqchips. */
static bool fits(const struct port_route *r)
{
	uint16_t i;

	for (i = last_of[r->gsi]; i != NONE; i = before[i]) {
		const struct port_route *o = &made[i - 1];

		if (r->type != KVM_IRQ_ROUTING_IRQCHIP || o->type != KVM_IRQ_ROUTING_IRQCHIP ||
		    r->words[0] == o->words[0])
			return false;
	}
	return true;
}

static void forget(uint32_t nr)
{
	while (nr--) {
		last_of[made[nr].gsi] = NONE;
		used[made[nr].gsi / 64] = 0;
	}
}

static void list_routes(struct expect_table *t, uint32_t highest)
{
	struct port_route *out = t->routes;
	uint64_t bits;
	uint32_t word;
	uint16_t i;

	t->highest = highest;
	for (word = 0; word <= highest / 64; word++) {
		for (bits = used[word]; bits; bits &= bits - 1) {
			i = last_of[word * 64 + __builtin_ctzll(bits)];
			for (; i != NONE; i = before[i])
				*out++ = made[i - 1];
		}
	}
	t->nr = out - t->routes;
}

bool expect_table_set(struct expect_table *t, const struct kvm_irq_routing_entry *e, uint32_t nr,
		      enum expect_mode mode, bool x2apic_format)
{
	struct port_route *r;
	uint32_t highest = 0, i;

	expect_table_clear(t);
	for (i = 0; i < nr; i++) {
		r = &made[i];
		if (e[i].gsi >= PORT_MAX_GSI || !route(&e[i], mode, x2apic_format, r) || !fits(r)) {
			forget(i);
			return false;
		}
		before[i + 1] = last_of[r->gsi];
		last_of[r->gsi] = i + 1;
		used[r->gsi / 64] |= 1ULL << r->gsi % 64;
		highest = r->gsi > highest ? r->gsi : highest;
		if (r->type != KVM_IRQ_ROUTING_IRQCHIP)
			continue;
		t->pins[r->words[0] * PORT_NR_PINS + r->words[1]] = r->gsi;
		t->no_pins = false;
	}
	list_routes(t, highest);
	forget(nr);

	return true;
}

/* api.rst on KVM_CREATE_IRQCHIP: GSIs 0-15 are set to both PIC and IOAPIC, 16-23 to the IOAPIC. */
void expect_table_pc(struct expect_table *t)
{
	struct kvm_irq_routing_entry e[PORT_NR_PINS + 2 * PIC_PINS] = { 0 };
	unsigned int n = 0, gsi;

	for (gsi = 0; gsi < PORT_NR_PINS; gsi++) {
		e[n].gsi = gsi;
		e[n].type = KVM_IRQ_ROUTING_IRQCHIP;
		e[n].u.irqchip.irqchip = KVM_IRQCHIP_IOAPIC;
		e[n++].u.irqchip.pin = gsi;
		if (gsi >= 2 * PIC_PINS)
			continue;
		e[n].gsi = gsi;
		e[n].type = KVM_IRQ_ROUTING_IRQCHIP;
		e[n].u.irqchip.irqchip = gsi / PIC_PINS;
		e[n++].u.irqchip.pin = gsi % PIC_PINS;
	}
	expect_table_set(t, e, n, MODE_NONE, false);
}

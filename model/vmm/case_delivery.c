// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which answers depend on an interrupt that is really delivered.
 *
 * The rule follows what decides it: the kind of irqchip, whether a vCPU exists, the X2APIC_API flag
 * and the routing table. Only successful calls change them, so a case's recorded answers say how
 * they stand at each step. Sources: Documentation/virt/kvm/api.rst (KVM_IRQ_LINE_STATUS,
 * KVM_SIGNAL_MSI, KVM_SET_GSI_ROUTING, KVM_CAP_X2APIC_API) and the recorded answers.
 */
#include <string.h>

#include "case_step.h"

/* The default table of a full irqchip: each of these is a line, 0 to 15 a PIC's pin too. */
#define IOAPIC_PINS	 24

#define ROUTE_BIT(type)	 (1u << (type))
#define ROUTE_LINE	 (ROUTE_BIT(KVM_IRQ_ROUTING_IRQCHIP))
#define ROUTE_OTHER	 (1u << 7)
#define X2APIC_API_32BIT 1 /* KVM_X2APIC_API_USE_32BIT_IDS: address_hi has its own format then */
#define MSI_KNOWN_FLAGS	 KVM_MSI_VALID_DEVID

static void full_irqchip(struct shadow *sh)
{
	sh->chip = CHIP_FULL;
	memset(sh->routes, ROUTE_LINE, IOAPIC_PINS);
}

void shadow_init(struct shadow *sh, const struct case_setup *setup)
{
	memset(sh, 0, sizeof(*sh));
	if (!setup)
		return;
	if (setup->chip == CHIP_FULL)
		full_irqchip(sh);
	sh->chip = setup->chip;
	sh->nr_vcpus = setup->nr_vcpus;
	sh->x2apic_format = setup->api & X2APIC_API_32BIT;
}

static bool msi_needs(const struct shadow *sh, const struct step *s, char *why, size_t size)
{
	if (s->buffer != BUF_GIVEN || sh->chip == CHIP_NONE || !sh->nr_vcpus)
		return false;
	if (s->u.msi.flags & ~MSI_KNOWN_FLAGS)
		return false;
	if (sh->x2apic_format && (s->u.msi.address_hi & 0xff))
		return false;
	snprintf(why, size, "%s: an MSI is delivered to a vCPU's LAPIC", step_kind_name(s->kind));
	return true;
}

static bool line_needs(const struct shadow *sh, const struct step *s, char *why, size_t size)
{
	uint32_t gsi = s->u.line.gsi;
	uint8_t routes;

	/* Without a status the answer says only whether there is an irqchip. */
	if (s->kind == STEP_IRQ_LINE || s->buffer != BUF_GIVEN || sh->chip == CHIP_NONE)
		return false;
	routes = gsi < sizeof(sh->routes) ? sh->routes[gsi] : 0;
	if (!routes)
		return false;
	/* A low level sends no MSI; neither does any level where nobody can take it. */
	if (routes == ROUTE_BIT(KVM_IRQ_ROUTING_MSI) && (!s->u.line.level || !sh->nr_vcpus))
		return false;
	snprintf(why, size, "%s: gsi %u is routed to %s", step_kind_name(s->kind), gsi,
		 routes & ROUTE_LINE ? "an interrupt controller's pin"
		 : routes == ROUTE_BIT(KVM_IRQ_ROUTING_MSI)
			 ? "a vCPU's LAPIC"
			 : "something other than a pin or an MSI");
	return true;
}

/* Pending vectors that were seen: [[65],[]] by vCPU. */
static bool vectors_seen(const struct step *s, const char *key)
{
	json_t *list = s->record ? json_object_get(s->record, key) : NULL, *vcpu;
	size_t i;

	json_array_foreach(list, i, vcpu)
	{
		if (json_array_size(vcpu))
			return true;
	}
	return false;
}

bool shadow_needs_delivery(const struct shadow *sh, const struct step *s, char *why, size_t size)
{
	if (s->on != ON_VM)
		return false;
	if (vectors_seen(s, "irr") || vectors_seen(s, "tmr")) {
		snprintf(why, size, "%s: a vector was seen in a LAPIC", step_kind_name(s->kind));
		return true;
	}
	if (s->kind == STEP_SIGNAL_MSI)
		return msi_needs(sh, s, why, size);
	if (s->kind == STEP_IRQ_LINE || s->kind == STEP_IRQ_LINE_STATUS)
		return line_needs(sh, s, why, size);
	return false;
}

static void apply_routing(struct shadow *sh, const struct step *s)
{
	uint32_t nr = s->u.routing.nr, i;

	if (nr > s->u.routing.nr_entries)
		nr = s->u.routing.nr_entries;
	memset(sh->routes, 0, sizeof(sh->routes));
	for (i = 0; i < nr; i++) {
		const struct kvm_irq_routing_entry *e = &s->u.routing.entries[i];

		if (e->gsi < sizeof(sh->routes))
			sh->routes[e->gsi] |= e->type < 7 ? ROUTE_BIT(e->type) : ROUTE_OTHER;
	}
}

void shadow_apply(struct shadow *sh, const struct step *s, long ret)
{
	if (ret < 0 || s->on != ON_VM)
		return;
	switch (s->kind) {
	case STEP_CREATE_IRQCHIP:
		full_irqchip(sh);
		break;
	case STEP_ENABLE_CAP:
		if (s->u.cap.nr == KVM_CAP_SPLIT_IRQCHIP)
			sh->chip = CHIP_SPLIT;
		else if (s->u.cap.nr == KVM_CAP_X2APIC_API && (s->u.cap.arg & X2APIC_API_32BIT))
			sh->x2apic_format = true;
		break;
	case STEP_CREATE_VCPU:
		sh->nr_vcpus++;
		break;
	case STEP_SET_GSI_ROUTING:
		apply_routing(sh, s);
		break;
	default:
		break;
	}
}

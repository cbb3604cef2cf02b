// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "msi_routes.h"

#define TIMER_PIN 2 /* of the IOAPIC, where the PIC has its cascade */

static void use_gsi(struct msi_routes *r, uint32_t gsi)
{
	r->used[gsi / 64] |= 1ULL << (gsi % 64);
}

static struct kvm_irq_routing_entry *add(struct msi_routes *r, uint32_t gsi, uint32_t type)
{
	struct kvm_irq_routing_entry *e = &r->table.entries[r->table.nr++];

	*e = (struct kvm_irq_routing_entry){ .gsi = gsi, .type = type };
	use_gsi(r, gsi);
	return e;
}

static void add_pin(struct msi_routes *r, uint32_t gsi, uint32_t chip, uint32_t pin)
{
	struct kvm_irq_routing_entry *e = add(r, gsi, KVM_IRQ_ROUTING_IRQCHIP);

	e->u.irqchip.irqchip = chip;
	e->u.irqchip.pin = pin;
}

static void add_pc_pins(struct msi_routes *r)
{
	uint32_t i;

	for (i = 0; i < 8; i++)
		if (i != TIMER_PIN)
			add_pin(r, i, KVM_IRQCHIP_PIC_MASTER, i);
	for (i = 8; i < 16; i++)
		add_pin(r, i, KVM_IRQCHIP_PIC_SLAVE, i - 8);
	for (i = 0; i < PORT_NR_PINS; i++)
		if (i != TIMER_PIN)
			add_pin(r, i, KVM_IRQCHIP_IOAPIC, i ? i : TIMER_PIN);
}

int msi_routes_send(struct msi_routes *r)
{
	r->commits++;
	return (int)r->b->ioctl(r->b, r->vm, KVM_SET_GSI_ROUTING, (unsigned long)&r->table);
}

int msi_routes_init(struct msi_routes *r, struct backend *b, int vm, bool pins)
{
	memset(r, 0, sizeof(*r));
	r->b = b;
	r->vm = vm;
	if (pins)
		add_pc_pins(r);
	return msi_routes_send(r);
}

struct route_change msi_routes_begin(struct msi_routes *r)
{
	return (struct route_change){ .routes = r };
}

static int lowest_free(const struct msi_routes *r)
{
	int i, gsi;

	for (i = 0; i < PORT_MAX_GSI / 64; i++) {
		if (!~r->used[i])
			continue;
		gsi = i * 64 + __builtin_ctzll(~r->used[i]);
		return gsi < MSI_ROUTES_GSIS ? gsi : -ENOSPC;
	}
	return -ENOSPC;
}

static void set_message(struct kvm_irq_routing_entry *e, const struct msi_message *m)
{
	e->u.msi.address_lo = (uint32_t)m->address;
	e->u.msi.address_hi = (uint32_t)(m->address >> 32);
	e->u.msi.data = m->data;
}

int msi_routes_add(struct route_change *c, const struct msi_message *m)
{
	struct msi_routes *r = c->routes;
	int virq = lowest_free(r);

	/* Two routes may share a GSI, so the table can be full before the GSIs are. */
	if (virq < 0 || r->table.nr == PORT_MAX_GSI)
		return -ENOSPC;
	set_message(add(r, virq, KVM_IRQ_ROUTING_MSI), m);
	c->changes++;
	return virq;
}

int msi_routes_update(struct route_change *c, int virq, const struct msi_message *m)
{
	struct msi_routes *r = c->routes;
	struct kvm_irq_routing_entry next;
	uint32_t i;

	for (i = 0; i < r->table.nr; i++)
		if (r->table.entries[i].gsi == (uint32_t)virq)
			break;
	if (i == r->table.nr)
		return -ESRCH;
	next = r->table.entries[i];
	set_message(&next, m);
	if (memcmp(&next, &r->table.entries[i], sizeof(next))) {
		r->table.entries[i] = next;
		c->changes++;
	}
	return 0;
}

void msi_routes_release(struct msi_routes *r, int virq)
{
	uint32_t i;

	if (virq < 0)
		return;
	/* The last takes the place of one that goes. */
	for (i = 0; i < r->table.nr;) {
		if (r->table.entries[i].gsi == (uint32_t)virq)
			r->table.entries[i] = r->table.entries[--r->table.nr];
		else
			i++;
	}
	r->used[virq / 64] &= ~(1ULL << (virq % 64));
}

int msi_routes_commit(struct route_change *c)
{
	int ret;

	if (!c->changes)
		return 0;
	ret = msi_routes_send(c->routes);
	if (!ret)
		c->changes = 0;
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "encode.h"

void encode_start(struct encode *en)
{
	en->size = 0;
	en->full = false;
	en->nr = 0;
}

void encode_u8(struct encode *en, uint8_t v)
{
	if (en->size < ENCODE_MAX)
		en->bytes[en->size++] = v;
	else
		en->full = true;
}

void encode_u32(struct encode *en, uint32_t v)
{
	int i;

	for (i = 0; i < 4; i++)
		encode_u8(en, v >> 8 * i);
}

void encode_num(struct encode *en, uint32_t v)
{
	if (v < 0xf0) {
		encode_u8(en, v);
		return;
	}
	encode_u8(en, 0xf0 | v >> 8);
	encode_u8(en, v);
}

void encode_op(struct encode *en, enum op op, unsigned int arg)
{
	encode_u8(en, arg << 4 | op);
}

/* The operand bytes of the short form, and how many. -1: there is none for this entry. */
static int short_payload(const struct kvm_irq_routing_entry *e, uint8_t *out)
{
	switch (e->type) {
	case KVM_IRQ_ROUTING_IRQCHIP:
		if (e->u.irqchip.irqchip > 7 || e->u.irqchip.pin > 31)
			return -1;
		out[0] = e->u.irqchip.irqchip << 5 | e->u.irqchip.pin;
		return 1;
	case KVM_IRQ_ROUTING_MSI:
		if ((e->u.msi.address_lo & ~0xff000u) != 0xfee00000 || e->u.msi.address_hi ||
		    e->u.msi.data > 255 || e->u.msi.devid)
			return -1;
		out[0] = e->u.msi.address_lo >> 12;
		out[1] = e->u.msi.data;
		return 2;
	case KVM_IRQ_ROUTING_HV_SINT:
		if (e->u.hv_sint.vcpu > 255 || e->u.hv_sint.sint > 255)
			return -1;
		out[0] = e->u.hv_sint.vcpu;
		out[1] = e->u.hv_sint.sint;
		return 2;
	case KVM_IRQ_ROUTING_XEN_EVTCHN:
		if (e->u.xen_evtchn.port > 255 || e->u.xen_evtchn.vcpu > 255 ||
		    e->u.xen_evtchn.priority != KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL)
			return -1;
		out[0] = e->u.xen_evtchn.port;
		out[1] = e->u.xen_evtchn.vcpu;
		return 2;
	}
	return e->u.pad[0] | e->u.pad[1] | e->u.pad[2] | e->u.pad[3] ? -1 : 0;
}

/* @op with its argument byte(s) and the entry; @at: its index, for OP_MODIFY. */
static void put_entry(struct encode *en, enum op op, uint32_t at,
		      const struct kvm_irq_routing_entry *e)
{
	unsigned int ext = 0, arg, i;
	uint8_t payload[2];
	int n = short_payload(e, payload);

	ext |= e->gsi > 4095 ? EXT_GSI : 0;
	ext |= e->flags ? EXT_FLAGS : 0;
	ext |= e->pad ? EXT_PAD : 0;
	ext |= n < 0 ? EXT_WORDS : 0;
	ext |= e->type > 7 ? EXT_TYPE : 0;
	arg = (e->type & 7) | (ext ? 8 : 0);

	if (op == OP_MODIFY) {
		encode_op(en, OP_MODIFY, MODIFY_ALL);
		encode_num(en, at);
		encode_u8(en, arg);
	} else {
		encode_op(en, OP_ADD, arg);
	}
	if (ext)
		encode_u8(en, ext);
	if (ext & EXT_GSI)
		encode_u32(en, e->gsi);
	else
		encode_num(en, e->gsi);
	if (ext & EXT_FLAGS)
		encode_u32(en, e->flags);
	if (ext & EXT_PAD)
		encode_u32(en, e->pad);
	for (i = 0; ext & EXT_WORDS && i < 4; i++)
		encode_u32(en, e->u.pad[i]);
	for (i = 0; !(ext & EXT_WORDS) && (int)i < n; i++)
		encode_u8(en, payload[i]);
	if (ext & EXT_TYPE)
		encode_u32(en, e->type);
}

static bool same(const struct kvm_irq_routing_entry *a, const struct kvm_irq_routing_entry *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* How many entries from @e on follow @prev as OP_REPEAT makes them, GSI by GSI. */
static uint32_t run_after(const struct kvm_irq_routing_entry *prev,
			  const struct kvm_irq_routing_entry *e, uint32_t nr)
{
	struct kvm_irq_routing_entry next = *prev;
	uint32_t n;

	for (n = 0; n < nr; n++) {
		next.gsi++;
		if (next.type == KVM_IRQ_ROUTING_MSI)
			next.u.msi.data++;
		else
			next.u.irqchip.pin++;
		if (!same(&next, &e[n]))
			break;
	}
	return n;
}

static void append_all(struct encode *en, const struct kvm_irq_routing_entry *e, uint32_t nr)
{
	uint32_t i = 0, run;

	while (i < nr) {
		put_entry(en, OP_ADD, 0, &e[i]);
		run = run_after(&e[i], &e[i + 1], nr - i - 1);
		i++;
		if (run < 2)
			continue;
		run = run < 4095 ? run : 4095;
		encode_op(en, OP_REPEAT, 1);
		encode_num(en, run);
		i += run;
	}
}

void encode_table(struct encode *en, const struct kvm_irq_routing_entry *e, uint32_t nr)
{
	uint32_t both = nr < en->nr ? nr : en->nr, i;

	for (i = 0; i < both; i++)
		if (!same(&en->table[i], &e[i]))
			put_entry(en, OP_MODIFY, i, &e[i]);
	if (nr < en->nr) {
		encode_op(en, OP_RESET, nr ? 2 : 0);
		if (nr)
			encode_num(en, nr);
	}
	append_all(en, e + both, nr - both);
	memcpy(en->table, e, nr * sizeof(*e));
	en->nr = nr;
}

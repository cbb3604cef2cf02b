// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instructions that edit a program's table.
 */
#include <string.h>

#include "program_operands.h"

static void set_pin(struct kvm_irq_routing_entry *e, uint8_t chip_pin)
{
	e->u.irqchip.irqchip = chip_pin >> 5;
	e->u.irqchip.pin = chip_pin & 31;
}

static void get_short_payload(struct program *pr, struct kvm_irq_routing_entry *e)
{
	switch (e->type) {
	case KVM_IRQ_ROUTING_IRQCHIP:
		set_pin(e, get_u8(pr));
		break;
	case KVM_IRQ_ROUTING_MSI:
		e->u.msi.address_lo = MSI_BASE | get_u8(pr) << 12;
		e->u.msi.address_hi = 0;
		e->u.msi.data = get_u8(pr);
		e->u.msi.devid = 0;
		break;
	case KVM_IRQ_ROUTING_HV_SINT:
		e->u.hv_sint.vcpu = get_u8(pr);
		e->u.hv_sint.sint = get_u8(pr);
		break;
	case KVM_IRQ_ROUTING_XEN_EVTCHN:
		e->u.xen_evtchn.port = get_u8(pr);
		e->u.xen_evtchn.vcpu = get_u8(pr);
		e->u.xen_evtchn.priority = KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL;
		break;
	}
}

static void get_entry(struct program *pr, unsigned int arg, struct kvm_irq_routing_entry *e)
{
	unsigned int ext = arg & 8 ? get_u8(pr) : 0;
	int i;

	memset(e, 0, sizeof(*e));
	if (ext & EXT_FILL)
		memset(&e->u, 0xa5, sizeof(e->u));
	e->type = arg & 7;
	e->gsi = ext & EXT_GSI ? get_u32(pr) : get_num(pr);
	if (ext & EXT_FLAGS)
		e->flags = get_u32(pr);
	if (ext & EXT_PAD)
		e->pad = get_u32(pr);
	if (ext & EXT_WORDS) {
		for (i = 0; i < 4; i++)
			e->u.pad[i] = get_u32(pr);
	} else {
		get_short_payload(pr, e);
	}
	if (ext & EXT_TYPE)
		e->type = get_u32(pr);
}

static struct kvm_irq_routing_entry *append(struct program *pr)
{
	return pr->nr < PROGRAM_MAX_ROUTES ? &pr->table->entries[pr->nr++] : NULL;
}

static void add(struct program *pr, unsigned int arg)
{
	struct kvm_irq_routing_entry e, *to;

	get_entry(pr, arg, &e);
	to = append(pr);
	if (to)
		*to = e;
}

static void repeat(struct program *pr, unsigned int step)
{
	uint32_t n = get_num(pr);
	struct kvm_irq_routing_entry *e;

	if (!pr->nr)
		return;
	while (n-- && (e = append(pr))) {
		*e = e[-1];
		e->gsi += step;
		if (e->type == KVM_IRQ_ROUTING_MSI)
			e->u.msi.data++;
		else
			e->u.irqchip.pin++;
	}
}

static void remove_at(struct program *pr, uint32_t i, bool keep_order)
{
	struct kvm_irq_routing_entry *e = &pr->table->entries[i];

	pr->nr--;
	if (keep_order)
		memmove(e, e + 1, (pr->nr - i) * sizeof(*e));
	else
		*e = pr->table->entries[pr->nr];
}

static void modify(struct program *pr, enum modify what, struct kvm_irq_routing_entry *e)
{
	switch (what) {
	case MODIFY_DEST:
		e->u.pad[0] = (e->u.pad[0] & ~0xff000u) | get_u8(pr) << 12;
		break;
	case MODIFY_DATA:
		e->u.pad[2] = get_u8(pr);
		break;
	case MODIFY_GSI:
		e->gsi = get_num(pr);
		break;
	case MODIFY_TYPE:
		e->type = get_u8(pr);
		break;
	case MODIFY_FLAGS:
		e->flags = get_u8(pr);
		break;
	case MODIFY_HIGH:
		e->u.pad[1] = get_u32(pr);
		break;
	case MODIFY_PIN:
		set_pin(e, get_u8(pr));
		break;
	case MODIFY_DEVID:
		e->u.pad[3] = get_u32(pr);
		break;
	default:
		get_entry(pr, get_u8(pr), e);
		break;
	}
}

static void copy(struct program *pr, unsigned int how, uint32_t i)
{
	struct kvm_irq_routing_entry *e = pr->table->entries, was = e[i];
	struct kvm_irq_routing_entry *to;

	switch (how & 3) {
	case 1:
		memmove(e + 1, e, i * sizeof(*e));
		e[0] = was;
		return;
	case 3:
		e[i] = e[pr->nr - 1];
		e[pr->nr - 1] = was;
		return;
	case 2:
		to = append(pr);
		if (to)
			*to = was;
		/* fall through */
	case 0:
		to = append(pr);
		if (to)
			*to = was;
		return;
	}
}

/* As QEMU and kvmtool do it: PIC inputs first, then the IOAPIC's pins, GSI n is number n of both.
 */
static void pc_table(struct program *pr)
{
	struct kvm_irq_routing_entry *e;
	int i;

	pr->nr = 0;
	for (i = 0; i < 40 && (e = append(pr)); i++) {
		memset(e, 0, sizeof(*e));
		e->type = KVM_IRQ_ROUTING_IRQCHIP;
		e->gsi = i < 16 ? i : i - 16;
		e->u.irqchip.irqchip = i < 8 ? 0 : i < 16 ? 1 : 2;
		e->u.irqchip.pin = i < 16 ? i % 8 : i - 16;
	}
}

static void reverse(struct program *pr)
{
	struct kvm_irq_routing_entry *e = pr->table->entries, tmp;
	uint32_t i;

	for (i = 0; i < pr->nr / 2; i++) {
		tmp = e[i];
		e[i] = e[pr->nr - 1 - i];
		e[pr->nr - 1 - i] = tmp;
	}
}

static void reset(struct program *pr, unsigned int how)
{
	uint32_t n;

	switch (how & 3) {
	case 0:
		pr->nr = 0;
		break;
	case 1:
		pc_table(pr);
		break;
	case 2:
		n = get_num(pr);
		if (n < pr->nr)
			pr->nr = n;
		break;
	case 3:
		reverse(pr);
		break;
	}
}

bool program_edit(struct program *pr, enum op op, unsigned int arg)
{
	uint32_t i = 0;

	if (op == OP_DELETE || op == OP_MODIFY || op == OP_COPY) {
		i = get_num(pr);
		if (!pr->nr)
			return true;
		i %= pr->nr;
	}
	switch (op) {
	case OP_ADD:
		add(pr, arg);
		return true;
	case OP_REPEAT:
		repeat(pr, arg);
		return true;
	case OP_DELETE:
		remove_at(pr, i, arg & 1);
		return true;
	case OP_MODIFY:
		modify(pr, arg, &pr->table->entries[i]);
		return true;
	case OP_COPY:
		copy(pr, arg, i);
		return true;
	case OP_RESET:
		reset(pr, arg);
		return true;
	default:
		return false;
	}
}

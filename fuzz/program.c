// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "program.h"

#define MSI_BASE 0xfee00000u /* Intel SDM volume 3, 11.11.1: bits 12-19 are the destination */

/* ---- operands ---- */

static uint8_t get_u8(struct program *pr)
{
	return pr->p < pr->end ? *pr->p++ : 0;
}

static uint32_t get_u32(struct program *pr)
{
	uint32_t v = get_u8(pr);

	v |= get_u8(pr) << 8;
	v |= get_u8(pr) << 16;
	return v | (uint32_t)get_u8(pr) << 24;
}

static uint32_t get_num(struct program *pr)
{
	uint32_t b = get_u8(pr);

	return b < 0xf0 ? b : (b & 0xf) << 8 | get_u8(pr);
}

static enum pointer get_pointer(struct program *pr)
{
	return get_u8(pr) % NR_POINTERS;
}

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

/* ---- edits of the table ---- */

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

/* True: it was an edit. */
static bool edit(struct program *pr, enum op op, unsigned int arg)
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

/* ---- calls ---- */

static bool commit(struct program *pr, unsigned int how, struct call *c)
{
	struct kvm_irq_routing *t = pr->table;
	uint32_t flags, sent;

	c->kind = CALL_SET_ROUTING;
	c->cmd = KVM_SET_GSI_ROUTING;
	t->nr = pr->nr;
	t->flags = 0;
	if (how == 2) {
		t->nr = get_num(pr);
		flags = get_u8(pr);
		/* Nothing that an earlier program left. */
		if (t->nr > pr->nr)
			memset(&t->entries[pr->nr], 0, (t->nr - pr->nr) * sizeof(t->entries[0]));
		t->nr |= (flags & 0x80) << 24;
		t->flags = flags & 0x7f;
	} else if (how == 3) {
		c->pointer = get_pointer(pr);
	}
	sent = t->nr <= PROGRAM_MAX_ROUTES ? t->nr : 0;
	if (sent > pr->max_sent - pr->sent)
		return false;
	pr->sent += sent;

	return true;
}

static void chip(struct program *pr, unsigned int how, struct call *c)
{
	if (!how) {
		c->kind = CALL_CREATE_IRQCHIP;
		c->cmd = KVM_CREATE_IRQCHIP;
		c->u.number = 0;
		return;
	}
	c->kind = CALL_ENABLE_CAP;
	c->cmd = KVM_ENABLE_CAP;
	memset(&c->u.cap, 0, sizeof(c->u.cap));
	c->u.cap.cap = how == 3 ? KVM_CAP_X2APIC_API : KVM_CAP_SPLIT_IRQCHIP;
	c->u.cap.args[0] = how == 1 ? 24 : how == 2 ? get_num(pr) : get_u8(pr);
}

static void msi(struct program *pr, unsigned int how, struct call *c)
{
	struct kvm_msi *m = &c->u.msi;

	c->kind = CALL_SIGNAL_MSI;
	c->cmd = KVM_SIGNAL_MSI;
	memset(m, 0, sizeof(*m));
	if (how == 1) {
		m->address_lo = get_u32(pr);
		m->address_hi = get_u32(pr);
		m->data = get_u32(pr);
		m->flags = get_u32(pr);
		return;
	}
	if (how > 1)
		c->pointer = get_pointer(pr);
	m->address_lo = MSI_BASE | get_u8(pr) << 12;
	m->data = get_u8(pr);
}

static void line(struct program *pr, unsigned int arg, struct call *c)
{
	c->kind = CALL_IRQ_LINE;
	c->cmd = arg & 8 ? KVM_IRQ_LINE_STATUS : KVM_IRQ_LINE;
	c->u.line.irq = get_num(pr);
	c->u.line.level = arg >> 2 & 1;
	if (c->u.line.irq == 4095) {
		c->u.line.irq = get_u32(pr);
		c->pointer = get_pointer(pr);
	}
}

static void cap(struct program *pr, unsigned int how, struct call *c)
{
	if (how < 2) {
		c->kind = CALL_CHECK_EXTENSION;
		c->cmd = KVM_CHECK_EXTENSION;
		c->target = how ? TARGET_SYSTEM : TARGET_VM;
		c->u.number = get_num(pr);
		return;
	}
	c->kind = CALL_ENABLE_CAP;
	c->cmd = KVM_ENABLE_CAP;
	memset(&c->u.cap, 0, sizeof(c->u.cap));
	if (how == 3) {
		c->pointer = get_pointer(pr);
		c->u.cap.cap = KVM_CAP_X2APIC_API;
		return;
	}
	c->u.cap.cap = get_num(pr);
	c->u.cap.args[0] = get_u32(pr);
	c->u.cap.flags = get_u8(pr);
}

/* Numbers that some kind of descriptor knows and the one asked here does not. */
static bool raw(struct program *pr, unsigned int arg, struct call *c)
{
	static const unsigned int cmds[] = {
		KVM_GET_API_VERSION,
		KVM_GET_VCPU_MMAP_SIZE,
		KVM_CHECK_EXTENSION,
		KVM_CREATE_VM,
		KVM_CREATE_VCPU,
		KVM_CREATE_IRQCHIP,
		KVM_ENABLE_CAP,
		KVM_SET_GSI_ROUTING,
		KVM_SIGNAL_MSI,
		KVM_IRQ_LINE,
		KVM_IRQ_LINE_STATUS,
		KVM_RUN,
		0,
		0xffffffff,
	};

	c->kind = CALL_RAW;
	c->target = arg < 4 ? TARGET_VM : arg < 12 ? TARGET_VCPU : TARGET_SYSTEM;
	c->slot = arg < 4 ? arg : arg - 4;
	if (arg == 12)
		c->target = TARGET_CLOSED;
	c->cmd = cmds[get_u8(pr) % (sizeof(cmds) / sizeof(cmds[0]))];
	c->u.number = get_u8(pr);

	switch (c->cmd) {
	case KVM_CREATE_VM:
		return c->target != TARGET_SYSTEM;
	case KVM_CREATE_VCPU:
	case KVM_CREATE_IRQCHIP:
	case KVM_ENABLE_CAP:
	case KVM_SET_GSI_ROUTING:
	case KVM_SIGNAL_MSI:
	case KVM_IRQ_LINE:
	case KVM_IRQ_LINE_STATUS:
		return c->target != TARGET_VM;
	}
	return true;
}

static void create_vm(unsigned int how, struct call *c)
{
	static const unsigned long types[4] = { 0, 0, 0, 1 };

	c->kind = CALL_CREATE_VM;
	c->target = TARGET_SYSTEM;
	c->cmd = KVM_CREATE_VM;
	c->u.number = types[how];
}

static void create_vcpu(struct program *pr, unsigned int how, struct call *c)
{
	c->kind = CALL_CREATE_VCPU;
	c->cmd = KVM_CREATE_VCPU;
	c->u.number = get_num(pr);
	if (how & 1)
		c->u.number += (1 << 14) - 2;
}

static bool close_one(unsigned int arg, struct call *c)
{
	c->kind = arg < 4 ? CALL_CLOSE_VM : CALL_CLOSE_VCPU;
	c->target = arg < 4 ? TARGET_VM : TARGET_VCPU;
	c->slot = arg < 4 ? arg : arg - 4;

	return arg < 4 + PROGRAM_VCPUS;
}

/* True: @c is to be run. */
static bool make_call(struct program *pr, enum op op, unsigned int arg, struct call *c)
{
	c->target = TARGET_VM;
	c->slot = arg & 3;
	c->pointer = POINTER_GOOD;

	switch (op) {
	case OP_COMMIT:
		return commit(pr, arg >> 2, c);
	case OP_VM:
		create_vm(arg >> 2, c);
		return true;
	case OP_CHIP:
		chip(pr, arg >> 2, c);
		return true;
	case OP_VCPU:
		create_vcpu(pr, arg >> 2, c);
		return true;
	case OP_CLOSE:
		return close_one(arg, c);
	case OP_MSI:
		msi(pr, arg >> 2, c);
		return true;
	case OP_LINE:
		line(pr, arg, c);
		return true;
	case OP_CAP:
		cap(pr, arg >> 2, c);
		return true;
	case OP_FAIL:
		pr->fail_nth = (arg == 15 ? get_num(pr) : arg) + 1;
		return false;
	case OP_RAW:
		return raw(pr, arg, c);
	default:
		return false;
	}
}

void program_start(struct program *pr, const uint8_t *data, size_t size,
		   struct kvm_irq_routing *table, uint32_t max_sent)
{
	*pr = (struct program){
		.p = data, .end = data + size, .table = table, .max_sent = max_sent
	};
}

bool program_next(struct program *pr, struct call *c)
{
	while (pr->p < pr->end && pr->calls < PROGRAM_MAX_CALLS) {
		uint8_t b = *pr->p++;

		if (edit(pr, b & 15, b >> 4) || !make_call(pr, b & 15, b >> 4, c))
			continue;
		c->fail_nth = pr->fail_nth;
		pr->fail_nth = 0;
		pr->calls++;
		return true;
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instructions that make calls, and reading a program instruction by instruction.
 */
#include <string.h>

#include "program_operands.h"

/* False: more routes than are to be sent. */
static bool count_routes(struct program *pr, uint32_t nr)
{
	if (nr > pr->max_sent - pr->sent)
		return false;
	pr->sent += nr;
	return true;
}

static bool commit(struct program *pr, unsigned int how, struct call *c)
{
	struct kvm_irq_routing *t = pr->table;
	uint32_t flags;

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
	return count_routes(pr, t->nr <= PROGRAM_MAX_ROUTES ? t->nr : 0);
}

static bool chip(struct program *pr, unsigned int how, struct call *c)
{
	if (!how) {
		c->kind = CALL_CREATE_IRQCHIP;
		c->cmd = KVM_CREATE_IRQCHIP;
		c->u.number = 0;
		return count_routes(pr, PROGRAM_PC_ROUTES);
	}
	c->kind = CALL_ENABLE_CAP;
	c->cmd = KVM_ENABLE_CAP;
	memset(&c->u.cap, 0, sizeof(c->u.cap));
	c->u.cap.cap = how == 3 ? KVM_CAP_X2APIC_API : KVM_CAP_SPLIT_IRQCHIP;
	c->u.cap.args[0] = how == 1 ? 24 : how == 2 ? get_num(pr) : get_u8(pr);
	return true;
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
		return chip(pr, arg >> 2, c);
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

		if (program_edit(pr, b & 15, b >> 4) || !make_call(pr, b & 15, b >> 4, c))
			continue;
		c->fail_nth = pr->fail_nth;
		pr->fail_nth = 0;
		pr->calls++;
		return true;
	}
	return false;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "expect.h"
#include "expect_table.h"

/* Nothing of a small argument can be read. */
static bool unreadable(const struct call *c)
{
	return c->pointer != POINTER_GOOD && c->pointer != POINTER_READONLY;
}

static long set_routing(struct expect *ex, const struct expect_vm *vm, const struct call *c,
			const struct kvm_irq_routing *t)
{
	/* POINTER_CUT ends behind the head: a table without entries is whole. */
	if (unreadable(c) && c->pointer != POINTER_CUT)
		return -EFAULT;
	if (vm->mode == MODE_NONE || t->nr > PORT_MAX_GSI || t->flags)
		return -EINVAL;
	if (c->pointer == POINTER_CUT && t->nr)
		return -EFAULT;

	return expect_table_set(ex->next, t->entries, t->nr, vm->mode, vm->x2apic_format) ? 0
											  : -EINVAL;
}

static long enable_cap(const struct expect_vm *vm, const struct call *c)
{
	const struct kvm_enable_cap *cap = &c->u.cap;

	if (unreadable(c))
		return -EFAULT;
	if (cap->flags)
		return -EINVAL;
	switch (cap->cap) {
	case KVM_CAP_SPLIT_IRQCHIP:
		if (cap->args[0] > PORT_MAX_GSI)
			return -EINVAL;
		return vm->mode != MODE_NONE || vm->nr_vcpus ? -EEXIST : 0;
	case KVM_CAP_X2APIC_API:
		return cap->args[0] & ~3ULL ? -EINVAL : 0;
	}
	return -EINVAL;
}

static long create_vcpu(const struct expect *ex, const struct expect_vm *vm, unsigned long id)
{
	unsigned int i;

	if (id >= ex->max_vcpu_ids)
		return -EINVAL;
	for (i = 0; i < vm->nr_vcpus; i++)
		if (vm->ids[i] == id)
			return -EEXIST;
	return expect_lowest_free(ex);
}

static long create_irqchip(struct expect *ex, const struct expect_vm *vm)
{
	if (vm->mode != MODE_NONE)
		return -EEXIST;
	if (vm->nr_vcpus)
		return -EINVAL;
	expect_table_pc(ex->next);
	return 0;
}

static long irq_line(const struct expect_vm *vm, const struct call *c)
{
	if (unreadable(c))
		return -EFAULT;
	if (vm->mode == MODE_NONE)
		return -ENXIO;
	return c->pointer == POINTER_READONLY && c->cmd == KVM_IRQ_LINE_STATUS ? -EFAULT : 0;
}

long expect_result(struct expect *ex, const struct call *c, const struct kvm_irq_routing *table)
{
	const struct expect_vm *vm = c->target == TARGET_VM ? &ex->vms[c->slot] : NULL;

	switch (c->kind) {
	case CALL_CREATE_VM:
		if (c->u.number)
			return -EINVAL;
		expect_table_clear(ex->next);
		return expect_lowest_free(ex);
	case CALL_CLOSE_VM:
	case CALL_CLOSE_VCPU:
		return 0;
	case CALL_CREATE_IRQCHIP:
		return create_irqchip(ex, vm);
	case CALL_ENABLE_CAP:
		return enable_cap(vm, c);
	case CALL_CREATE_VCPU:
		return create_vcpu(ex, vm, c->u.number);
	case CALL_SET_ROUTING:
		return set_routing(ex, vm, c, table);
	case CALL_IRQ_LINE:
		return irq_line(vm, c);
	case CALL_SIGNAL_MSI:
		return unreadable(c) ? -EFAULT : EXPECT_ANY;
	case CALL_CHECK_EXTENSION:
		return EXPECT_ANY;
	case CALL_RAW:
		return c->target == TARGET_CLOSED ? -EBADF : EXPECT_ANY;
	}
	return EXPECT_ANY;
}

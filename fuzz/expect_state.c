// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is open and in which state, as calls go by: no answers here, so nothing that coverage
 * counts.
 */
#include "expect.h"
#include "expect_table.h"

#define SYSTEM_FD 0

static struct expect_table tables[PROGRAM_VMS + 1];

void expect_init(struct expect *ex, unsigned long max_vcpu_ids)
{
	int i;

	ex->max_vcpu_ids = max_vcpu_ids;
	ex->fds = 1ULL << SYSTEM_FD;
	for (i = 0; i < PROGRAM_VMS; i++)
		ex->vms[i] = (struct expect_vm){ .fd = -1, .table = &tables[i] };
	for (i = 0; i < PROGRAM_VCPUS; i++)
		ex->vcpu_fds[i] = -1;
	ex->next = &tables[PROGRAM_VMS];
}

static int free_vcpu_slot(const struct expect *ex)
{
	int i;

	for (i = 0; i < PROGRAM_VCPUS; i++)
		if (ex->vcpu_fds[i] < 0)
			return i;
	return -1;
}

int expect_fd(const struct expect *ex, const struct call *c)
{
	if (c->kind == CALL_CREATE_VM && ex->vms[c->slot].fd >= 0)
		return -1;
	/* A VM may have more vCPUs than are open: those that are closed still exist. */
	if (c->kind == CALL_CREATE_VCPU &&
	    (free_vcpu_slot(ex) < 0 || ex->vms[c->slot].nr_vcpus == PROGRAM_VCPUS))
		return -1;

	switch (c->target) {
	case TARGET_SYSTEM:
		return SYSTEM_FD;
	case TARGET_VM:
		return ex->vms[c->slot].fd;
	case TARGET_VCPU:
		return ex->vcpu_fds[c->slot];
	case TARGET_CLOSED:
		return expect_lowest_free(ex);
	}
	return -1;
}

bool expect_changes_table(const struct call *c)
{
	return c->kind == CALL_SET_ROUTING || c->kind == CALL_CREATE_IRQCHIP ||
	       c->kind == CALL_CREATE_VM;
}

static void take_next(struct expect *ex, struct expect_vm *vm)
{
	struct expect_table *was = vm->table;

	vm->table = ex->next;
	ex->next = was;
}

static void close_fd(struct expect *ex, int *fd)
{
	ex->fds &= ~(1ULL << *fd);
	*fd = -1;
}

static void enabled(struct expect_vm *vm, const struct kvm_enable_cap *cap)
{
	if (cap->cap == KVM_CAP_SPLIT_IRQCHIP)
		vm->mode = MODE_SPLIT;
	else if (cap->args[0] & KVM_X2APIC_API_USE_32BIT_IDS)
		vm->x2apic_format = true;
}

static void new_vm(struct expect *ex, struct expect_vm *vm, int fd)
{
	*vm = (struct expect_vm){ .fd = fd, .table = vm->table };
	ex->fds |= 1ULL << fd;
}

static void new_vcpu(struct expect *ex, struct expect_vm *vm, unsigned long id, int fd)
{
	vm->ids[vm->nr_vcpus++] = id;
	ex->vcpu_fds[free_vcpu_slot(ex)] = fd;
	ex->fds |= 1ULL << fd;
}

void expect_done(struct expect *ex, const struct call *c, long result)
{
	struct expect_vm *vm = &ex->vms[c->slot % PROGRAM_VMS];

	if (result < 0)
		return;
	switch (c->kind) {
	case CALL_CREATE_VM:
		new_vm(ex, vm, result);
		break;
	case CALL_CLOSE_VM:
		close_fd(ex, &vm->fd);
		break;
	case CALL_CLOSE_VCPU:
		close_fd(ex, &ex->vcpu_fds[c->slot]);
		break;
	case CALL_CREATE_IRQCHIP:
		vm->mode = MODE_KERNEL;
		break;
	case CALL_ENABLE_CAP:
		enabled(vm, &c->u.cap);
		break;
	case CALL_CREATE_VCPU:
		new_vcpu(ex, vm, c->u.number, result);
		break;
	default:
		break;
	}
	if (expect_changes_table(c))
		take_next(ex, vm);
}

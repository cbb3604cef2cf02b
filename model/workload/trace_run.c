// SPDX-License-Identifier: GPL-2.0-only
/*
 * One execution of a trace with actors. Tasks change inside of port_ops only, so what is kept here
 * needs no lock; set-up clears it, since an execution may have been given up anywhere.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sim/fault.h>

#include "replay.h"
#include "trace_parts.h"

enum { LAST_OF_SETUP = TRACE_MAX_ACTORS, LAST_OF_END, NR_LAST };

struct vm {
	bool made, open;
	int fd;
	int vcpus[TRACE_PROGRAM_CPUS], nr_vcpus;
	const struct trace_table *last[NR_LAST]; /* that each part set, with success */
};

static struct {
	const struct port_ops *ops;
	int kvm;
	struct vm vms[TRACE_PROGRAM_VMS];
	uint64_t state;
} run;

static void close_vm(struct vm *vm)
{
	struct vm was = *vm;
	int i;

	if (!vm->open)
		return;
	vm->open = false;
	vm->nr_vcpus = 0;
	for (i = 0; i < was.nr_vcpus; i++)
		run.ops->close(was.vcpus[i]);
	run.ops->close(was.fd);
}

static long create_vm(const struct trace_rec *rec)
{
	struct vm *vm = &run.vms[rec->u.create_vm.vm];
	long fd = run.ops->ioctl(run.kvm, KVM_CREATE_VM, rec->u.create_vm.type);

	if (fd < 0)
		return fd;
	if (rec->ret < 0 || vm->open) {
		run.ops->close(fd);
		return 0;
	}
	memset(vm, 0, sizeof(*vm));
	vm->made = vm->open = true;
	vm->fd = fd;
	return 0;
}

static long create_vcpu(const struct trace_rec *rec, struct vm *vm)
{
	long fd = run.ops->ioctl(vm->fd, KVM_CREATE_VCPU, rec->u.vcpu_id);

	if (fd < 0)
		return fd;
	if (vm->open && vm->nr_vcpus < TRACE_PROGRAM_CPUS)
		vm->vcpus[vm->nr_vcpus++] = fd;
	else
		run.ops->close(fd);
	return 0;
}

static long set_routing(const struct trace_rec *rec, struct vm *vm, int part)
{
	long ret = run.ops->ioctl(vm->fd, KVM_SET_GSI_ROUTING, (unsigned long)rec->u.table->arg);

	if (!ret)
		vm->last[part] = rec->u.table;
	return ret;
}

static long irq_line(const struct trace_rec *rec, int fd)
{
	struct kvm_irq_level line = rec->u.irq_line.line;

	return run.ops->ioctl(fd, rec->u.irq_line.with_status ? KVM_IRQ_LINE_STATUS : KVM_IRQ_LINE,
			      (unsigned long)&line);
}

/* A refused call is what fail-nth asked for. */
static void compare(const struct trace_rec *rec, long got)
{
	long expected = rec->ret < 0 ? -rec->err : rec->ret;
	char text[160];

	if (rec->any_answer || got == expected || (got == -ENOMEM && sim_fail_nth_hit()))
		return;
	snprintf(text, sizeof(text), "%s answered %ld, expected %ld",
		 trace_parts.trace->names[rec->name].name, got, expected);
	det_check_failed(trace_parts.trace->path, rec->line, text);
}

static void send(const struct trace_rec *rec, int part)
{
	struct vm *vm = rec->vm < 0 ? NULL : &run.vms[rec->vm];
	int fd = vm ? vm->fd : run.kvm;

	switch (rec->kind) {
	case TRACE_CREATE_VM:
		compare(rec, create_vm(rec));
		break;
	case TRACE_CREATE_VCPU:
		compare(rec, create_vcpu(rec, vm));
		break;
	case TRACE_CHECK_EXTENSION:
		run.ops->ioctl(fd, KVM_CHECK_EXTENSION, rec->u.extension);
		break;
	case TRACE_CREATE_IRQCHIP:
		compare(rec, run.ops->ioctl(fd, KVM_CREATE_IRQCHIP, 0));
		break;
	case TRACE_ENABLE_CAP:
		compare(rec, run.ops->ioctl(fd, KVM_ENABLE_CAP, (unsigned long)&rec->u.cap));
		break;
	case TRACE_SET_GSI_ROUTING:
		compare(rec, set_routing(rec, vm, part));
		break;
	case TRACE_SIGNAL_MSI:
		run.ops->ioctl(fd, KVM_SIGNAL_MSI, (unsigned long)&rec->u.msi);
		break;
	case TRACE_IRQ_LINE:
		irq_line(rec, fd);
		break;
	case TRACE_CLOSE_VM:
		close_vm(vm);
		break;
	default:
		break;
	}
}

static void send_part(size_t from, size_t to, int part)
{
	size_t i;

	for (i = from; i < to; i++)
		if (replay_sends(&trace_parts.trace->recs[i]))
			send(&trace_parts.trace->recs[i], part);
}

static void setup(void)
{
	int i;

	memset(&run, 0, sizeof(run));
	run.ops = trace_running_ops();
	for (i = 0; i < TRACE_PROGRAM_VMS; i++)
		run.vms[i].fd = -1;
	run.kvm = run.ops->open_kvm();
	send_part(0, trace_parts.begin, LAST_OF_SETUP);
}

static void actor(unsigned int n)
{
	const char *name = trace_parts.actors[n].name;
	size_t i;

	for (i = trace_parts.begin; i < trace_parts.end; i++)
		if (!strcmp(trace_parts.trace->recs[i].actor, name))
			send(&trace_parts.trace->recs[i], (int)n);
}

/* What decides a table's content in a VM: its set-up once more, then the table. */
static int digest_of(int v, const struct trace_table *table, uint64_t *digest)
{
	const struct trace *t = trace_parts.trace;
	int fd = run.ops->ioctl(run.kvm, KVM_CREATE_VM, 0), err;
	size_t i;

	if (fd < 0)
		return fd;
	for (i = 0; i < trace_parts.begin; i++) {
		if (t->recs[i].vm != v || !replay_sends(&t->recs[i]))
			continue;
		if (t->recs[i].kind == TRACE_CREATE_IRQCHIP)
			run.ops->ioctl(fd, KVM_CREATE_IRQCHIP, 0);
		else if (t->recs[i].kind == TRACE_ENABLE_CAP)
			run.ops->ioctl(fd, KVM_ENABLE_CAP, (unsigned long)&t->recs[i].u.cap);
	}
	err = run.ops->ioctl(fd, KVM_SET_GSI_ROUTING, (unsigned long)table->arg);
	if (!err)
		err = run.ops->routing_digest(fd, digest);
	run.ops->close(fd);
	return err;
}

/*
 * The table at the end is that of somebody's last update: each part's last one that succeeded may
 * be it, and where the last part or nobody else made one, it is known.
 */
static bool holds_one(int v, uint64_t got)
{
	const struct trace_table *const *last = run.vms[v].last;
	uint64_t digest;
	bool any = false;
	int i;

	if (last[LAST_OF_END])
		return digest_of(v, last[LAST_OF_END], &digest) || digest == got;
	for (i = 0; i < TRACE_MAX_ACTORS; i++) {
		if (!last[i])
			continue;
		any = true;
		if (digest_of(v, last[i], &digest) || digest == got)
			return true;
	}
	if (any || !last[LAST_OF_SETUP])
		return !any;
	return digest_of(v, last[LAST_OF_SETUP], &digest) || digest == got;
}

static void check_vm(int v)
{
	char text[128];
	uint64_t got;

	if (!run.vms[v].open || run.ops->routing_digest(run.vms[v].fd, &got))
		return;
	run.state = run.state * 31 + got;
	if (trace_parts.vm_by[v] != TRACE_BY_SETUP || holds_one(v, got))
		return;
	snprintf(text, sizeof(text), "vm%d ends with a table that nobody set last", v);
	det_check_failed(trace_parts.trace->path, trace_parts.trace->recs[trace_parts.end - 1].line,
			 text);
}

static void final(void)
{
	int i;

	send_part(trace_parts.end, trace_parts.trace->nr_recs, LAST_OF_END);
	for (i = 0; i < TRACE_PROGRAM_VMS; i++)
		check_vm(i);
	for (i = 0; i < TRACE_PROGRAM_VMS; i++)
		close_vm(&run.vms[i]);
	run.ops->close(run.kvm);
	det_check_leaks();
}

static uint64_t state(void)
{
	return run.state;
}

const struct det_program trace_program_template = {
	.setup = setup, .actor = actor, .final = final, .state = state
};

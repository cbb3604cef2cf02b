// SPDX-License-Identifier: GPL-2.0-only
#include "replay.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "where.h"

struct replay_vm {
	int fd; /* -1: not open */
	int *vcpus;
	size_t nr_vcpus, room;
};

struct replay {
	const struct trace *trace;
	struct backend *b;
	struct replay_result *result;
	const struct replay_hooks *hooks;
	struct where w;
	int kvm;
	struct replay_vm *vms; /* TRACE_MAX_VMS */
};

/*
 * Capabilities that decide what a routing table or an MSI may hold: the IOAPIC's GSIs are the VMM's
 * (Documentation/virt/kvm/api.rst, 7.5), and the upper half of an MSI's address is an APIC id
 * (7.7).
 */
static bool cap_of_routing(uint32_t cap)
{
	return cap == KVM_CAP_SPLIT_IRQCHIP || cap == KVM_CAP_X2APIC_API;
}

bool replay_sends(const struct trace_rec *rec)
{
	switch (rec->kind) {
	case TRACE_IRQFD:
	case TRACE_IOEVENTFD:
	case TRACE_OTHER:
	case TRACE_UNKNOWN:
		return false;
	case TRACE_ENABLE_CAP:
		return rec->vm >= 0 && rec->vcpu < 0 && cap_of_routing(rec->u.cap.cap);
	default:
		return rec->vcpu < 0;
	}
}

static void compare(struct replay *r, const struct trace_rec *rec, long got)
{
	struct replay_result *res = r->result;
	long expected = rec->ret < 0 ? -rec->err : rec->ret;

	if (got == expected)
		return;
	if (res->mismatches < REPLAY_FIRST_MISMATCHES)
		res->first[res->mismatches] = (struct replay_mismatch){
			.line = rec->line, .name = rec->name, .expected = expected, .got = got
		};
	res->mismatches++;
}

static void close_vm(struct replay *r, struct replay_vm *vm)
{
	size_t i;

	if (vm->fd < 0)
		return;
	for (i = 0; i < vm->nr_vcpus; i++)
		r->b->close(r->b, vm->vcpus[i]);
	r->b->close(r->b, vm->fd);
	free(vm->vcpus);
	*vm = (struct replay_vm){ .fd = -1 };
}

static int create_vm(struct replay *r, const struct trace_rec *rec)
{
	long fd = r->b->ioctl(r->b, r->kvm, KVM_CREATE_VM, rec->u.create_vm.type);
	struct replay_vm *vm = &r->vms[rec->u.create_vm.vm];

	compare(r, rec, fd < 0 ? fd : 0);
	if (rec->ret < 0) {
		if (fd >= 0)
			r->b->close(r->b, fd);
		return 0;
	}
	if (fd < 0)
		return where_fail(&r->w,
				  "expected KVM_CREATE_VM to make a VM as recorded, found: %s",
				  strerror(-fd));
	if (vm->fd >= 0) {
		r->b->close(r->b, fd);
		return where_fail(&r->w, "expected a new VM, found the open vm%u",
				  rec->u.create_vm.vm);
	}
	vm->fd = fd;
	return 0;
}

static int create_vcpu(struct replay *r, const struct trace_rec *rec)
{
	struct replay_vm *vm = &r->vms[rec->vm];
	long fd;

	/* Room first: a descriptor must not be lost. */
	if (vm->nr_vcpus == vm->room) {
		size_t room = vm->room ? vm->room * 2 : 8;
		int *bigger = reallocarray(vm->vcpus, room, sizeof(*bigger));

		if (!bigger)
			return where_fail(&r->w, "expected memory for a vCPU, found none left");
		vm->vcpus = bigger;
		vm->room = room;
	}
	fd = r->b->ioctl(r->b, vm->fd, KVM_CREATE_VCPU, rec->u.vcpu_id);
	compare(r, rec, fd < 0 ? fd : 0);
	if (fd >= 0)
		vm->vcpus[vm->nr_vcpus++] = fd;
	return 0;
}

static int update(struct replay *r, const struct trace_rec *rec)
{
	const struct replay_hooks *h = r->hooks;
	int fd = r->vms[rec->vm].fd;
	long ret;

	if (h && h->before_update) {
		r->result->stopped = h->before_update(h->arg, fd, rec);
		if (r->result->stopped)
			return 0;
	}
	ret = r->b->ioctl(r->b, fd, KVM_SET_GSI_ROUTING, (unsigned long)rec->u.table->arg);
	r->result->updates += !ret;
	compare(r, rec, ret);
	if (h && h->after_update)
		r->result->stopped = h->after_update(h->arg, fd, rec, ret);
	return 0;
}

/* A line's change: the kernel writes to a copy, so that the trace stays as it is. */
static void irq_line(struct replay *r, const struct trace_rec *rec)
{
	struct kvm_irq_level line = rec->u.irq_line.line;

	r->b->ioctl(r->b, r->vms[rec->vm].fd,
		    rec->u.irq_line.with_status ? KVM_IRQ_LINE_STATUS : KVM_IRQ_LINE,
		    (unsigned long)&line);
}

static int send(struct replay *r, const struct trace_rec *rec)
{
	int fd = rec->vm < 0 ? r->kvm : r->vms[rec->vm].fd;
	struct backend *b = r->b;

	switch (rec->kind) {
	case TRACE_CREATE_VM:
		return create_vm(r, rec);
	case TRACE_CHECK_EXTENSION:
		b->ioctl(b, fd, KVM_CHECK_EXTENSION, rec->u.extension);
		return 0;
	case TRACE_CREATE_IRQCHIP:
		compare(r, rec, b->ioctl(b, fd, KVM_CREATE_IRQCHIP, 0));
		return 0;
	case TRACE_ENABLE_CAP:
		compare(r, rec, b->ioctl(b, fd, KVM_ENABLE_CAP, (unsigned long)&rec->u.cap));
		return 0;
	case TRACE_CREATE_VCPU:
		return create_vcpu(r, rec);
	case TRACE_SET_GSI_ROUTING:
		return update(r, rec);
	case TRACE_SIGNAL_MSI:
		b->ioctl(b, fd, KVM_SIGNAL_MSI, (unsigned long)&rec->u.msi);
		return 0;
	case TRACE_IRQ_LINE:
		irq_line(r, rec);
		return 0;
	case TRACE_CLOSE_VM:
		close_vm(r, &r->vms[rec->vm]);
		return 0;
	default:
		return 0;
	}
}

static int run_records(struct replay *r)
{
	struct replay_result *res = r->result;
	const struct trace_rec *rec;
	size_t i;
	int rc;

	for (i = 0; i < r->trace->nr_recs; i++) {
		rec = &r->trace->recs[i];
		r->w.line = rec->line;
		if (!replay_sends(rec)) {
			res->kinds[rec->kind].not_sent++;
			res->names[rec->name].not_sent++;
			continue;
		}
		if (rec->vm >= 0 && r->vms[rec->vm].fd < 0)
			return where_fail(&r->w, "expected %s on an open VM, found vm%d closed",
					  r->trace->names[rec->name].name, rec->vm);
		rc = send(r, rec);
		if (rc || res->stopped)
			return rc;
		res->kinds[rec->kind].sent++;
		res->names[rec->name].sent++;
	}
	return 0;
}

static int run_open(struct replay *r)
{
	int i, rc;

	r->kvm = r->b->open_kvm(r->b);
	if (r->kvm < 0)
		return where_fail(&r->w, "expected the KVM of %s to open, found: %s", r->b->name,
				  strerror(-r->kvm));
	for (i = 0; i < TRACE_MAX_VMS; i++)
		r->vms[i].fd = -1;
	rc = run_records(r);
	for (i = 0; i < TRACE_MAX_VMS; i++)
		close_vm(r, &r->vms[i]);
	r->b->close(r->b, r->kvm);
	return rc;
}

int replay_run(const struct trace *trace, struct backend *b, struct replay_result *result,
	       const struct replay_hooks *hooks)
{
	struct replay r = { .trace = trace, .b = b, .result = result, .hooks = hooks };
	int rc;

	memset(result, 0, sizeof(*result));
	r.w = (struct where){
		.path = trace->path, .line = 1, .err = result->err, .err_size = sizeof(result->err)
	};
	result->names = calloc(trace->nr_names + 1, sizeof(*result->names));
	r.vms = calloc(TRACE_MAX_VMS, sizeof(*r.vms));
	if (result->names && r.vms)
		rc = run_open(&r);
	else
		rc = where_fail(&r.w, "expected memory for a run, found none left");
	free(r.vms);
	return rc;
}

void replay_result_free(struct replay_result *result)
{
	free(result->names);
	result->names = NULL;
}

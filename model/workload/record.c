// SPDX-License-Identifier: GPL-2.0-only
#include "record.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "fields.h"

#define MAX_ERRNO 4095 /* the kernel's ERR_PTR() range */

struct known_name {
	const char *name;
	enum trace_kind kind;
};

/* Sorted by strcmp(). Of KVM_GET_* and KVM_SET_* those that recordings hold or their format names.
 */
static const struct known_name known_ioctls[] = {
	{ "KVM_CHECK_EXTENSION", TRACE_CHECK_EXTENSION },
	{ "KVM_CREATE_IRQCHIP", TRACE_CREATE_IRQCHIP },
	{ "KVM_CREATE_PIT2", TRACE_OTHER },
	{ "KVM_CREATE_VCPU", TRACE_CREATE_VCPU },
	{ "KVM_CREATE_VM", TRACE_CREATE_VM },
	{ "KVM_ENABLE_CAP", TRACE_ENABLE_CAP },
	{ "KVM_GET_CLOCK", TRACE_OTHER },
	{ "KVM_GET_IRQCHIP", TRACE_OTHER },
	{ "KVM_GET_PIT2", TRACE_OTHER },
	{ "KVM_INTERRUPT", TRACE_OTHER },
	{ "KVM_IOEVENTFD", TRACE_IOEVENTFD },
	{ "KVM_IRQFD", TRACE_IRQFD },
	{ "KVM_IRQ_LINE", TRACE_IRQ_LINE },
	{ "KVM_IRQ_LINE_STATUS", TRACE_IRQ_LINE },
	{ "KVM_REGISTER_COALESCED_MMIO", TRACE_OTHER },
	{ "KVM_SET_CLOCK", TRACE_OTHER },
	{ "KVM_SET_GSI_ROUTING", TRACE_SET_GSI_ROUTING },
	{ "KVM_SET_IDENTITY_MAP_ADDR", TRACE_OTHER },
	{ "KVM_SET_IRQCHIP", TRACE_OTHER },
	{ "KVM_SET_LAPIC", TRACE_OTHER },
	{ "KVM_SET_MP_STATE", TRACE_OTHER },
	{ "KVM_SET_PIT2", TRACE_OTHER },
	{ "KVM_SET_TSS_ADDR", TRACE_OTHER },
	{ "KVM_SET_USER_MEMORY_REGION", TRACE_OTHER },
	{ "KVM_SIGNAL_MSI", TRACE_SIGNAL_MSI },
	{ "KVM_UNREGISTER_COALESCED_MMIO", TRACE_OTHER },
	{ "KVM_X86_SET_MSR_FILTER", TRACE_OTHER },
};

static const struct known_name known_events[] = {
	{ "CLOSE_IRQFD", TRACE_OTHER },	    { "CLOSE_VM", TRACE_CLOSE_VM },
	{ "EXIT_IOAPIC_EOI", TRACE_OTHER }, { "IRQFD_WRITE", TRACE_OTHER },
	{ "SUMMARY", TRACE_OTHER },
};

static int compare_names(const void *key, const void *known)
{
	return strcmp(key, ((const struct known_name *)known)->name);
}

static enum trace_kind kind_of(const char *name, const struct known_name *known, size_t nr)
{
	const struct known_name *found;

	found = bsearch(name, known, nr, sizeof(*known), compare_names);
	return found ? found->kind : TRACE_UNKNOWN;
}

static int read_name(const struct where *w, struct trace *t, const json_t *root,
		     struct trace_rec *rec, bool *is_ioctl)
{
	bool is_event = json_object_get(root, "event");
	const char *name;
	int index;

	*is_ioctl = json_object_get(root, "ioctl");
	if (*is_ioctl == is_event)
		return where_fail(w, "expected either \"ioctl\" or \"event\", found %s",
				  is_event ? "both" : "none");
	if (field_name(w, root, is_event ? "event" : "ioctl", &name))
		return -1;
	if (is_event)
		rec->kind =
			kind_of(name, known_events, sizeof(known_events) / sizeof(known_events[0]));
	else
		rec->kind =
			kind_of(name, known_ioctls, sizeof(known_ioctls) / sizeof(known_ioctls[0]));
	index = trace_name(t, name, rec->kind);
	if (index == -1)
		return where_fail(w, "expected memory for a name, found none left");
	if (index < 0)
		return where_fail(w, "expected at most %d different names, found more",
				  TRACE_MAX_NAMES);
	rec->name = index;
	rec->u.irq_line.with_status = !strcmp(name, "KVM_IRQ_LINE_STATUS");
	return 0;
}

/* "kvm", "vmN" or "vmN.vcpuI", of something that is open. */
static int read_on(const struct where *w, const struct trace *t, const json_t *root,
		   struct trace_rec *rec)
{
	const json_t *on = json_object_get(root, "on");
	const char *text = json_string_value(on), *behind;
	uint32_t vm, vcpu;
	char buf[WHERE_QUOTE];

	if (text && !strcmp(text, "kvm"))
		return 0;
	behind = text ? parse_numbered(text, "vm", TRACE_MAX_VMS - 1, &vm) : NULL;
	if (behind && *behind) {
		behind = parse_numbered(behind, ".vcpu", TRACE_MAX_VCPU_ID - 1, &vcpu);
		rec->vcpu = vcpu;
	}
	if (!behind || *behind)
		return where_fail(w,
				  "expected \"on\" to be \"kvm\", \"vmN\" or \"vmN.vcpuI\" with N "
				  "below %d and I below %d, found %s",
				  TRACE_MAX_VMS, TRACE_MAX_VCPU_ID, field_found(buf, on));
	rec->vm = vm;
	if (!trace_has_vm(t, vm))
		return where_fail(w, "expected \"on\" to name an open VM, found vm%u", vm);
	if (rec->vcpu >= 0 && !trace_has_vcpu(t, vm, vcpu))
		return where_fail(w, "expected \"on\" to name a vCPU of vm%u, found vcpu%u", vm,
				  vcpu);
	return 0;
}

static int read_answer(const struct where *w, const json_t *root, struct trace_rec *rec)
{
	int64_t err;

	/* Among others, an actor may get more than one right answer. */
	if (rec->actor && !json_object_get(root, "ret") && !json_object_get(root, "errno")) {
		rec->any_answer = true;
		return 0;
	}
	if (field_int(w, root, "ret", -1, INT32_MAX, &rec->ret))
		return -1;
	if (field_int(w, root, "errno", rec->ret < 0, rec->ret < 0 ? MAX_ERRNO : 0, &err))
		return -1;
	rec->err = err;
	return 0;
}

static int read_vm_record(const struct where *w, const struct trace *t, const json_t *root,
			  struct trace_rec *rec)
{
	int64_t type;

	if (field_int(w, root, "type", 0, INT64_MAX, &type))
		return -1;
	rec->u.create_vm.type = type;
	rec->u.create_vm.vm = 0;
	if (rec->ret < 0)
		return 0;
	if (field_numbered(w, root, "vm", "vm", TRACE_MAX_VMS - 1, &rec->u.create_vm.vm))
		return -1;
	if (trace_has_vm(t, rec->u.create_vm.vm))
		return where_fail(w, "expected \"vm\" to be a new VM, found the open vm%u",
				  rec->u.create_vm.vm);
	return 0;
}

static int read_vcpu_record(const struct where *w, const struct trace *t, const json_t *root,
			    struct trace_rec *rec)
{
	int64_t id;

	/* A made vCPU has an id within the kernel's limit; the id of a refused one may be any. */
	if (field_int(w, root, "id", 0, rec->ret < 0 ? UINT32_MAX : TRACE_MAX_VCPU_ID - 1, &id))
		return -1;
	rec->u.vcpu_id = id;
	if (!rec->ret && trace_has_vcpu(t, rec->vm, id))
		return where_fail(w, "expected \"id\" to be a new vCPU, found the made vcpu%d",
				  (int)id);
	return 0;
}

static int read_cap(const struct where *w, const json_t *root, struct kvm_enable_cap *cap)
{
	const size_t most = sizeof(cap->args) / sizeof(cap->args[0]);
	const json_t *args = json_object_get(root, "args");
	char buf[WHERE_QUOTE];
	size_t i;

	if (field_u32(w, root, "cap", &cap->cap) || field_u32(w, root, "cap_flags", &cap->flags))
		return -1;
	if (!json_is_array(args) || json_array_size(args) > most)
		return where_fail(w, "expected \"args\" to be an array of at most %zu, found %s",
				  most, json_is_array(args) ? "more" : field_found(buf, args));
	for (i = 0; i < json_array_size(args); i++) {
		const json_t *arg = json_array_get(args, i);

		if (!json_is_integer(arg) || json_integer_value(arg) < 0)
			return where_fail(w, "expected \"args\" to hold integers from 0, found %s",
					  field_found(buf, arg));
		cap->args[i] = json_integer_value(arg);
	}
	return 0;
}

static int read_msi(const struct where *w, const json_t *root, struct kvm_msi *msi)
{
	if (field_u32(w, root, "lo", &msi->address_lo) ||
	    field_u32(w, root, "hi", &msi->address_hi) || field_u32(w, root, "data", &msi->data))
		return -1;
	if (field_u32(w, root, "flags", &msi->flags) || field_u32(w, root, "devid", &msi->devid))
		return -1;
	return 0;
}

static int read_line_record(const struct where *w, const json_t *root, struct trace_rec *rec)
{
	int64_t status = 0;

	if (field_u32(w, root, "gsi", &rec->u.irq_line.line.irq) ||
	    field_u32(w, root, "level", &rec->u.irq_line.line.level))
		return -1;
	if (rec->u.irq_line.with_status &&
	    field_int(w, root, "status", INT32_MIN, INT32_MAX, &status))
		return -1;
	rec->u.irq_line.status = status;
	return 0;
}

static int read_irqfd(const struct where *w, const json_t *root, struct trace_rec *rec)
{
	uint32_t resample;

	rec->u.irqfd.resample_id = -1;
	if (field_numbered(w, root, "fd", "e", INT32_MAX, &rec->u.irqfd.fd_id) ||
	    field_u32(w, root, "gsi", &rec->u.irqfd.gsi) ||
	    field_u32(w, root, "flags", &rec->u.irqfd.flags))
		return -1;
	if (!(rec->u.irqfd.flags & KVM_IRQFD_FLAG_RESAMPLE))
		return 0;
	if (field_numbered(w, root, "resamplefd", "e", INT32_MAX, &resample))
		return -1;
	rec->u.irqfd.resample_id = resample;
	return 0;
}

/* Which descriptors a call is for: the kernel answers ENOTTY on any other. */
static int check_on(const struct where *w, const struct trace_rec *rec)
{
	switch (rec->kind) {
	case TRACE_CREATE_VM:
		return rec->vm < 0 ? 0 : where_fail(w, "expected \"on\" to be \"kvm\", found a VM");
	case TRACE_CHECK_EXTENSION:
	case TRACE_ENABLE_CAP:
	case TRACE_OTHER:
	case TRACE_UNKNOWN:
		return 0;
	default:
		if (rec->vm >= 0 && rec->vcpu < 0)
			return 0;
		return where_fail(w, "expected \"on\" to be \"vmN\", found %s",
				  rec->vm < 0 ? "kvm" : "a vCPU");
	}
}

static int read_arguments(const struct where *w, const struct trace *t, const json_t *root,
			  struct trace_rec *rec)
{
	switch (rec->kind) {
	case TRACE_CREATE_VM:
		return read_vm_record(w, t, root, rec);
	case TRACE_CHECK_EXTENSION:
		return field_u32(w, root, "cap", &rec->u.extension);
	case TRACE_ENABLE_CAP:
		return read_cap(w, root, &rec->u.cap);
	case TRACE_CREATE_VCPU:
		return read_vcpu_record(w, t, root, rec);
	case TRACE_SIGNAL_MSI:
		return read_msi(w, root, &rec->u.msi);
	case TRACE_IRQ_LINE:
		return read_line_record(w, root, rec);
	case TRACE_IRQFD:
		return read_irqfd(w, root, rec);
	default:
		return 0;
	}
}

static int read_actor(const struct where *w, struct trace *t, const json_t *root,
		      struct trace_rec *rec)
{
	const char *actor;
	int64_t cpu = -1;

	rec->cpu = -1;
	if (!json_object_get(root, "actor"))
		return 0;
	if (json_object_get(root, "cpu") && field_int(w, root, "cpu", 0, TRACE_MAX_CPUS - 1, &cpu))
		return -1;
	rec->cpu = cpu;
	if (field_name(w, root, "actor", &actor))
		return -1;
	rec->actor = trace_actor(t, actor);
	return rec->actor ? 0 : where_fail(w, "expected memory for an actor, found none left");
}

int record_read(const struct where *w, struct trace *t, const json_t *root, struct trace_rec *rec)
{
	bool is_ioctl;

	rec->vm = -1;
	rec->vcpu = -1;
	if (read_name(w, t, root, rec, &is_ioctl) || field_us(w, root, "t_us", &rec->t_us) ||
	    field_us(w, root, "dur_us", &rec->dur_us) || read_actor(w, t, root, rec))
		return -1;
	/* An event has no answer, and names a VM only where it has one. */
	if (is_ioctl && read_answer(w, root, rec))
		return -1;
	if ((is_ioctl || json_object_get(root, "on")) && read_on(w, t, root, rec))
		return -1;
	if (check_on(w, rec) || read_arguments(w, t, root, rec))
		return -1;
	return 0;
}

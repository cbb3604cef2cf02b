// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls of a step. What the kernel reads lies right before a page that nobody may touch, so
 * that a KVM which reads past what it was given answers EFAULT instead of what happens to be there.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case_step.h"

#define NO_SUCH_FD 999999 /* above what this process opens */
#define APIC_TMR   0x180  /* trigger mode and request registers, 8 of 32 bits each 0x10 apart */
#define APIC_IRR   0x200  /* (Intel SDM vol. 3, table 11-1) */

struct user_buffer {
	char *map, *at;
	size_t map_size;
};

/*
 * @size bytes that end at the last mapped byte, then a guard page; with @hole the page after the
 * first @keep bytes is unmapped altogether, whatever was to follow.
 */
static bool user_buffer_make(struct user_buffer *u, size_t size, bool hole, size_t keep)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t inside = hole ? keep : size;
	size_t body = (inside + page - 1) / page * page;

	if (!body)
		body = page;
	u->map_size = body + page;
	u->map =
		mmap(NULL, u->map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (u->map == MAP_FAILED)
		return false;
	u->at = u->map + body - inside;
	if (hole) {
		munmap(u->map + body, page);
		u->map_size = body;
	} else {
		mprotect(u->map + body, page, PROT_NONE);
	}
	return true;
}

static void user_buffer_free(struct user_buffer *u)
{
	munmap(u->map, u->map_size);
}

static int step_fd(struct case_vm *vm, const struct step *s)
{
	switch (s->on) {
	case ON_SYSTEM:
		return vm->kvm;
	case ON_VCPU:
		return vm->nr_vcpus ? vm->vcpus[0] : NO_SUCH_FD;
	case ON_CLOSED:
		return NO_SUCH_FD;
	default:
		return vm->vm;
	}
}

static long call(struct case_vm *vm, const struct step *s, unsigned int cmd, unsigned long arg)
{
	return vm->b->ioctl(vm->b, step_fd(vm, s), cmd, arg);
}

/* The call reads @size bytes of @data, where they lie as the step says. */
static long call_struct(struct case_vm *vm, const struct step *s, unsigned int cmd, void *data,
			size_t size)
{
	struct user_buffer u;
	long ret;

	if (s->buffer == BUF_POINTER)
		return call(vm, s, cmd, s->pointer);
	/* Of a structure in the hole, the first half is there. */
	if (!user_buffer_make(&u, size, s->buffer == BUF_UNMAPPED, size / 2))
		return -ENOMEM;
	memcpy(u.at, data, s->buffer == BUF_UNMAPPED ? size / 2 : size);
	ret = call(vm, s, cmd, (unsigned long)u.at);
	if (s->buffer == BUF_GIVEN)
		memcpy(data, u.at, size);
	user_buffer_free(&u);
	return ret;
}

static long set_gsi_routing(struct case_vm *vm, const struct step *s)
{
	struct kvm_irq_routing head = { .nr = s->u.routing.nr, .flags = s->u.routing.flags };
	size_t entries = s->u.routing.nr_entries * sizeof(struct kvm_irq_routing_entry);
	size_t keep = sizeof(head) + sizeof(struct kvm_irq_routing_entry) / 2;
	bool hole = s->buffer != BUF_GIVEN;
	struct user_buffer u;
	long ret;

	if (s->buffer == BUF_POINTER)
		return call(vm, s, KVM_SET_GSI_ROUTING, s->pointer);
	if (s->buffer == BUF_UNMAPPED)
		keep = sizeof(head) / 2;
	if (!user_buffer_make(&u, sizeof(head) + entries, hole, keep))
		return -ENOMEM;
	memcpy(u.at, &head, keep < sizeof(head) ? keep : sizeof(head));
	if (!hole && entries)
		memcpy(u.at + sizeof(head), s->u.routing.entries, entries);
	ret = call(vm, s, KVM_SET_GSI_ROUTING, (unsigned long)u.at);
	user_buffer_free(&u);
	return ret;
}

static long irq_line(struct case_vm *vm, const struct step *s)
{
	struct kvm_irq_level line = { .irq = s->u.line.gsi, .level = s->u.line.level };
	long ret;

	if (s->kind == STEP_IRQ_LINE)
		return call_struct(vm, s, KVM_IRQ_LINE, &line, sizeof(line));
	ret = call_struct(vm, s, KVM_IRQ_LINE_STATUS, &line, sizeof(line));
	/* Where the call wrote nothing, what it was given is still there: no status to tell. */
	vm->status = ret < 0 ? 0 : line.status;
	return ret;
}

static long create_vcpu(struct case_vm *vm, const struct step *s)
{
	long ret = call(vm, s, KVM_CREATE_VCPU, s->u.vcpu_id);

	if (ret < 0)
		return ret;
	if (vm->nr_vcpus == sizeof(vm->vcpus) / sizeof(vm->vcpus[0])) {
		vm->b->close(vm->b, ret);
		return 0;
	}
	vm->vcpus[vm->nr_vcpus++] = ret;
	return 0;
}

static long get_irqchip(struct case_vm *vm, const struct step *s)
{
	memset(&vm->chip, 0, sizeof(vm->chip));
	vm->chip.chip_id = s->u.chip.chip;
	return call(vm, s, KVM_GET_IRQCHIP, (unsigned long)&vm->chip);
}

static long set_irqchip(struct case_vm *vm, const struct step *s)
{
	long ret = get_irqchip(vm, s);

	if (ret)
		return ret;
	vm->chip.chip.ioapic.redirtbl[s->u.chip.pin].bits = s->u.chip.redir;
	return call(vm, s, KVM_SET_IRQCHIP, (unsigned long)&vm->chip);
}

static long enable_cap(struct case_vm *vm, const struct step *s)
{
	struct kvm_enable_cap cap = {
		.cap = s->u.cap.nr,
		.flags = s->u.cap.flags,
		.args = { s->u.cap.arg },
	};

	return call_struct(vm, s, KVM_ENABLE_CAP, &cap, sizeof(cap));
}

long vm_step(struct case_vm *vm, const struct step *s)
{
	struct kvm_xen_hvm_config xen = { 0 };
	struct kvm_irq_routing_xen_evtchn evtchn = { 0 };
	struct kvm_pit_config pit = { 0 };
	struct kvm_msi msi;

	switch (s->kind) {
	case STEP_CREATE_IRQCHIP:
		return call(vm, s, KVM_CREATE_IRQCHIP, 0);
	case STEP_ENABLE_CAP:
		return enable_cap(vm, s);
	case STEP_CHECK_EXTENSION:
		return call(vm, s, KVM_CHECK_EXTENSION, s->u.cap.nr);
	case STEP_CREATE_VCPU:
		return create_vcpu(vm, s);
	case STEP_SET_GSI_ROUTING:
		return set_gsi_routing(vm, s);
	case STEP_SIGNAL_MSI:
		msi = s->u.msi;
		return call_struct(vm, s, KVM_SIGNAL_MSI, &msi, sizeof(msi));
	case STEP_IRQ_LINE:
	case STEP_IRQ_LINE_STATUS:
		return irq_line(vm, s);
	case STEP_RAW:
		return call(vm, s, s->u.raw.cmd, s->u.raw.arg);
	case STEP_GET_IRQCHIP:
		return get_irqchip(vm, s);
	case STEP_SET_IRQCHIP:
		return set_irqchip(vm, s);
	case STEP_CREATE_PIT2:
		return call(vm, s, KVM_CREATE_PIT2, (unsigned long)&pit);
	case STEP_XEN_HVM_CONFIG:
		return call(vm, s, KVM_XEN_HVM_CONFIG, (unsigned long)&xen);
	case STEP_XEN_EVTCHN_SEND:
		return call(vm, s, KVM_XEN_HVM_EVTCHN_SEND, (unsigned long)&evtchn);
	default:
		return fds_step(vm, s);
	}
}

static json_t *observe_vectors(struct case_vm *vm, unsigned int reg)
{
	json_t *all = json_array();
	struct kvm_lapic_state lapic;
	unsigned int i, v;

	for (i = 0; i < vm->nr_vcpus; i++) {
		json_t *one = json_array();

		if (!vm_get_lapic(vm, i, &lapic)) {
			for (v = 0; v < 256; v++) {
				if (lapic.regs[reg + v / 32 * 0x10 + v % 32 / 8] >> v % 8 & 1)
					json_array_append_new(one, json_integer(v));
			}
		}
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *hex(const char *fmt, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), fmt, (unsigned long long)value);
	return json_string(text);
}

static json_t *observe_chip(struct case_vm *vm, const struct step *s, const char *key)
{
	const struct kvm_ioapic_state *ioapic = &vm->chip.chip.ioapic;
	const struct kvm_pic_state *pic = &vm->chip.chip.pic;
	unsigned int pin;

	if (s->u.chip.chip == KVM_IRQCHIP_IOAPIC) {
		if (!strcmp(key, "irr"))
			return hex("0x%llx", ioapic->irr);
		if (sscanf(key, "redir%u", &pin) == 1 && pin < KVM_IOAPIC_NUM_PINS)
			return hex("0x%016llx", ioapic->redirtbl[pin].bits);
		return NULL;
	}
	return !strcmp(key, "irr")	  ? json_integer(pic->irr)
	       : !strcmp(key, "imr")	  ? json_integer(pic->imr)
	       : !strcmp(key, "isr")	  ? json_integer(pic->isr)
	       : !strcmp(key, "last_irr") ? json_integer(pic->last_irr)
					  : NULL;
}

json_t *vm_observe(struct case_vm *vm, const struct step *s, const char *key)
{
	if (!strcmp(key, "status") && s->kind == STEP_IRQ_LINE_STATUS)
		return json_integer(vm->status);
	if (s->kind == STEP_GET_IRQCHIP)
		return observe_chip(vm, s, key);
	if (!strcmp(key, "irr"))
		return observe_vectors(vm, APIC_IRR);
	if (!strcmp(key, "tmr"))
		return observe_vectors(vm, APIC_TMR);
	if (!strcmp(key, "value"))
		return json_integer(vm->read_value);
	if (!strcmp(key, "eventfd_still_readable"))
		return json_boolean(vm->readable);
	return NULL;
}

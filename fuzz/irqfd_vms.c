// SPDX-License-Identifier: GPL-2.0-only
/*
 * VMs that outlive an input, since making them costs more than a few calls: afterwards ioctls put
 * them back to how they began. One that was closed, or has a line that only a resampler could
 * lower, is made anew; all of them are now and then.
 */
#include <string.h>

#include "irqfd_run.h"

#define MAX_INPUTS 200 /* of a VM: their EOIs are fewer than the IOAPIC takes for a storm */
#define LEVEL	   (1u << 15)

static void vm_ioctl(const struct run *r, unsigned int i, unsigned int cmd, const void *arg,
		     const char *what)
{
	irqfd_same(r, what, r->ops->ioctl(r->vms[i].vm, cmd, (unsigned long)arg), 0);
}

static void lapic_ioctl(struct run *r, unsigned int i, unsigned int cmd, const char *what)
{
	irqfd_same(r, what, r->ops->ioctl(r->vms[i].vcpus[0], cmd, (unsigned long)&r->lapics[i]),
		   0);
}

static void scan(struct run *r, unsigned int i)
{
	struct irq_answer a;

	irq_vm_call(&r->vms[i], &(struct irq_call){ .kind = IRQ_RUN }, &a);
	irqfd_same(r, "KVM_RUN", a.ret, 0);
	r->x.kvms[i].scan = true;
	expect_run(&r->x, &r->x.kvms[i]);
}

/* ---- routes ---- */

static void route(struct kvm_irq_routing_entry *e, unsigned int gsi, int pin)
{
	e->gsi = gsi;
	e->type = pin < 0 ? KVM_IRQ_ROUTING_MSI : KVM_IRQ_ROUTING_IRQCHIP;
	if (pin >= 0) {
		e->u.irqchip.irqchip = KVM_IRQCHIP_IOAPIC;
		e->u.irqchip.pin = EXPECT_FIRST_PIN + pin;
	} else {
		e->u.msi.address_lo = 0xfee00000;
		e->u.msi.data = 0x30 + 0x11 * gsi;
	}
}

/* To begin with, odd GSIs are pins where there are any, the others are messages. */
static void first_routes(struct run *r, unsigned int i)
{
	struct irqfd_call c = { .vm = i, .u.routes.nr = EXPECT_GSIS };
	unsigned int gsi;

	for (gsi = 0; gsi < EXPECT_GSIS; gsi++)
		route(&c.u.routes.entries[gsi], gsi,
		      gsi % 2 && r->x.kvms[i].full ? (int)gsi / 2 : -1);
	irqfd_set_routes(r, &c);
	r->x.kvms[i].rerouted = false;
}

static bool is_up(const struct expect_kvm *kvm, int source)
{
	unsigned int pin;

	for (pin = 0; pin < EXPECT_PINS; pin++)
		if (kvm->lines[pin][source])
			return true;
	return false;
}

/* User space's lines go down, by a table in which each pin has its GSI. */
static void lower_lines(struct run *r, unsigned int i)
{
	struct irqfd_call c = { .vm = i, .u.routes.nr = EXPECT_PINS };
	struct kvm_irq_level line = { .level = 0 };
	unsigned int pin;
	int status;

	for (pin = 0; pin < EXPECT_PINS; pin++)
		route(&c.u.routes.entries[pin], pin, pin);
	irqfd_set_routes(r, &c);
	for (pin = 0; pin < EXPECT_PINS; pin++) {
		line.irq = pin;
		vm_ioctl(r, i, KVM_IRQ_LINE, &line, "KVM_IRQ_LINE");
		expect_line(&r->x, r->vms[i].vm, pin, false, &status);
	}
}

/* ---- VMs ---- */

static void program_pins(struct run *r, unsigned int i)
{
	struct kvm_irqchip *chip = &r->ioapics[i];
	unsigned int pin;

	chip->chip_id = KVM_IRQCHIP_IOAPIC;
	vm_ioctl(r, i, KVM_GET_IRQCHIP, chip, "KVM_GET_IRQCHIP");
	for (pin = EXPECT_FIRST_PIN; pin < EXPECT_FIRST_PIN + EXPECT_PINS; pin++)
		chip->chip.ioapic.redirtbl[pin].bits =
			EXPECT_VECTOR_OF_PIN(pin) | (pin & 1 ? LEVEL : 0);
	vm_ioctl(r, i, KVM_SET_IRQCHIP, chip, "KVM_SET_IRQCHIP");
}

static void open_vm(struct run *r, unsigned int i)
{
	bool full = i != EXPECT_SPLIT_VM;
	struct irq_setup setup = {
		.split = !full, .api = -1, .nr_vcpus = 1, .x2apic = true, .enabled = true
	};
	struct expect_kvm *kvm = &r->x.kvms[i];
	struct irq_vm *vm = &r->vms[i];

	irq_fuzz_open_as(vm, r->backend, &setup);
	*kvm = (struct expect_kvm){ .full = full };
	expect_open(&r->x, vm->kvm, FD_KVM, NULL);
	expect_open(&r->x, vm->vm, FD_VM, kvm);
	expect_open(&r->x, vm->vcpus[0], FD_VCPU, NULL);
	if (full)
		program_pins(r, i);
	lapic_ioctl(r, i, KVM_GET_LAPIC, "KVM_GET_LAPIC");
	first_routes(r, i);
	scan(r, i);
	kvm->touched = kvm->changed = false;
}

static bool is_its_own(const struct run *r, unsigned int i)
{
	return expect_object(&r->x, r->vms[i].vm, FD_VM) == &r->x.kvms[i];
}

/* The descriptor that a VM began with. */
bool irqfd_vms_own(const struct run *r, int fd)
{
	unsigned int i;

	for (i = 0; i < EXPECT_VMS; i++)
		if (r->vms[i].vm == fd)
			return is_its_own(r, i);
	return false;
}

static void close_vm(struct run *r, unsigned int i)
{
	struct irq_vm *vm = &r->vms[i];

	r->x.fds[vm->kvm].kind = r->x.fds[vm->vcpus[0]].kind = FD_NONE;
	if (is_its_own(r, i))
		r->x.fds[vm->vm].kind = FD_NONE;
	else
		vm->vm = -1;
	irq_vm_close(vm);
	vm->b = NULL;
}

static void put_back(struct run *r, unsigned int i)
{
	struct expect_kvm *kvm = &r->x.kvms[i];

	if (kvm->touched) {
		if (is_up(kvm, SOURCE_USER))
			lower_lines(r, i);
		if (kvm->full)
			vm_ioctl(r, i, KVM_SET_IRQCHIP, &r->ioapics[i], "KVM_SET_IRQCHIP");
		lapic_ioctl(r, i, KVM_SET_LAPIC, "KVM_SET_LAPIC");
		memset(&kvm->lapic, 0, sizeof(kvm->lapic));
		kvm->pending = kvm->remote = 0;
		scan(r, i);
	}
	if (kvm->rerouted)
		first_routes(r, i);
	kvm->touched = kvm->changed = false;
}

void irqfd_vms_open(struct run *r, struct backend *b)
{
	unsigned int i;

	r->backend = b;
	r->ops = b->ops;
	expect_open(&r->x, IRQ_FUZZ_KVM_FD, FD_KVM, NULL);
	for (i = 0; i < EXPECT_VMS; i++)
		open_vm(r, i);
	r->other_fd = r->ops->open_other();
	expect_open(&r->x, r->other_fd, FD_OTHER, NULL);
}

void irqfd_vms_put_back(struct run *r)
{
	bool all = !(++r->nr_inputs % MAX_INPUTS);
	unsigned int i;

	/* The lowest descriptors that are free then are those that were theirs. */
	for (i = 0; i < EXPECT_VMS; i++)
		if (all || !is_its_own(r, i) || is_up(&r->x.kvms[i], SOURCE_RESAMPLE))
			close_vm(r, i);
	for (i = 0; i < EXPECT_VMS; i++) {
		if (r->vms[i].b)
			put_back(r, i);
		else
			open_vm(r, i);
	}
	if (r->x.fds[r->other_fd].kind == FD_NONE)
		expect_open(&r->x, r->ops->open_other(), FD_OTHER, NULL);
	r->x.nr_eventfds = r->x.last_turn = 0;
}

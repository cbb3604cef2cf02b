// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "irqfd_run.h"

bool irqfd_print_calls;

void irqfd_print_call(const struct irqfd_call *c)
{
	char text[512];

	irqfd_call_text(c, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
}

void irqfd_wrong(const struct run *r, const char *fmt, ...)
{
	unsigned int i;
	va_list ap;

	fprintf(stderr, "registration %s; VM %u has a split irqchip\n",
		r->x.unique ? "unique" : "by scan", EXPECT_SPLIT_VM);
	for (i = 0; !irqfd_print_calls && i < r->nr_calls; i++)
		irqfd_print_call(&r->calls[i]);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	abort();
}

void irqfd_same(const struct run *r, const char *what, long got, long want)
{
	if (got != want)
		irqfd_wrong(r, "%s: %ld, but %ld is right", what, got, want);
}

static void same_vectors(const struct run *r, unsigned int vm, const char *name,
			 const struct kvm_lapic_state *lapic, unsigned int base,
			 const uint32_t *want)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		if (lapic_reg(lapic, base + i * 0x10) != want[i])
			irqfd_wrong(r, "%s of VM %u, vectors from %#x on: %#x, but %#x is right",
				    name, vm, i * 32, lapic_reg(lapic, base + i * 0x10), want[i]);
}

static void check_lapic(const struct run *r, unsigned int vm)
{
	const struct expect_lapic *want = &r->x.kvms[vm].lapic;
	struct kvm_lapic_state lapic;

	irqfd_same(r, "KVM_GET_LAPIC",
		   r->ops->ioctl(r->vms[vm].vcpus[0], KVM_GET_LAPIC, (unsigned long)&lapic), 0);
	same_vectors(r, vm, "IRR", &lapic, LAPIC_IRR, want->irr);
	same_vectors(r, vm, "ISR", &lapic, LAPIC_ISR, want->isr);
	same_vectors(r, vm, "TMR", &lapic, LAPIC_TMR, want->tmr);
}

/* An image shows what a level-triggered pin has pending; an edge is out at once. */
static void check_pins(const struct run *r, unsigned int vm)
{
	const struct expect_kvm *want = &r->x.kvms[vm];
	struct kvm_irqchip chip = { .chip_id = KVM_IRQCHIP_IOAPIC };
	const struct kvm_ioapic_state *io = &chip.chip.ioapic;
	unsigned int i, pin;

	if (!want->full || expect_object(&r->x, r->vms[vm].vm, FD_VM) != want)
		return;
	irqfd_same(r, "KVM_GET_IRQCHIP",
		   r->ops->ioctl(r->vms[vm].vm, KVM_GET_IRQCHIP, (unsigned long)&chip), 0);
	for (i = 1; i < EXPECT_PINS; i += 2) {
		pin = EXPECT_FIRST_PIN + i;
		if ((io->irr >> pin & 1) != (want->pending >> i & 1) ||
		    io->redirtbl[pin].fields.remote_irr != (want->remote >> i & 1))
			irqfd_wrong(
				r, "pin %u of VM %u: irr %u, remote IRR %u, but %u, %u are right",
				pin, vm, io->irr >> pin & 1, io->redirtbl[pin].fields.remote_irr,
				want->pending >> i & 1, want->remote >> i & 1);
	}
}

static void check_posted(const struct run *r)
{
	struct port_irte e = { 0 };
	unsigned int i;
	int want;

	for (i = 0; i < EXPECT_HOST_IRQS; i++) {
		want = expect_posted(&r->x, i);
		r->ops->irte(i, &e);
		if (e.posted != (want >= 0) || (e.posted && ((int)e.vector != want || e.vcpu_id)))
			irqfd_wrong(r, "host interrupt %u: posted %u vector %u, but %d is right", i,
				    e.posted, e.vector, want);
	}
}

void irqfd_check(struct run *r, bool all)
{
	unsigned int vm;

	check_posted(r);
	for (vm = 0; vm < EXPECT_VMS; vm++) {
		if (!all && !r->x.kvms[vm].changed)
			continue;
		check_lapic(r, vm);
		check_pins(r, vm);
		r->x.kvms[vm].changed = false;
	}
}

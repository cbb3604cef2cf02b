// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for the controllers: lines, messages, routes, EOIs and images of any bytes, on
 * one VM. After each call what the devices promise is looked at: an image is there as it was set, a
 * line that goes down requests nothing, a masked pin or one that waits for its EOI sends nothing,
 * an EOI ends the highest vector and no other.
 *
 * Input: the VM (2 bytes), then calls: a byte, kind in its low three bits, vCPU in the next two;
 * then what the kind needs, see next_call().
 */
#include <errno.h>
#include <string.h>

#include "irq_fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

_Static_assert(IRQ_NR_KINDS == 8, "three bits of a call's first byte");

#define MAX_CALLS	64
#define MSR_X2APIC	0x800
#define MSR_EOI		0x80b
#define IOAPIC_ONLY_GSI 16 /* from here on a default line has no pin of the PIC */
#define LEVEL		(1u << 15)
#define REMOTE_IRR	(1u << 14)
#define MASKED		(1u << 16)

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	irq_fuzz_init();
	return 0;
}

/* ---- calls ---- */

/* Few bytes change an image that is there; a first byte of 0xff makes it anew. */
static void edit(struct bytes *b, void *image, size_t size)
{
	uint8_t *p = image;
	unsigned int n = next_u8(b);

	if (n == 0xff) {
		next_bytes(b, image, size);
		return;
	}
	for (n %= 8; n; n--) {
		uint32_t at = next_u8(b) | next_u8(b) << 8;

		p[at % size] = next_u8(b);
	}
}

static void next_routes(struct bytes *b, const struct irq_setup *s, struct irq_call *c)
{
	uint32_t i;

	c->u.routes.nr = next_u8(b) % (IRQ_MAX_ROUTES + 1);
	for (i = 0; i < c->u.routes.nr; i++) {
		struct kvm_irq_routing_entry *e = &c->u.routes.entries[i];
		uint8_t how = next_u8(b);

		e->gsi = how % 32;
		if (!s->split && how & 0x80) {
			e->type = KVM_IRQ_ROUTING_IRQCHIP;
			e->u.irqchip.irqchip = how >> 5 & 3;
			e->u.irqchip.pin = next_u8(b) % 25;
			continue;
		}
		e->type = KVM_IRQ_ROUTING_MSI;
		e->u.msi.address_lo = next_u32(b);
		e->u.msi.data = next_u8(b) | (how & 0x40 ? LEVEL : 0);
	}
}

static void next_chip(struct irq_vm *vm, struct bytes *b, const struct irq_setup *s,
		      struct irq_state *now, unsigned int how, struct kvm_irqchip *chip)
{
	memset(chip, 0, sizeof(*chip));
	if (!s->split) {
		irq_fuzz_pics(vm, now);
		*chip = now->chip[how % 3];
	}
	chip->chip_id = how;
	edit(b, &chip->chip, sizeof(chip->chip));
}

/* @now has the LAPICs and, where there is one, the IOAPIC. */
static void next_call(struct irq_vm *vm, struct bytes *b, const struct irq_setup *s,
		      struct irq_state *now, struct irq_call *c)
{
	uint8_t how = next_u8(b);

	memset(&c->u, 0, how % IRQ_NR_KINDS == IRQ_ROUTES ? sizeof(c->u.routes) : sizeof(c->u.msi));
	c->vcpu = (how >> 3 & 3) % s->nr_vcpus;
	c->kind = how % IRQ_NR_KINDS;
	switch (c->kind) {
	case IRQ_LINE:
		c->u.line.irq = next_u8(b);
		c->u.line.level = how >> 7;
		break;
	case IRQ_MSI:
		c->u.msi.address_lo = next_u32(b);
		c->u.msi.data = next_u8(b) | next_u8(b) << 8;
		break;
	case IRQ_ROUTES:
		next_routes(b, s, c);
		break;
	case IRQ_SET_CHIP:
		next_chip(vm, b, s, now, how >> 5, &c->u.chip);
		break;
	case IRQ_SET_LAPIC:
		c->u.lapic = now->lapic[c->vcpu];
		edit(b, &c->u.lapic, sizeof(c->u.lapic));
		break;
	case IRQ_SET_MSR:
	case IRQ_GET_MSR:
		c->u.msr.nmsrs = 1;
		c->u.msr.entry.index = how & 0x80 ? MSR_EOI : MSR_X2APIC + next_u8(b);
		next_bytes(b, &c->u.msr.entry.data, how & 0x80 ? 0 : how & 0x40 ? 8 : 2);
		break;
	case IRQ_RUN:
	case IRQ_NR_KINDS:
		break;
	}
}

/* ---- promises ---- */

static int highest(const struct kvm_lapic_state *s, unsigned int base)
{
	int v;

	for (v = 255; v >= 0; v--)
		if (lapic_has(s, base, v))
			return v;
	return -1;
}

/* memcmp() of whole words: libFuzzer takes note of the real one's arguments, which costs more. */
static bool lapics_changed(const struct irq_setup *s, const struct irq_state *was,
			   const struct irq_state *now)
{
	const uint64_t *a = (const uint64_t *)was->lapic, *b = (const uint64_t *)now->lapic;
	size_t i, words = s->nr_vcpus * sizeof(was->lapic[0]) / sizeof(*a);
	uint64_t other = 0;

	for (i = 0; i < words; i++)
		other |= a[i] ^ b[i];
	return other;
}

static void check_line(const struct irq_setup *s, const struct irq_call *c,
		       const struct irq_answer *a, const struct irq_state *was,
		       const struct irq_state *now, bool default_table)
{
	uint64_t pin;

	if (a->ret)
		irq_fuzz_wrong(c, "ret %ld", a->ret);
	if (!c->u.line.level && lapics_changed(s, was, now) && default_table && !s->split &&
	    c->u.line.irq >= IOAPIC_ONLY_GSI)
		irq_fuzz_wrong(c, "a line went down, and a LAPIC changed");
	if (!default_table || s->split || c->u.line.irq < IOAPIC_ONLY_GSI ||
	    c->u.line.irq >= KVM_IOAPIC_NUM_PINS || !c->u.line.level)
		return;
	pin = was->chip[KVM_IRQCHIP_IOAPIC].chip.ioapic.redirtbl[c->u.line.irq].bits;
	if (!(pin & MASKED) && (pin & (LEVEL | REMOTE_IRR)) != (LEVEL | REMOTE_IRR))
		return;
	if (lapics_changed(s, was, now) || a->status > 0)
		irq_fuzz_wrong(c, "pin %llx may not send: status %d", (unsigned long long)pin,
			       a->status);
}

static void check_chip(const struct irq_setup *s, const struct irq_call *c,
		       const struct irq_answer *a, const struct irq_state *now)
{
	const struct kvm_ioapic_state *in = &c->u.chip.chip.ioapic, *out;
	long want = s->split ? -ENXIO : c->u.chip.chip_id > 2 ? -EINVAL : 0;
	unsigned int i;

	if (a->ret != want)
		irq_fuzz_wrong(c, "ret %ld, but %ld is right", a->ret, want);
	if (want || c->u.chip.chip_id != KVM_IRQCHIP_IOAPIC)
		return;
	out = &now->chip[KVM_IRQCHIP_IOAPIC].chip.ioapic;
	for (i = 0; i < KVM_IOAPIC_NUM_PINS; i++)
		if ((in->redirtbl[i].bits ^ out->redirtbl[i].bits) & ~(uint64_t)REMOTE_IRR)
			irq_fuzz_wrong(c, "pin %u is not as it was set", i);
	if (out->irr & ~in->irr || out->id != in->id || out->base_address != in->base_address)
		irq_fuzz_wrong(c, "the image is not as it was set");
}

static void check_eoi(const struct irq_call *c, const struct irq_answer *a,
		      const struct irq_state *was, const struct irq_state *now)
{
	const struct kvm_lapic_state *before = &was->lapic[c->vcpu], *after = &now->lapic[c->vcpu];
	int v, ended = a->ret == 1 ? highest(before, LAPIC_ISR) : -1;

	for (v = 0; v < 256; v++)
		if (lapic_has(after, LAPIC_ISR, v) !=
		    (lapic_has(before, LAPIC_ISR, v) && v != ended))
			irq_fuzz_wrong(c, "vector %d of ISR, where %d was to end", v, ended);
}

static void check(const struct irq_setup *s, const struct irq_call *c, const struct irq_answer *a,
		  const struct irq_state *was, const struct irq_state *now, bool default_table)
{
	switch (c->kind) {
	case IRQ_LINE:
		check_line(s, c, a, was, now, default_table);
		break;
	case IRQ_SET_CHIP:
		check_chip(s, c, a, now);
		break;
	case IRQ_SET_MSR:
		if (c->u.msr.entry.index == MSR_EOI && !c->u.msr.entry.data)
			check_eoi(c, a, was, now);
		break;
	case IRQ_GET_MSR:
		if (lapics_changed(s, was, now) && c->u.msr.entry.index != MSR_X2APIC + 0xa)
			irq_fuzz_wrong(c, "a read changed a LAPIC");
		break;
	default:
		break;
	}
}

/* The state before a call, which is read for those that look at it or are made of it. */
struct seen {
	struct irq_state states[2], *now;
	bool fresh;
};

static void look(struct irq_vm *vm, const struct irq_setup *s, struct seen *seen)
{
	irq_fuzz_lapics(vm, seen->now);
	if (!s->split)
		irq_fuzz_ioapic(vm, seen->now);
	seen->fresh = true;
}

static bool is_checked(enum irq_call_kind kind)
{
	return kind == IRQ_LINE || kind == IRQ_SET_CHIP || kind == IRQ_SET_MSR ||
	       kind == IRQ_GET_MSR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct seen seen;
	struct bytes b = { data, data + size };
	const struct irq_state *was;
	bool default_table = true;
	struct irq_setup setup;
	struct irq_answer a;
	struct irq_call c;
	struct irq_vm vm;
	unsigned int i;

	irq_fuzz_open(&vm, &b, &setup);
	seen.now = &seen.states[0];
	seen.fresh = false;
	for (i = 0; i < MAX_CALLS && b.p < b.end; i++) {
		c.kind = b.p[0] % IRQ_NR_KINDS;
		if (!seen.fresh && (is_checked(c.kind) || c.kind == IRQ_SET_LAPIC))
			look(&vm, &setup, &seen);
		next_call(&vm, &b, &setup, seen.now, &c);
		irq_vm_call(&vm, &c, &a);
		default_table &= c.kind != IRQ_ROUTES || a.ret;
		was = seen.now;
		seen.fresh = false;
		if (!is_checked(c.kind))
			continue;
		seen.now = &seen.states[was == &seen.states[0]];
		look(&vm, &setup, &seen);
		check(&setup, &c, &a, was, seen.now, default_table);
	}
	irq_fuzz_close(&vm);
	return 0;
}

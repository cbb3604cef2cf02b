// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls around interrupts. All shares below are assumed, chosen so that interrupts often
 * arrive, coalesce and are ended.
 *
 * Left out, since the answer depends on the host: SMIs (CONFIG_KVM_SMM) and LAPIC timers (time). In
 * VMs that run, also NMI, INIT and SIPI, which the one-instruction guest would not survive.
 */
#include <string.h>

#include "live_irq_choice.h"
#include "live_irq_image.h"

#define PICK(ch, list)	 ((list)[choice_below(ch, sizeof(list) / sizeof((list)[0]))])

/* LAPIC registers (Intel SDM vol. 3, table "Local APIC Register Address Map"). */
#define LAPIC_IRR	 0x200
#define LVT_MASKED	 0x10000

#define MSR_APIC_BASE	 0x1b
#define MSR_X2APIC	 0x800
#define MSR_X2APIC_TPR	 0x808
#define MSR_X2APIC_EOI	 0x80b
#define MSR_X2APIC_SVR	 0x80f
#define MSR_X2APIC_ICR	 0x830
#define MSR_X2APIC_LVT	 0x832 /* timer to error: up to 0x837 */
#define MSR_X2APIC_TMICT 0x838
#define MSR_X2APIC_SELF	 0x83f
#define APIC_BASE_ADDR	 0xfee00000ull
#define APIC_BASE_ON	 0x800
#define APIC_BASE_X2	 0x400

/* Few vectors, so that they meet: in one priority class, across classes, at the ends. */
static const uint8_t vectors[] = {
	0x00, 0x0f, 0x10, 0x30, 0x41, 0x42, 0x4f, 0x50, 0x81, 0xfe, 0xff
};
static const uint32_t ids[] = { 0, 1, 2, 3, 5, 0x11, 0xfe, 0xff, 0x100, 0x101, 0x12c };

/* Few lines: of the PIC and of the IOAPIC alone, pins and GSIs of the default table. */
const uint8_t irq_lines[IRQ_NR_LINES] = { 0, 4, IRQ_RTC_GSI, 16, 17 };

bool irq_chance(struct choice *ch, unsigned int percent)
{
	return choice_below(ch, 100) < percent;
}

uint8_t irq_vector(struct choice *ch)
{
	return PICK(ch, vectors);
}

uint32_t irq_word(struct choice *ch)
{
	return choice_below(ch, UINT32_MAX);
}

static bool id_taken(const struct irq_setup *s, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < s->nr_vcpus; i++)
		if (s->ids[i] == id)
			return true;
	return false;
}

void irq_choose_setup(struct choice *ch, struct irq_setup *out)
{
	unsigned int nr = 1 + choice_below(ch, IRQ_MAX_VCPUS);

	memset(out, 0, sizeof(*out));
	out->split = irq_chance(ch, 30);
	out->api = (int)choice_below(ch, 5) - 1;
	out->runs = irq_chance(ch, 60);
	out->tidy = irq_chance(ch, 50);
	out->x2apic = out->tidy || irq_chance(ch, 60);
	out->enabled = out->tidy || irq_chance(ch, 80);
	while (out->nr_vcpus < nr) {
		uint32_t id = irq_chance(ch, 60) ? out->nr_vcpus : PICK(ch, ids);

		if (!id_taken(out, id))
			out->ids[out->nr_vcpus++] = id;
	}
	out->eventfds = irq_chance(ch, 60);
}

/* Fixed most often; else what the VM may be sent. As bits 8 to 10 have it. */
uint32_t irq_delivery_mode(struct choice *ch, bool runs)
{
	static const uint32_t calm[] = { 0, 0, 0, 0, 0, 1, 1, 3, 7 };
	static const uint32_t all[] = { 0, 0, 0, 0, 1, 1, 3, 4, 5, 6, 7 };

	return (runs ? PICK(ch, calm) : PICK(ch, all)) << 8;
}

uint32_t irq_destination(struct choice *ch, const struct irq_setup *setup)
{
	static const uint32_t masks[] = {
		0, 1, 2, 3, 4, 7, 0x10, 0x11, 0x12, 0x1f, 0x21, 0xf1, 0xff
	};

	return irq_chance(ch, 50) ? setup->ids[choice_below(ch, setup->nr_vcpus)] : PICK(ch, masks);
}

static void choose_message(struct choice *ch, const struct irq_setup *setup, uint32_t *lo,
			   uint32_t *hi, uint32_t *data)
{
	static const uint32_t his[] = { 0, 0, 0, 0, 0xffffff00, 0x10000, 1, 0xff };
	uint32_t dest = irq_destination(ch, setup);

	*lo = 0xfee00000 | (dest & 0xff) << 12 | choice_below(ch, 4) << 2;
	*hi = irq_chance(ch, 70) ? dest & ~0xffu : PICK(ch, his);
	*data = irq_vector(ch) | irq_delivery_mode(ch, setup->runs);
	if (irq_chance(ch, 40))
		*data |= 0x8000;
	if (irq_chance(ch, 50))
		*data |= 0x4000;
}

static void choose_line(struct choice *ch, struct irq_call *c)
{
	c->kind = IRQ_LINE;
	c->u.line.irq = irq_chance(ch, 80) ? irq_lines[choice_below(ch, IRQ_NR_LINES)]
					   : choice_below(ch, 25);
	c->u.line.level = choice_below(ch, 2);
}

static void choose_msi(struct choice *ch, const struct irq_setup *setup, struct irq_call *c)
{
	c->kind = IRQ_MSI;
	choose_message(ch, setup, &c->u.msi.address_lo, &c->u.msi.address_hi, &c->u.msi.data);
}

static void choose_routes(struct choice *ch, const struct irq_setup *setup, struct irq_call *c)
{
	uint32_t i, nr = choice_below(ch, IRQ_MAX_ROUTES + 1);

	c->kind = IRQ_ROUTES;
	c->u.routes.nr = nr;
	for (i = 0; i < nr; i++) {
		struct kvm_irq_routing_entry *e = &c->u.routes.entries[i];

		e->gsi = i < IRQ_NR_LINES ? irq_lines[i] : choice_below(ch, 25);
		if (!setup->split && irq_chance(ch, 60)) {
			e->type = KVM_IRQ_ROUTING_IRQCHIP;
			e->u.irqchip.irqchip = choice_below(ch, 3);
			e->u.irqchip.pin = choice_below(ch, 8);
			if (e->u.irqchip.irqchip == KVM_IRQCHIP_IOAPIC)
				e->u.irqchip.pin += choice_below(ch, 17);
			continue;
		}
		e->type = KVM_IRQ_ROUTING_MSI;
		choose_message(ch, setup, &e->u.msi.address_lo, &e->u.msi.address_hi,
			       &e->u.msi.data);
	}
}

static uint64_t icr(struct choice *ch, const struct irq_setup *setup)
{
	uint64_t v = irq_vector(ch) | irq_delivery_mode(ch, setup->runs);

	v |= (uint64_t)(irq_chance(ch, 10) ? UINT32_MAX : irq_destination(ch, setup)) << 32;
	v |= (uint64_t)(irq_chance(ch, 60) ? 0 : choice_below(ch, 4)) << 18;
	v |= choice_below(ch, 4) << 14;
	if (irq_chance(ch, 40))
		v |= 1 << 11;
	if (irq_chance(ch, 10))
		v |= 1 << 12; /* busy: read-only */
	if (irq_chance(ch, 5))
		v |= 1u << choice_below(ch, 32);
	/* Not an SMI after all. */
	return (v >> 8 & 7) == 2 ? v & ~0x700ull : v;
}

static uint64_t apic_base(struct choice *ch, const struct irq_setup *setup, unsigned int i)
{
	static const uint32_t modes[] = { APIC_BASE_ON,
					  APIC_BASE_ON | APIC_BASE_X2,
					  APIC_BASE_ON | APIC_BASE_X2,
					  APIC_BASE_ON | APIC_BASE_X2,
					  0,
					  APIC_BASE_X2 };
	uint64_t v = APIC_BASE_ADDR | PICK(ch, modes);

	if (!setup->ids[i])
		v |= 0x100; /* the boot processor */
	if (irq_chance(ch, 5))
		v |= 1ull << choice_below(ch, 12);
	if (irq_chance(ch, 3))
		v |= 1ull << 63;
	return v;
}

static void end_interrupt(struct irq_call *c)
{
	c->kind = IRQ_SET_MSR;
	c->u.msr.nmsrs = 1;
	c->u.msr.entry.index = MSR_X2APIC_EOI;
}

static void choose_msr(struct choice *ch, const struct irq_setup *setup, struct irq_call *c)
{
	struct kvm_msr_entry *e = &c->u.msr.entry;
	uint32_t r = choice_below(ch, 100);

	c->kind = IRQ_SET_MSR;
	c->u.msr.nmsrs = 1;
	if (r < 40) {
		end_interrupt(c);
	} else if (r < 55) {
		e->index = MSR_X2APIC_TPR;
		e->data = choice_below(ch, 0x140);
	} else if (r < 60) {
		e->index = MSR_X2APIC_SVR;
		e->data = irq_chance(ch, 80) ? 0x1ff : irq_word(ch);
	} else if (r < 75) {
		e->index = MSR_X2APIC_ICR;
		e->data = icr(ch, setup);
	} else if (r < 80) {
		e->index = MSR_X2APIC_SELF;
		e->data = irq_chance(ch, 80) ? irq_vector(ch) : irq_word(ch);
	} else if (r < 84) {
		e->index = MSR_APIC_BASE;
		e->data = apic_base(ch, setup, c->vcpu);
	} else {
		e->index = MSR_X2APIC + choice_below(ch, 0x100);
		e->data = irq_chance(ch, 50) ? 0 : irq_word(ch) | LVT_MASKED;
		/* A deadline timer is a mode that not every host has; no timer may run. */
		if (e->index == MSR_X2APIC_LVT)
			e->data &= ~(1ull << 18);
		if (e->index == MSR_X2APIC_TMICT || e->index == MSR_X2APIC_ICR)
			e->data = 0;
	}
}

static void choose_get_msr(struct choice *ch, struct irq_call *c)
{
	c->kind = IRQ_GET_MSR;
	c->u.msr.nmsrs = 1;
	c->u.msr.entry.index =
		irq_chance(ch, 20) ? MSR_APIC_BASE : MSR_X2APIC + choice_below(ch, 0x100);
}

static bool any_vector(const struct kvm_lapic_state *s, unsigned int base)
{
	unsigned int i;
	uint32_t w;

	for (i = 0; i < 8; i++) {
		memcpy(&w, s->regs + base + i * 0x10, sizeof(w));
		if (w)
			return true;
	}
	return false;
}

/* What a guest would do next: take what is requested, be scanned, end what is in service. */
static bool begin(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		  struct irq_plan *plan, struct irq_call *c)
{
	unsigned int first = choice_below(ch, setup->nr_vcpus), i;

	for (i = 0; i < setup->nr_vcpus; i++) {
		c->vcpu = (first + i) % setup->nr_vcpus;
		if (!any_vector(&now->lapic[c->vcpu], LAPIC_IRR))
			continue;
		c->kind = IRQ_SET_LAPIC;
		c->u.lapic = now->lapic[c->vcpu];
		irq_serve(&c->u.lapic);
		irq_calm_lapic(&c->u.lapic);
		plan->vcpu = c->vcpu;
		plan->next = setup->runs ? PLAN_SCAN : PLAN_END;
		return true;
	}
	return false;
}

static bool go_on(const struct irq_setup *setup, struct irq_plan *plan, struct irq_call *c)
{
	c->vcpu = plan->vcpu;
	switch (plan->next) {
	case PLAN_SCAN:
		c->kind = IRQ_RUN;
		plan->next = PLAN_END;
		return true;
	case PLAN_END:
		end_interrupt(c);
		plan->next = setup->eventfds ? PLAN_READ : PLAN_NOTHING;
		return true;
	case PLAN_READ:
		c->kind = IRQ_FD;
		c->u.fd = (struct irq_fd_call){ .kind = FD_READ, .fd = IRQ_RESAMPLEFD };
		plan->next = PLAN_NOTHING;
		return true;
	default:
		return false;
	}
}

/* Shares in 100, of a wild VM and of a tidy one; KVM_RUN has what is left. */
static const unsigned char shares[][2] = {
	[IRQ_LINE] = { 25, 50 },    [IRQ_MSI] = { 15, 14 },	 [IRQ_ROUTES] = { 3, 2 },
	[IRQ_SET_CHIP] = { 11, 2 }, [IRQ_SET_LAPIC] = { 14, 1 }, [IRQ_SET_MSR] = { 20, 15 },
	[IRQ_GET_MSR] = { 4, 4 },
};

static void choose_kind(struct choice *ch, const struct irq_setup *setup,
			const struct irq_state *now, struct irq_plan *plan, struct irq_call *c)
{
	uint32_t r = choice_below(ch, 100);
	enum irq_call_kind kind = IRQ_LINE;

	if (setup->eventfds && irq_chance(ch, 60)) {
		c->kind = IRQ_FD;
		irq_choose_fd(ch, &plan->bound, &c->u.fd);
		return;
	}
	while (kind < IRQ_FD && r >= shares[kind][setup->tidy])
		r -= shares[kind++][setup->tidy];
	switch (kind) {
	case IRQ_MSI:
		choose_msi(ch, setup, c);
		break;
	case IRQ_ROUTES:
		choose_routes(ch, setup, c);
		break;
	case IRQ_SET_CHIP:
		irq_choose_chip(ch, setup, now, c);
		break;
	case IRQ_SET_LAPIC:
		irq_choose_lapic(ch, setup, now, c);
		break;
	case IRQ_SET_MSR:
		choose_msr(ch, setup, c);
		break;
	case IRQ_GET_MSR:
		choose_get_msr(ch, c);
		break;
	case IRQ_LINE:
		choose_line(ch, c);
		break;
	default:
		if (setup->runs)
			c->kind = IRQ_RUN;
		else
			choose_line(ch, c);
	}
}

/* The lines lead somewhere: to pins that have vectors, or to messages. */
static void first_call(struct choice *ch, const struct irq_setup *setup,
		       const struct irq_state *now, struct irq_call *c)
{
	unsigned int i;

	if (!setup->split) {
		c->kind = IRQ_SET_CHIP;
		c->u.chip = now->chip[KVM_IRQCHIP_IOAPIC];
		irq_program_lines(ch, setup, &c->u.chip.chip.ioapic);
		return;
	}
	c->kind = IRQ_ROUTES;
	c->u.routes.nr = IRQ_NR_LINES;
	for (i = 0; i < IRQ_NR_LINES; i++) {
		struct kvm_irq_routing_entry *e = &c->u.routes.entries[i];
		uint32_t dest = setup->ids[choice_below(ch, setup->nr_vcpus)];

		e->gsi = irq_lines[i];
		e->type = KVM_IRQ_ROUTING_MSI;
		e->u.msi.address_lo = 0xfee00000 | (dest & 0xff) << 12;
		e->u.msi.address_hi = dest & ~0xffu;
		e->u.msi.data = irq_vector(ch) | (irq_chance(ch, 70) ? 0xc000 : 0) /* level */;
	}
}

void irq_choose_call(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		     struct irq_plan *plan, struct irq_call *out)
{
	unsigned int nth = plan->calls++;

	memset(out, 0, sizeof(*out));
	out->vcpu = choice_below(ch, setup->nr_vcpus);
	if (!nth && (setup->tidy || irq_chance(ch, 50)))
		first_call(ch, setup, now, out);
	else if (nth && setup->eventfds && irq_first_fd(ch, nth - 1, &plan->bound, &out->u.fd))
		out->kind = IRQ_FD;
	/* Now and then something comes between. */
	else if (!(irq_chance(ch, 85) && go_on(setup, plan, out)) &&
		 !(irq_chance(ch, 30) && begin(ch, setup, now, plan, out)))
		choose_kind(ch, setup, now, plan, out);
}

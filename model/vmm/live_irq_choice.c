// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls around interrupts. All shares below are assumed, chosen so that interrupts often arrive,
 * coalesce and are ended.
 *
 * Left out, since the answer depends on the host: SMIs (CONFIG_KVM_SMM) and LAPIC timers (time). In VMs
 * that run, also NMI, INIT and SIPI, which the one-instruction guest would not survive.
 */
#include <string.h>

#include "live_irq_choice.h"

#define PICK(ch, list)	 ((list)[choice_below(ch, sizeof(list) / sizeof((list)[0]))])

/* LAPIC registers (Intel SDM vol. 3, table "Local APIC Register Address Map"). */
#define LAPIC_ID	 0x20
#define LAPIC_TPR	 0x80
#define LAPIC_LDR	 0xd0
#define LAPIC_DFR	 0xe0
#define LAPIC_SVR	 0xf0
#define LAPIC_ISR	 0x100
#define LAPIC_TMR	 0x180
#define LAPIC_IRR	 0x200
#define LAPIC_LVT_TIMER	 0x320
#define LAPIC_LVT_ERROR	 0x370
#define LAPIC_TMICT	 0x380
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

#define RTC_GSI		 8

/* Few vectors, so that they meet: in one priority class, across classes, at the ends. */
static const uint8_t vectors[] = {
	0x00, 0x0f, 0x10, 0x30, 0x41, 0x42, 0x4f, 0x50, 0x81, 0xfe, 0xff
};
static const uint32_t ids[] = { 0, 1, 2, 3, 5, 0x11, 0xfe, 0xff, 0x100, 0x101, 0x12c };

/* Few lines: of the PIC and of the IOAPIC alone, pins and GSIs of the default table. */
static const uint8_t lines[] = { 0, 4, RTC_GSI, 16, 17 };

static bool chance(struct choice *ch, unsigned int percent)
{
	return choice_below(ch, 100) < percent;
}

static uint32_t word(struct choice *ch)
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
	out->split = chance(ch, 30);
	out->api = (int)choice_below(ch, 5) - 1;
	out->runs = chance(ch, 60);
	out->tidy = chance(ch, 50);
	out->x2apic = out->tidy || chance(ch, 60);
	out->enabled = out->tidy || chance(ch, 80);
	while (out->nr_vcpus < nr) {
		uint32_t id = chance(ch, 60) ? out->nr_vcpus : PICK(ch, ids);

		if (!id_taken(out, id))
			out->ids[out->nr_vcpus++] = id;
	}
}

/* Fixed most often; else what the VM may be sent. As bits 8 to 10 have it. */
static uint32_t delivery_mode(struct choice *ch, bool runs)
{
	static const uint32_t calm[] = { 0, 0, 0, 0, 0, 1, 1, 3, 7 };
	static const uint32_t all[] = { 0, 0, 0, 0, 1, 1, 3, 4, 5, 6, 7 };

	return (runs ? PICK(ch, calm) : PICK(ch, all)) << 8;
}

static uint32_t destination(struct choice *ch, const struct irq_setup *setup)
{
	static const uint32_t masks[] = {
		0, 1, 2, 3, 4, 7, 0x10, 0x11, 0x12, 0x1f, 0x21, 0xf1, 0xff
	};

	return chance(ch, 50) ? setup->ids[choice_below(ch, setup->nr_vcpus)] : PICK(ch, masks);
}

static void choose_message(struct choice *ch, const struct irq_setup *setup, uint32_t *lo,
			   uint32_t *hi, uint32_t *data)
{
	static const uint32_t his[] = { 0, 0, 0, 0, 0xffffff00, 0x10000, 1, 0xff };
	uint32_t dest = destination(ch, setup);

	*lo = 0xfee00000 | (dest & 0xff) << 12 | choice_below(ch, 4) << 2;
	*hi = chance(ch, 70) ? dest & ~0xffu : PICK(ch, his);
	*data = PICK(ch, vectors) | delivery_mode(ch, setup->runs);
	if (chance(ch, 40))
		*data |= 0x8000;
	if (chance(ch, 50))
		*data |= 0x4000;
}

static void choose_line(struct choice *ch, struct irq_call *c)
{
	c->kind = IRQ_LINE;
	c->u.line.irq = chance(ch, 80) ? PICK(ch, lines) : choice_below(ch, 25);
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

		e->gsi = i < sizeof(lines) ? lines[i] : choice_below(ch, 25);
		if (!setup->split && chance(ch, 60)) {
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

/* ---- controllers ---- */

static void random_bytes(struct choice *ch, void *at, size_t size)
{
	unsigned char *p = at;

	while (size--)
		*p++ = choice_below(ch, 256);
}

static uint64_t redirection(struct choice *ch, const struct irq_setup *setup)
{
	uint64_t e = PICK(ch, vectors) | delivery_mode(ch, setup->runs);

	e |= (uint64_t)(destination(ch, setup) & 0xff) << 56;
	if (chance(ch, 40))
		e |= 1 << 11; /* logical */
	if (chance(ch, 20))
		e |= 1 << 13; /* polarity */
	if (chance(ch, 15))
		e |= 1 << 14; /* remote IRR */
	if (chance(ch, 60))
		e |= 1 << 15; /* level */
	if (chance(ch, 15))
		e |= 1 << 16; /* masked */
	return e;
}

static void choose_ioapic(struct choice *ch, const struct irq_setup *setup,
			  struct kvm_ioapic_state *io)
{
	unsigned int i, n = 1 + choice_below(ch, 8);

	if (!setup->runs && chance(ch, 10)) {
		random_bytes(ch, io, sizeof(*io));
		for (i = 0; i < KVM_IOAPIC_NUM_PINS; i++)
			if (io->redirtbl[i].fields.delivery_mode == 2) /* SMI */
				io->redirtbl[i].fields.delivery_mode = 0;
		return;
	}
	while (n--) {
		i = chance(ch, 70) ? PICK(ch, lines) : choice_below(ch, KVM_IOAPIC_NUM_PINS);
		io->redirtbl[i].bits = redirection(ch, setup);
	}
	if (chance(ch, 30))
		io->irr ^= word(ch) & word(ch);
}

/* As a guest has it: every line goes to a vCPU that is there. */
static void program_lines(struct choice *ch, const struct irq_setup *setup,
			  struct kvm_ioapic_state *io)
{
	unsigned int i;

	for (i = 0; i < sizeof(lines); i++) {
		uint64_t dest = setup->ids[choice_below(ch, setup->nr_vcpus)] & 0xff;

		io->redirtbl[lines[i]].bits =
			PICK(ch, vectors) | dest << 56 | (chance(ch, 70) ? 1 << 15 : 0) /* level */;
	}
}

static void choose_chip(struct choice *ch, const struct irq_setup *setup,
			const struct irq_state *now, struct irq_call *c)
{
	static const uint32_t odd[] = { 3, 4, UINT32_MAX };
	uint32_t i = chance(ch, 70) ? KVM_IRQCHIP_IOAPIC : choice_below(ch, 2);

	c->kind = IRQ_SET_CHIP;
	c->u.chip = now->chip[i];
	c->u.chip.chip_id = chance(ch, 3) ? PICK(ch, odd) : i;
	if (i == KVM_IRQCHIP_IOAPIC && chance(ch, 40))
		program_lines(ch, setup, &c->u.chip.chip.ioapic);
	else if (i == KVM_IRQCHIP_IOAPIC)
		choose_ioapic(ch, setup, &c->u.chip.chip.ioapic);
	else
		random_bytes(ch, &c->u.chip.chip.pic, sizeof(c->u.chip.chip.pic));
}

/* ---- LAPICs ---- */

static uint32_t *reg(struct kvm_lapic_state *s, unsigned int offset)
{
	return (uint32_t *)(s->regs + offset);
}

static void set_vector(struct kvm_lapic_state *s, unsigned int base, uint8_t vector)
{
	*reg(s, base + vector / 32 * 0x10) |= 1u << vector % 32;
}

/* No timer, and nothing that would fire by itself. */
static void calm_lapic(struct kvm_lapic_state *s)
{
	unsigned int r;

	*reg(s, LAPIC_TMICT) = 0;
	for (r = LAPIC_LVT_TIMER; r <= LAPIC_LVT_ERROR; r += 0x10)
		*reg(s, r) |= LVT_MASKED;
}

static void likely_lapic(struct choice *ch, unsigned int i, struct kvm_lapic_state *s)
{
	static const uint32_t dfrs[] = { 0xffffffff, 0xffffffff, 0xffffffff, 0x0fffffff,
					 0x5fffffff };

	if (chance(ch, 80))
		*reg(s, LAPIC_SVR) = 0x1ff;
	if (chance(ch, 50))
		*reg(s, LAPIC_LDR) = chance(ch, 70) ? 1u << (24 + i) : word(ch);
	if (chance(ch, 30))
		*reg(s, LAPIC_DFR) = PICK(ch, dfrs);
	if (chance(ch, 5))
		*reg(s, LAPIC_ID) = word(ch);
	if (chance(ch, 30))
		*reg(s, LAPIC_TPR) = PICK(ch, vectors);
	if (chance(ch, 20))
		memset(reg(s, LAPIC_IRR), 0, 8 * 0x10);
	if (chance(ch, 50))
		set_vector(s, LAPIC_ISR, PICK(ch, vectors));
	if (chance(ch, 20))
		set_vector(s, LAPIC_ISR, PICK(ch, vectors));
	if (chance(ch, 20))
		set_vector(s, LAPIC_TMR, PICK(ch, vectors));
}

/* What the processor would do with the highest request: it is in service now. */
static void serve(struct kvm_lapic_state *s)
{
	int v;

	for (v = 255; v >= 0; v--) {
		uint32_t *w = reg(s, LAPIC_IRR + v / 32 * 0x10), bit = 1u << v % 32;

		if (!(*w & bit))
			continue;
		*w &= ~bit;
		set_vector(s, LAPIC_ISR, v);
		return;
	}
}

static void choose_lapic(struct choice *ch, const struct irq_setup *setup,
			 const struct irq_state *now, struct irq_call *c)
{
	c->kind = IRQ_SET_LAPIC;
	c->u.lapic = now->lapic[c->vcpu];
	if (!setup->runs && chance(ch, 5))
		random_bytes(ch, &c->u.lapic, sizeof(c->u.lapic));
	else if (chance(ch, 50))
		serve(&c->u.lapic);
	else
		likely_lapic(ch, c->vcpu, &c->u.lapic);
	calm_lapic(&c->u.lapic);
}

static uint64_t icr(struct choice *ch, const struct irq_setup *setup)
{
	uint64_t v = PICK(ch, vectors) | delivery_mode(ch, setup->runs);

	v |= (uint64_t)(chance(ch, 10) ? UINT32_MAX : destination(ch, setup)) << 32;
	v |= (uint64_t)(chance(ch, 60) ? 0 : choice_below(ch, 4)) << 18;
	v |= choice_below(ch, 4) << 14;
	if (chance(ch, 40))
		v |= 1 << 11;
	if (chance(ch, 10))
		v |= 1 << 12; /* busy: read-only */
	if (chance(ch, 5))
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
	if (chance(ch, 5))
		v |= 1ull << choice_below(ch, 12);
	if (chance(ch, 3))
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
		e->data = chance(ch, 80) ? 0x1ff : word(ch);
	} else if (r < 75) {
		e->index = MSR_X2APIC_ICR;
		e->data = icr(ch, setup);
	} else if (r < 80) {
		e->index = MSR_X2APIC_SELF;
		e->data = chance(ch, 80) ? PICK(ch, vectors) : word(ch);
	} else if (r < 84) {
		e->index = MSR_APIC_BASE;
		e->data = apic_base(ch, setup, c->vcpu);
	} else {
		e->index = MSR_X2APIC + choice_below(ch, 0x100);
		e->data = chance(ch, 50) ? 0 : word(ch) | LVT_MASKED;
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
		chance(ch, 20) ? MSR_APIC_BASE : MSR_X2APIC + choice_below(ch, 0x100);
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
		serve(&c->u.lapic);
		calm_lapic(&c->u.lapic);
		plan->vcpu = c->vcpu;
		plan->next = setup->runs ? PLAN_SCAN : PLAN_END;
		return true;
	}
	return false;
}

static bool go_on(struct irq_plan *plan, struct irq_call *c)
{
	c->vcpu = plan->vcpu;
	switch (plan->next) {
	case PLAN_SCAN:
		c->kind = IRQ_RUN;
		plan->next = PLAN_END;
		return true;
	case PLAN_END:
		end_interrupt(c);
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
			const struct irq_state *now, struct irq_call *c)
{
	uint32_t r = choice_below(ch, 100);
	enum irq_call_kind kind = IRQ_LINE;

	while (kind < IRQ_RUN && r >= shares[kind][setup->tidy])
		r -= shares[kind++][setup->tidy];
	switch (kind) {
	case IRQ_MSI:
		choose_msi(ch, setup, c);
		break;
	case IRQ_ROUTES:
		choose_routes(ch, setup, c);
		break;
	case IRQ_SET_CHIP:
		choose_chip(ch, setup, now, c);
		break;
	case IRQ_SET_LAPIC:
		choose_lapic(ch, setup, now, c);
		break;
	case IRQ_SET_MSR:
		choose_msr(ch, setup, c);
		break;
	case IRQ_GET_MSR:
		choose_get_msr(ch, c);
		break;
	case IRQ_RUN:
		c->kind = IRQ_RUN;
		if (setup->runs)
			break;
		/* fall through */
	default:
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
		program_lines(ch, setup, &c->u.chip.chip.ioapic);
		return;
	}
	c->kind = IRQ_ROUTES;
	c->u.routes.nr = sizeof(lines);
	for (i = 0; i < sizeof(lines); i++) {
		struct kvm_irq_routing_entry *e = &c->u.routes.entries[i];
		uint32_t dest = setup->ids[choice_below(ch, setup->nr_vcpus)];

		e->gsi = lines[i];
		e->type = KVM_IRQ_ROUTING_MSI;
		e->u.msi.address_lo = 0xfee00000 | (dest & 0xff) << 12;
		e->u.msi.address_hi = dest & ~0xffu;
		e->u.msi.data = PICK(ch, vectors) | (chance(ch, 70) ? 0xc000 : 0) /* level */;
	}
}

void irq_choose_call(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		     struct irq_plan *plan, struct irq_call *out)
{
	bool first = !plan->begun;

	memset(out, 0, sizeof(*out));
	out->vcpu = choice_below(ch, setup->nr_vcpus);
	plan->begun = true;
	if (first && (setup->tidy || chance(ch, 50)))
		first_call(ch, setup, now, out);
	/* Now and then something comes between. */
	else if (!(chance(ch, 85) && go_on(plan, out)) &&
		 !(chance(ch, 30) && begin(ch, setup, now, plan, out)))
		choose_kind(ch, setup, now, out);
}

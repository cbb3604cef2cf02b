// SPDX-License-Identifier: GPL-2.0-only
/* Images of controllers and LAPICs: what is there, changed as a guest might have, or garbage. */
#include <string.h>

#include "live_irq_image.h"

#define PICK(ch, list)	((list)[choice_below(ch, sizeof(list) / sizeof((list)[0]))])

/* LAPIC registers (Intel SDM vol. 3, table "Local APIC Register Address Map"). */
#define LAPIC_ID	0x20
#define LAPIC_TPR	0x80
#define LAPIC_LDR	0xd0
#define LAPIC_DFR	0xe0
#define LAPIC_SVR	0xf0
#define LAPIC_ISR	0x100
#define LAPIC_TMR	0x180
#define LAPIC_IRR	0x200
#define LAPIC_LVT_TIMER 0x320
#define LAPIC_LVT_ERROR 0x370
#define LAPIC_TMICT	0x380
#define LVT_MASKED	0x10000

/* ---- controllers ---- */

static void random_bytes(struct choice *ch, void *at, size_t size)
{
	unsigned char *p = at;

	while (size--)
		*p++ = choice_below(ch, 256);
}

static uint64_t redirection(struct choice *ch, const struct irq_setup *setup)
{
	uint64_t e = irq_vector(ch) | irq_delivery_mode(ch, setup->runs);

	e |= (uint64_t)(irq_destination(ch, setup) & 0xff) << 56;
	if (irq_chance(ch, 40))
		e |= 1 << 11; /* logical */
	if (irq_chance(ch, 20))
		e |= 1 << 13; /* polarity */
	if (irq_chance(ch, 15))
		e |= 1 << 14; /* remote IRR */
	if (irq_chance(ch, 60))
		e |= 1 << 15; /* level */
	if (irq_chance(ch, 15))
		e |= 1 << 16; /* masked */
	return e;
}

static void choose_ioapic(struct choice *ch, const struct irq_setup *setup,
			  struct kvm_ioapic_state *io)
{
	unsigned int i, n = 1 + choice_below(ch, 8);

	if (!setup->runs && irq_chance(ch, 10)) {
		random_bytes(ch, io, sizeof(*io));
		for (i = 0; i < KVM_IOAPIC_NUM_PINS; i++)
			if (io->redirtbl[i].fields.delivery_mode == 2) /* SMI */
				io->redirtbl[i].fields.delivery_mode = 0;
		return;
	}
	while (n--) {
		i = irq_chance(ch, 70) ? irq_lines[choice_below(ch, IRQ_NR_LINES)]
				       : choice_below(ch, KVM_IOAPIC_NUM_PINS);
		io->redirtbl[i].bits = redirection(ch, setup);
	}
	if (irq_chance(ch, 30))
		io->irr ^= irq_word(ch) & irq_word(ch);
}

void irq_program_lines(struct choice *ch, const struct irq_setup *setup,
		       struct kvm_ioapic_state *io)
{
	unsigned int i;

	for (i = 0; i < IRQ_NR_LINES; i++) {
		uint64_t dest = setup->ids[choice_below(ch, setup->nr_vcpus)] & 0xff;

		io->redirtbl[irq_lines[i]].bits = irq_vector(ch) | dest << 56 |
						  (irq_chance(ch, 70) ? 1 << 15 : 0) /* level */;
	}
}

void irq_choose_chip(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		     struct irq_call *c)
{
	static const uint32_t odd[] = { 3, 4, UINT32_MAX };
	uint32_t i = irq_chance(ch, 70) ? KVM_IRQCHIP_IOAPIC : choice_below(ch, 2);

	c->kind = IRQ_SET_CHIP;
	c->u.chip = now->chip[i];
	c->u.chip.chip_id = irq_chance(ch, 3) ? PICK(ch, odd) : i;
	if (i == KVM_IRQCHIP_IOAPIC && irq_chance(ch, 40))
		irq_program_lines(ch, setup, &c->u.chip.chip.ioapic);
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

void irq_calm_lapic(struct kvm_lapic_state *s)
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

	if (irq_chance(ch, 80))
		*reg(s, LAPIC_SVR) = 0x1ff;
	if (irq_chance(ch, 50))
		*reg(s, LAPIC_LDR) = irq_chance(ch, 70) ? 1u << (24 + i) : irq_word(ch);
	if (irq_chance(ch, 30))
		*reg(s, LAPIC_DFR) = PICK(ch, dfrs);
	if (irq_chance(ch, 5))
		*reg(s, LAPIC_ID) = irq_word(ch);
	if (irq_chance(ch, 30))
		*reg(s, LAPIC_TPR) = irq_vector(ch);
	if (irq_chance(ch, 20))
		memset(reg(s, LAPIC_IRR), 0, 8 * 0x10);
	if (irq_chance(ch, 50))
		set_vector(s, LAPIC_ISR, irq_vector(ch));
	if (irq_chance(ch, 20))
		set_vector(s, LAPIC_ISR, irq_vector(ch));
	if (irq_chance(ch, 20))
		set_vector(s, LAPIC_TMR, irq_vector(ch));
}

/* What the processor would do with the highest request: it is in service now. */
void irq_serve(struct kvm_lapic_state *s)
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

void irq_choose_lapic(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		      struct irq_call *c)
{
	c->kind = IRQ_SET_LAPIC;
	c->u.lapic = now->lapic[c->vcpu];
	if (!setup->runs && irq_chance(ch, 5))
		random_bytes(ch, &c->u.lapic, sizeof(c->u.lapic));
	else if (irq_chance(ch, 50))
		irq_serve(&c->u.lapic);
	else
		likely_lapic(ch, c->vcpu, &c->u.lapic);
	irq_calm_lapic(&c->u.lapic);
}

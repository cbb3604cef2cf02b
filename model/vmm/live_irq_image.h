/* SPDX-License-Identifier: GPL-2.0-only */
/* Images for the generator behind live_irq.h, and what both choose from. Inside model/vmm only. */
#ifndef VMM_LIVE_IRQ_IMAGE_H
#define VMM_LIVE_IRQ_IMAGE_H

#include "live_choice.h"
#include "live_irq_vm.h"

#define IRQ_RTC_GSI  8
#define IRQ_NR_LINES 5
extern const uint8_t irq_lines[IRQ_NR_LINES]; /* GSIs, and pins of the default table */

bool irq_chance(struct choice *ch, unsigned int percent);
uint8_t irq_vector(struct choice *ch);
uint32_t irq_word(struct choice *ch);
uint32_t irq_destination(struct choice *ch, const struct irq_setup *setup);
uint32_t irq_delivery_mode(struct choice *ch, bool runs); /* as bits 8 to 10 have it */

/* Every line goes to a vCPU that is there. */
void irq_program_lines(struct choice *ch, const struct irq_setup *setup,
		       struct kvm_ioapic_state *io);
/* The highest request is in service. */
void irq_serve(struct kvm_lapic_state *s);
/* No timer, and nothing that would fire by itself. */
void irq_calm_lapic(struct kvm_lapic_state *s);

void irq_choose_chip(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		     struct irq_call *c);
void irq_choose_lapic(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		      struct irq_call *c);

#endif

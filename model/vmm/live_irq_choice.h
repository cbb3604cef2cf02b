/* SPDX-License-Identifier: GPL-2.0-only */
/* The generator behind live_irq.h. Inside model/vmm only. */
#ifndef VMM_LIVE_IRQ_CHOICE_H
#define VMM_LIVE_IRQ_CHOICE_H

#include <stddef.h>

#include "live_choice.h"
#include "live_irq_vm.h"

/*
 * What was begun, call after call: an interrupt is taken, its vCPU scanned, the interrupt ended, its
 * resamplefd read.
 */
#define IRQ_RESAMPLEFD (IRQ_NR_FDS - 1) /* of the irqfds that a VM begins with */

struct irq_bound { /* by the last KVM_IRQFD with it, whatever came of it */
	bool is[IRQ_NR_FDS];
	uint32_t gsi[IRQ_NR_FDS];
};

struct irq_plan {
	enum { PLAN_NOTHING, PLAN_SCAN, PLAN_END, PLAN_READ } next;
	unsigned int vcpu;
	unsigned int calls; /* so far */
	struct irq_bound bound;
};

void irq_choose_setup(struct choice *ch, struct irq_setup *out);
/* The next call; @now: both VMs' state, of which images are made. @plan: zero at first. */
void irq_choose_call(struct choice *ch, const struct irq_setup *setup, const struct irq_state *now,
		     struct irq_plan *plan, struct irq_call *out);
/* The first calls with eventfds, from 0 on: made and bound. False: that is all. */
bool irq_first_fd(struct choice *ch, unsigned int nth, struct irq_bound *bound,
		  struct irq_fd_call *out);
void irq_choose_fd(struct choice *ch, struct irq_bound *bound, struct irq_fd_call *out);
/* A call, a set-up in words, without a newline. */
void irq_call_text(const struct irq_call *c, char *buf, size_t size);
void irq_setup_text(const struct irq_setup *s, char *buf, size_t size);

#endif

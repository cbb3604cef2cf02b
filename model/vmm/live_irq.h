/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random comparison of two KVMs, interrupts delivered: lines, messages, routes, controller images,
 * LAPIC images, x2APIC registers with EOIs, and one instruction of a guest to have the IOAPIC's
 * pins scanned; eventfds, irqfds and ioeventfds. After each call everything that can be read is
 * compared: answer, status, the LAPIC of every vCPU, PIC and IOAPIC, and which eventfds have a
 * count.
 */
#ifndef VMM_LIVE_IRQ_H
#define VMM_LIVE_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"

struct live_irq_result {
	unsigned int calls, vms;
	/*
	 * EOIs written, those of them that an IOAPIC of the kernel heard of, exits for one of user
	 * space
	 */
	unsigned int eois, acks, exits;
	/* irqfds assigned, writes that an irqfd injected, EOIs that signalled a resamplefd */
	unsigned int irqfds, injected, resampled;
	bool differs;
	char detail[512]; /* what differs, or which call could not be made */
	char *sequence;	  /* the calls of that VM in words, one a line */
};

/*
 * live_irq_compare - @count random calls, chosen by @seed alone
 * Returns 0 (look at out->differs), or -errno where a VM could not be set up on one of them.
 * live_irq_free() is needed in every case.
 */
int live_irq_compare(struct backend *a, struct backend *b, uint64_t seed, unsigned int count,
		     struct live_irq_result *out);
void live_irq_free(struct live_irq_result *r);

#endif

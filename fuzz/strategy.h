/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The strategies under test and how one call is made on one of them.
 */
#ifndef FUZZ_STRATEGY_H
#define FUZZ_STRATEGY_H

#include <port.h>

#include "expect.h"

#define STRATEGY_MAX_EVENTS 16 /* of one call: a GSI has three routes */

struct strategy {
	const char *name;
	const struct port_ops *ops;
	uint64_t live; /* objects it has allocated and not freed */

	/* what the last call did besides its result */
	bool fault_hit;
	int32_t status; /* KVM_IRQ_LINE_STATUS */
	unsigned int nr_events;
	struct port_event events[STRATEGY_MAX_EVENTS];
};

/*
 * strategy_choose - those that the environment asks for: IRQSIM_STRATEGY=NAME, by default all;
 * IRQSIM_MUTANT=NAME: one more; booted, with the system open
 * Returns how many; ends the process with status 2 on an unknown name.
 */
unsigned int strategy_choose(struct strategy *all, unsigned int max);

/* The pages that bad pointers point to. Once a process. */
void strategy_map_pages(void);

long strategy_run(struct strategy *s, int fd, const struct call *call,
		  const struct kvm_irq_routing *table);

#endif

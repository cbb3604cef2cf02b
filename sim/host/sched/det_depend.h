/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which steps depend on each other. Store buffers have ids of their own (its context's + DET_MAX_TASKS): the
 * flush of a store is a step of the buffer's.
 */
#ifndef SIM_HOST_DET_DEPEND_H
#define SIM_HOST_DET_DEPEND_H

#include "det.h"

/* Happens-before of the search: of each id, how many of its steps come before. */
struct order_clock {
	uint16_t n[DET_IDS];
};

struct order_step {
	struct det_op op;
	struct order_clock clk;
	uint16_t index; /* of its own id's steps, from 1 */
	uint8_t id;
};

/* Do two next operations of different ids have an order? */
bool det_dependent(const struct det_op *a, const struct det_op *b);

/*
 * Fill in the clock of @steps[i], those before it being known; call @race for each earlier step
 * that could have come after it, the latest first.
 */
void det_order(struct order_step *steps, uint32_t i,
	       void (*race)(struct order_step *steps, uint32_t earlier, uint32_t later));

#endif

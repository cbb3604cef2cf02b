/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which steps depend on each other. A store buffer has an id of its own (its context's +
 * DET_MAX_TASKS): the flush of a store is a step of the buffer's.
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

/* Steps that have to go, with all that comes after them, for a later one to come before them. */
#define MAX_OBSTACLES 64 /* assumed enough; what needs more makes the search incomplete */
struct order_obstacles {
	uint32_t at[MAX_OBSTACLES];
	uint32_t nr;
	bool full;
};

/* Do two steps of different ids have an order, the later one possible only after the other or not?
 */
bool det_ordered(const struct order_step *then, const struct order_step *now);

/* Do two next operations of different ids have an order? */
bool det_dependent(const struct det_op *a, const struct det_op *b);

/*
 * Fill in the clock of @steps[i], those before it being known; call @race for each earlier step
 * that could have come after it, the latest first.
 */
void det_order(struct order_step *steps, uint32_t i,
	       void (*race)(struct order_step *steps, uint32_t earlier, uint32_t later));

/* ---- of det_order() and det_obstacles() only ---- */

/* FREED: an order that cannot be the other way round; LAST: nothing earlier counts. */
enum det_relation { NONE, FREED, RACE, RACE_LAST };
/* @began: a grace period that @now ends began after @then. */
enum det_relation det_relation(const struct order_step *then, const struct order_step *now,
			       uint32_t began);
bool det_raises(const struct det_op *op, uint8_t need);
bool det_lowers(const struct det_op *op, uint8_t need);
bool det_is_buffered(const struct det_op *op); /* a store that enters its buffer */
bool det_is_flush_of_other(const struct order_step *then, const struct order_step *now);
bool det_is_lock(const struct det_op *op);
bool det_is_shared(const struct det_op *op);
bool det_took_it(const struct det_op *op);
extern struct order_clock det_required; /* what comes before the step looked at in any case */

/*
 * For det_order()'s race: without what comes after the obstacle, @later may be kept from running by
 * what now does not end (a level that is not lowered, a lock that is not released). Add the step
 * that began it, until nothing keeps @later out. @possible: its own operation was, in the end.
 * false: it cannot come first, or @o->full: there was no room to tell.
 */
bool det_obstacles(const struct order_step *steps, uint32_t later, bool possible,
		   struct order_obstacles *o);
bool det_after_obstacles(const struct order_step *steps, uint32_t k,
			 const struct order_obstacles *o);

#endif

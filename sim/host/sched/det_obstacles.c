// SPDX-License-Identifier: GPL-2.0-only
/*
 * What has to go with a step that goes, where contexts share CPUs: a level that would stay raised,
 * a lock that would stay taken, a wait that would not end.
 */
#include "det_depend.h"

bool det_after_obstacles(const struct order_step *steps, uint32_t k,
			 const struct order_obstacles *o)
{
	uint32_t i;

	for (i = 0; i < o->nr; i++)
		if (k >= o->at[i] && steps[k].clk.n[steps[o->at[i]].id] >= steps[o->at[i]].index)
			return true;
	return false;
}

/* The @n-th store of context @id, from 1. */
static uint32_t nth_store(const struct order_step *steps, uint8_t id, uint32_t n)
{
	uint32_t k = 0;

	for (;; k++)
		if (steps[k].id == id && det_is_buffered(&steps[k].op) && !--n)
			return k;
}

/*
 * Who has the CPU raised after the steps that are kept, or stores in its buffer? The step that
 * began it, or @later: nobody.
 */
static uint32_t level_held(const struct order_step *steps, uint32_t later,
			   const struct order_obstacles *o)
{
	const struct order_step *now = &steps[later];
	uint32_t by[DET_MAX_TASKS], stores[DET_IDS] = { 0 }, k, i;

	for (i = 0; i < DET_MAX_TASKS; i++)
		by[i] = later;
	for (k = 0; k < later; k++) {
		const struct det_op *op = &steps[k].op;

		if (op->cpu != now->op.cpu || steps[k].id == now->id || !now->op.need ||
		    det_after_obstacles(steps, k, o))
			continue;
		if (det_is_buffered(op) || det_is_flush_of_other(&steps[k], now))
			stores[steps[k].id]++;
		else if (op->need && det_raises(op, now->op.need))
			by[steps[k].id] = k;
		else if (op->need && det_lowers(op, now->op.need))
			by[steps[k].id] = later;
	}
	for (i = 0; i < DET_MAX_TASKS; i++) {
		if (by[i] != later)
			return by[i];
		if (stores[i] > stores[i + DET_MAX_TASKS])
			return nth_store(steps, i, stores[i + DET_MAX_TASKS] + 1);
	}
	return later;
}

/* The same of the lock that @later takes. */
static uint32_t lock_held(const struct order_step *steps, uint32_t later,
			  const struct order_obstacles *o)
{
	const struct order_step *now = &steps[later];
	uint32_t by[DET_MAX_TASKS], k, i;

	for (i = 0; i < DET_MAX_TASKS; i++)
		by[i] = later;
	for (k = 0; k < later; k++) {
		const struct det_op *op = &steps[k].op;

		if (!det_is_lock(op) || op->addr != now->op.addr || steps[k].id == now->id ||
		    (now->op.kind == DET_OP_RDLOCK && det_is_shared(op)) ||
		    det_after_obstacles(steps, k, o))
			continue;
		if (det_took_it(op))
			by[steps[k].id] = k;
		else if (op->kind == DET_OP_UNLOCK || op->kind == DET_OP_RDUNLOCK)
			by[steps[k].id] = later;
	}
	for (i = 0; i < DET_MAX_TASKS; i++)
		if (by[i] != later)
			return by[i];
	return later;
}

/*
 * Has the wait @later ended after the steps that are kept? The values that its word had are those
 * that the writes to it found; the last step before which it had, later: it has, or UINT32_MAX:
 * there is none.
 */
static uint32_t not_ended(const struct order_step *steps, uint32_t later,
			  const struct order_obstacles *o, bool ended)
{
	uint32_t k, had = UINT32_MAX;
	enum det_relation r;

	for (k = 0; k < later; k++) {
		if (steps[k].id == steps[later].id)
			continue;
		r = det_relation(&steps[k], &steps[later], 0);
		if (r == RACE_LAST)
			had = k;
		if (r != NONE && det_after_obstacles(steps, k, o))
			return r == RACE_LAST ? later : had;
	}
	return ended ? later : had;
}

/* Is a reader that the grace period @later waited for still in its section? */
static bool lost_reader(const struct order_step *steps, uint32_t later,
			const struct order_obstacles *o)
{
	uint32_t k, began = 0;

	for (k = later; k-- > 0;) {
		if (steps[k].id == steps[later].id)
			began |= steps[k].op.kind == DET_OP_GP_BEGIN;
		else if (det_relation(&steps[k], &steps[later], began) == FREED &&
			 det_after_obstacles(steps, k, o))
			return true;
	}
	return false;
}

/* What keeps @later from running after the steps that are kept; later: nothing; UINT32_MAX: it
 * cannot. */
static uint32_t next_obstacle(const struct order_step *steps, uint32_t later,
			      const struct order_obstacles *o, bool possible)
{
	uint32_t k = level_held(steps, later, o);

	if (k != later)
		return k;
	switch (steps[later].op.kind) {
	case DET_OP_LOCK:
	case DET_OP_RDLOCK:
		return lock_held(steps, later, o);
	case DET_OP_BEGIN:
		if (!steps[later].op.addr)
			return later;
		return not_ended(steps, later, o, possible);
	case DET_OP_AWAIT:
		return not_ended(steps, later, o, possible);
	case DET_OP_GP_END:
		return possible && !lost_reader(steps, later, o) ? later : UINT32_MAX;
	default:
		return later;
	}
}

bool det_obstacles(const struct order_step *steps, uint32_t later, bool possible,
		   struct order_obstacles *o)
{
	uint32_t k;

	for (;;) {
		k = next_obstacle(steps, later, o, possible);
		if (k == later)
			return true;
		if (k == UINT32_MAX || det_required.n[steps[k].id] >= steps[k].index)
			return false;
		o->full = o->nr == MAX_OBSTACLES;
		if (o->full)
			return false;
		o->at[o->nr++] = k;
	}
}

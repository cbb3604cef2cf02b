// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step's place among the others. What only made it possible (the unlock before a lock, the
 * section's end before a grace period's) orders it, but cannot be the other way round: there the
 * search has to look further back, for the step that took the lock first.
 */
#include "det_depend.h"

static bool is_memory(const struct det_op *op)
{
	return op->kind >= DET_OP_READ && op->kind <= DET_OP_AWAIT;
}

/* Under tso a store only enters its own buffer. */
static bool is_local(const struct det_op *op)
{
	return op->kind == DET_OP_START || op->kind == DET_OP_FENCE ||
	       (det.tso && op->kind == DET_OP_WRITE && op->size <= 8);
}

static bool writes(const struct det_op *op)
{
	return op->kind != DET_OP_READ && op->kind != DET_OP_AWAIT;
}

static bool is_lock(const struct det_op *op)
{
	return op->kind >= DET_OP_LOCK && op->kind <= DET_OP_RDUNLOCK;
}

static bool is_shared(const struct det_op *op)
{
	return op->kind >= DET_OP_RDLOCK && op->kind <= DET_OP_RDUNLOCK;
}

static bool overlap(const struct det_op *a, const struct det_op *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

bool det_dependent(const struct det_op *a, const struct det_op *b)
{
	bool memory_a = is_memory(a) || a->kind == DET_OP_FLUSH;
	bool memory_b = is_memory(b) || b->kind == DET_OP_FLUSH;

	if (is_local(a) || is_local(b) || memory_a != memory_b)
		return false;
	if (memory_a)
		return (writes(a) || writes(b)) && overlap(a, b);
	if (a->addr != b->addr)
		return false;
	if (is_lock(a) && is_lock(b))
		return !(is_shared(a) && is_shared(b));
	/* A reader that left before or after a grace period began leaves it with the same to wait
	 * for. */
	return (a->kind == DET_OP_READER_IN && b->kind == DET_OP_GP_BEGIN) ||
	       (a->kind == DET_OP_GP_BEGIN && b->kind == DET_OP_READER_IN);
}

static void join(struct order_clock *to, const struct order_clock *from)
{
	int i;

	for (i = 0; i < DET_IDS; i++)
		to->n[i] = from->n[i] > to->n[i] ? from->n[i] : to->n[i];
}

enum relation { NONE, FREED, RACE, RACE_LAST };

static bool took_it(const struct det_op *op)
{
	switch (op->kind) {
	case DET_OP_LOCK:
	case DET_OP_RDLOCK:
		return true;
	case DET_OP_TRYLOCK:
	case DET_OP_RDTRYLOCK:
		return op->value;
	default:
		return false;
	}
}

static enum relation to_lock(const struct det_op *then, const struct det_op *now)
{
	bool shared = now->kind == DET_OP_RDLOCK;

	if (then->addr != now->addr || !is_lock(then) || (shared && is_shared(then)))
		return NONE;
	if (then->kind == DET_OP_UNLOCK || then->kind == DET_OP_RDUNLOCK)
		return FREED;
	if (!took_it(then))
		return NONE;
	return is_shared(then) ? RACE : RACE_LAST;
}

/* @then's value is the one it found; a wait that would not have ended before it was ended by it. */
static enum relation to_await(const struct det_op *then, const struct det_op *now)
{
	if (is_local(then) || !(is_memory(then) || then->kind == DET_OP_FLUSH) || !writes(then) ||
	    !overlap(then, now))
		return NONE;
	return then->addr == now->addr && then->value == now->value ? FREED : RACE_LAST;
}

static enum relation relation(const struct order_step *then, const struct order_step *now,
			      uint32_t began)
{
	switch (now->op.kind) {
	case DET_OP_LOCK:
	case DET_OP_RDLOCK:
		return to_lock(&then->op, &now->op);
	case DET_OP_AWAIT:
		return to_await(&then->op, &now->op);
	case DET_OP_GP_END:
		if (then->op.kind != DET_OP_READER_OUT || then->op.addr != now->op.addr)
			return NONE;
		return began || (then->op.mask & (1u << now->id)) ? FREED : NONE;
	default:
		return det_dependent(&then->op, &now->op) ? RACE : NONE;
	}
}

/* What has to be there before the step can be at all: its own stores flushed, the store to flush
 * made. */
static void before_it(const struct order_step *steps, uint32_t i, struct order_clock *clk)
{
	const struct order_step *now = &steps[i];
	uint32_t nr, seen = 0, j;

	if (!det.tso)
		return;
	if (now->id >= DET_MAX_TASKS) {
		nr = now->index;
		for (j = 0; j < i; j++)
			if (steps[j].id == now->id - DET_MAX_TASKS &&
			    steps[j].op.kind == DET_OP_WRITE && steps[j].op.size <= 8 &&
			    ++seen == nr)
				join(clk, &steps[j].clk);
		return;
	}
	if (now->op.kind == DET_OP_START || now->op.kind == DET_OP_READ ||
	    now->op.kind == DET_OP_AWAIT || is_local(&now->op))
		if (now->op.kind != DET_OP_FENCE)
			return;
	for (j = i; j-- > 0;)
		if (steps[j].id == now->id + DET_MAX_TASKS) {
			join(clk, &steps[j].clk);
			return;
		}
}

void det_order(struct order_step *steps, uint32_t i,
	       void (*race)(struct order_step *steps, uint32_t earlier, uint32_t later))
{
	struct order_step *now = &steps[i];
	struct order_clock clk = { 0 }, freed = { 0 };
	uint32_t j, began = 0;

	now->index = 1;
	for (j = i; j-- > 0;)
		if (steps[j].id == now->id) {
			clk = steps[j].clk;
			now->index = steps[j].index + 1;
			break;
		}
	before_it(steps, i, &clk);

	for (j = i; j-- > 0;) {
		enum relation r;

		if (steps[j].id == now->id) {
			/* Readers that left before the grace period began are waited for as well.
			 */
			if (now->op.kind == DET_OP_GP_END && steps[j].op.kind == DET_OP_GP_BEGIN)
				began = 1;
			if (now->op.kind == DET_OP_LOCK && steps[j].op.addr == now->op.addr &&
			    took_it(&steps[j].op) && !is_shared(&steps[j].op))
				break;
			continue;
		}
		r = relation(&steps[j], now, began);
		if (r == NONE)
			continue;
		if (r == FREED) {
			join(&freed, &steps[j].clk);
			continue;
		}
		if (race && clk.n[steps[j].id] < steps[j].index)
			race(steps, j, i);
		join(&clk, &steps[j].clk);
		if (r == RACE_LAST)
			break;
	}
	join(&clk, &freed);
	clk.n[now->id] = now->index;
	now->clk = clk;
}

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
	       (det.tso && op->kind == DET_OP_WRITE && op->size <= 8 && !(op->flags & DET_DIRECT));
}

static bool writes(const struct det_op *op)
{
	return op->kind != DET_OP_READ && op->kind != DET_OP_AWAIT;
}

bool det_is_lock(const struct det_op *op)
{
	return op->kind >= DET_OP_LOCK && op->kind <= DET_OP_RDUNLOCK;
}

bool det_is_shared(const struct det_op *op)
{
	return op->kind >= DET_OP_RDLOCK && op->kind <= DET_OP_RDUNLOCK;
}

static bool overlap(const struct det_op *a, const struct det_op *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

static bool is_irq(const struct det_op *op)
{
	return op->kind == DET_OP_IRQ || op->kind == DET_OP_UNIRQ ||
	       (op->kind == DET_OP_BEGIN && op->addr);
}

/* By what they do; their contexts' levels apart. */
static bool op_dependent(const struct det_op *a, const struct det_op *b)
{
	bool memory_a = is_memory(a) || a->kind == DET_OP_FLUSH;
	bool memory_b = is_memory(b) || b->kind == DET_OP_FLUSH;

	if (is_local(a) || is_local(b) || memory_a != memory_b)
		return false;
	if (memory_a)
		return (writes(a) || writes(b)) && overlap(a, b);
	if (a->addr != b->addr)
		return false;
	/* The number of what is made next. */
	if (a->kind == DET_OP_NEW || b->kind == DET_OP_NEW)
		return a->kind == b->kind;
	if (is_irq(a) || is_irq(b))
		return is_irq(a) && is_irq(b);
	if (det_is_lock(a) && det_is_lock(b))
		return !(det_is_shared(a) && det_is_shared(b));
	/* A reader that left before or after a grace period began leaves it with the same to wait
	 * for. */
	return (a->kind == DET_OP_READER_IN && b->kind == DET_OP_GP_BEGIN) ||
	       (a->kind == DET_OP_GP_BEGIN && b->kind == DET_OP_READER_IN);
}

/* ---- levels: what is raised excludes the steps of those who need their CPU below it ---- */

bool det_is_buffered(const struct det_op *op)
{
	return det.tso && op->kind == DET_OP_WRITE && op->size <= 8 && !(op->flags & DET_DIRECT);
}

bool det_raises(const struct det_op *op, uint8_t need)
{
	return op->level < need && op->to >= need;
}

bool det_lowers(const struct det_op *op, uint8_t need)
{
	return op->level >= need && op->to < need;
}

static bool excludes(const struct det_op *op, uint8_t need)
{
	return det_raises(op, need) || det_lowers(op, need) || det_is_buffered(op);
}

bool det_dependent(const struct det_op *a, const struct det_op *b)
{
	if (det_shared_cpus && a->cpu == b->cpu && a->need && b->need &&
	    (excludes(a, b->need) || excludes(b, a->need)))
		return true;
	return op_dependent(a, b);
}

static void join(struct order_clock *to, const struct order_clock *from)
{
	int i;

	for (i = 0; i < DET_IDS; i++)
		to->n[i] = from->n[i] > to->n[i] ? from->n[i] : to->n[i];
}

bool det_took_it(const struct det_op *op)
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

/*
 * An interrupt, or another task, finds an empty store buffer: what is in it keeps all others out.
 */
bool det_is_flush_of_other(const struct order_step *then, const struct order_step *now)
{
	return then->op.kind == DET_OP_FLUSH && then->id != now->id + DET_MAX_TASKS;
}

/* As a lock of the CPU: @then took it, or gave it back, or @now takes it. */
static enum det_relation to_level(const struct order_step *then, const struct order_step *now)
{
	const struct det_op *a = &then->op, *b = &now->op;

	if (a->cpu != b->cpu || !b->need || then->id == now->id)
		return NONE;
	if (!a->need)
		return det_is_flush_of_other(then, now) ? FREED : NONE;
	if (det_lowers(a, b->need))
		return FREED;
	if (det_raises(a, b->need) || det_is_buffered(a))
		return RACE;
	if (a->level >= b->need)
		return NONE;
	return det_raises(b, a->need) || det_is_buffered(b) ? RACE : NONE;
}

static enum det_relation to_lock(const struct det_op *then, const struct det_op *now)
{
	bool shared = now->kind == DET_OP_RDLOCK;

	if (then->addr != now->addr || !det_is_lock(then) || (shared && det_is_shared(then)))
		return NONE;
	if (then->kind == DET_OP_UNLOCK || then->kind == DET_OP_RDUNLOCK)
		return FREED;
	if (!det_took_it(then))
		return NONE;
	return det_is_shared(then) ? RACE : RACE_LAST;
}

/* @then's value is the one it found; a wait that would not have ended before it was ended by it. */
static enum det_relation to_await(const struct det_op *then, const struct det_op *now)
{
	if (is_local(then) || !(is_memory(then) || then->kind == DET_OP_FLUSH) || !writes(then) ||
	    !overlap(then, now))
		return NONE;
	return then->addr == now->addr && then->value == now->value ? FREED : RACE_LAST;
}

/* A handler's begin, which waits until it is pending. */
static enum det_relation to_begin(const struct det_op *then, const struct det_op *now)
{
	if (!now->addr || then->addr != now->addr ||
	    (then->kind != DET_OP_IRQ && then->kind != DET_OP_UNIRQ))
		return NONE;
	return then->value ? RACE_LAST : FREED;
}

enum det_relation det_relation(const struct order_step *then, const struct order_step *now,
			       uint32_t began)
{
	switch (now->op.kind) {
	case DET_OP_LOCK:
	case DET_OP_RDLOCK:
		return to_lock(&then->op, &now->op);
	case DET_OP_AWAIT:
		return to_await(&then->op, &now->op);
	case DET_OP_BEGIN:
		return to_begin(&then->op, &now->op);
	case DET_OP_GP_END:
		if (then->op.kind != DET_OP_READER_OUT || then->op.addr != now->op.addr)
			return NONE;
		return began || (then->op.mask & (1u << now->id)) ? FREED : NONE;
	default:
		return op_dependent(&then->op, &now->op) ? RACE : NONE;
	}
}

bool det_ordered(const struct order_step *then, const struct order_step *now)
{
	if (det_shared_cpus && to_level(then, now) != NONE)
		return true;
	return det_relation(then, now, 1) != NONE;
}

/* What has to be there before the step can be at all: its context made, its own stores flushed, the
 * store to flush made. */
static void before_it(const struct order_step *steps, uint32_t i, struct order_clock *clk)
{
	const struct order_step *now = &steps[i];
	uint32_t nr, seen = 0, j;

	if (now->index == 1 && now->id >= det.nr_static && now->id < DET_MAX_TASKS)
		for (j = i; j-- > 0;)
			if (steps[j].op.kind == DET_OP_NEW && steps[j].op.mask == now->id)
				join(clk, &steps[j].clk);
	if (!det.tso)
		return;
	if (now->id >= DET_MAX_TASKS) {
		nr = now->index;
		for (j = 0; j < i; j++)
			if (steps[j].id == now->id - DET_MAX_TASKS &&
			    steps[j].op.kind == DET_OP_WRITE && steps[j].op.size <= 8 &&
			    !(steps[j].op.flags & DET_DIRECT) && ++seen == nr)
				join(clk, &steps[j].clk);
		return;
	}
	if (now->op.kind == DET_OP_READ && now->op.size > 8) {
		for (j = i; j-- > 0;)
			if (steps[j].id == now->id + DET_MAX_TASKS &&
			    overlap(&steps[j].op, &now->op)) {
				join(clk, &steps[j].clk);
				return;
			}
		return;
	}
	if (now->op.kind == DET_OP_START || now->op.kind == DET_OP_READ ||
	    now->op.kind == DET_OP_AWAIT || now->op.kind == DET_OP_LEVEL || is_local(&now->op))
		if (now->op.kind != DET_OP_FENCE)
			return;
	for (j = i; j-- > 0;)
		if (steps[j].id == now->id + DET_MAX_TASKS) {
			join(clk, &steps[j].clk);
			return;
		}
}

struct order_clock det_required; /* by the step that det_order() looks at: what is before_it() */

static void order_levels(struct order_step *steps, uint32_t i, struct order_clock *clk,
			 void (*race)(struct order_step *steps, uint32_t earlier, uint32_t later))
{
	struct order_clock freed = { 0 };
	uint32_t j;

	for (j = i; j-- > 0;) {
		enum det_relation r = to_level(&steps[j], &steps[i]);

		if (r == FREED)
			join(&freed, &steps[j].clk);
		if (r != RACE)
			continue;
		if (race && clk->n[steps[j].id] < steps[j].index)
			race(steps, j, i);
		join(clk, &steps[j].clk);
	}
	join(clk, &freed);
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
	det_required = clk;
	if (det_shared_cpus)
		order_levels(steps, i, &clk, race);

	for (j = i; j-- > 0;) {
		enum det_relation r;

		if (steps[j].id == now->id) {
			/* Readers that left before the grace period began are waited for as well.
			 */
			if (now->op.kind == DET_OP_GP_END && steps[j].op.kind == DET_OP_GP_BEGIN)
				began = 1;
			if (now->op.kind == DET_OP_LOCK && steps[j].op.addr == now->op.addr &&
			    det_took_it(&steps[j].op) && !det_is_shared(&steps[j].op))
				break;
			continue;
		}
		r = det_relation(&steps[j], now, began);
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

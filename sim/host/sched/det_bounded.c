// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policy dpor with a bound of preemptions: what a step conflicts with is run the other way round,
 * and also with the switch put where it costs no preemption, before the block of steps of the
 * context that it would interrupt (Coons, Musuvathi, McKinley: Bounded Partial-Order Reduction,
 * OOPSLA 2013, conservative backtracking points). No sleep sets: what was run before may have been
 * cut off by the bound where this is not.
 */
#include <stdlib.h>

#include "det_depend.h"
#include "tso.h"

static struct point {
	uint32_t can;  /* who could take the step; */
	uint32_t todo; /* ... of these, who is to; */
	uint32_t done; /* ... and who did */
	uint8_t choice;
} * points;
static struct order_step *taken;
static uint32_t repeat; /* steps as in the execution before */
static bool exhausted;

static int bounded_init(void)
{
	points = calloc(det.max_steps + 1, sizeof(*points));
	taken = calloc(det.max_steps + 1, sizeof(*taken));
	repeat = 0;
	exhausted = false;
	return points && taken ? 0 : -1;
}

static void bounded_fini(void)
{
	free(points);
	points = NULL;
	free(taken);
	taken = NULL;
}

static int bounded_begin(uint64_t execution)
{
	(void)execution;
	return exhausted ? -1 : 0;
}

static int bounded_choose(void)
{
	struct point *p = &points[det.nr_steps];

	if (det.nr_steps >= repeat) {
		p->can = det_can_run();
		p->choice = (uint8_t)det_lowest_or_current();
		p->todo = 1u << p->choice;
		p->done = 0;
	}
	return p->choice;
}

/* Where the steps of one context begin that @i is among, the flushes between them left aside. */
static uint32_t block_of(uint32_t i)
{
	uint32_t j;

	for (j = i; j-- > 0;)
		if (taken[j].id < DET_MAX_TASKS) {
			if (taken[j].id != taken[i].id)
				break;
			i = j;
		}
	return i;
}

static void add(uint32_t at, uint8_t id)
{
	struct point *p = &points[at];

	p->todo |= p->can & (1u << id) ? 1u << id : p->can;
}

/*
 * Each step of another context that @now has an order with, as long as it was the next of its own,
 * and before that the last one. Where @now was not possible something else kept it out, and an
 * earlier one counts as well. What only made @now possible counts too: before it, the context would
 * wait, and the switch away from it cost nothing.
 */
static void look_back(uint32_t now)
{
	uint32_t seen = 0, i;
	bool was_next = true;

	for (i = now; i-- > 0;) {
		if (taken[i].id == taken[now].id)
			was_next = false;
		if (taken[i].id == taken[now].id || (seen & (1u << taken[i].id)) ||
		    !det_ordered(&taken[i], &taken[now]))
			continue;
		if (!was_next && (points[i].can & (1u << taken[now].id)))
			seen |= 1u << taken[i].id;
		add(i, taken[now].id);
		if (taken[i].id < DET_MAX_TASKS)
			add(block_of(i), taken[now].id);
	}
}

static void look_at_waiting(uint32_t n)
{
	uint32_t i;

	for (i = 0; i < det.nr_tasks; i++) {
		if (det.tasks[i].done)
			continue;
		taken[n].op = det_op_placed(&det.tasks[i].op, &det.tasks[i]);
		taken[n].id = (uint8_t)i;
		look_back(n);
	}
}

static void bounded_end(enum det_end how)
{
	uint32_t n = det.nr_steps, i;

	(void)how;
	for (i = 0; i < n; i++) {
		taken[i].op = det.ops[i];
		taken[i].id = det.schedule[i];
	}
	for (i = repeat ? repeat - 1 : 0; i < n; i++)
		look_back(i);
	look_at_waiting(n);
	while (n-- > 0) {
		struct point *p = &points[n];

		p->done |= 1u << p->choice;
		if (p->todo & ~p->done) {
			p->choice = (uint8_t)__builtin_ctz(p->todo & ~p->done);
			repeat = n + 1;
			return;
		}
	}
	exhausted = true;
	det.result->complete = !det.result->cut && !det.result->bounded;
}

const struct det_policy_ops det_bounded_ops = {
	.init = bounded_init,
	.begin = bounded_begin,
	.choose = bounded_choose,
	.end = bounded_end,
	.fini = bounded_fini,
};

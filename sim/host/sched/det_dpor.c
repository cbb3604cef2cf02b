// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policy dpor: optimal dynamic partial order reduction. Each execution is one of a class whose
 * members differ only in the order of steps that do not depend on each other; every class is run,
 * and none twice. An execution is repeated up to where the next one differs; sleep sets keep a
 * class from being entered again by another door.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "det_wakeup.h"
#include "tso.h"

struct node {
	struct wakeup *todo; /* its first child is the branch being run */
	uint32_t sleep;
	struct det_op *sleep_ops; /* by id; where @sleep has any */
};

static struct node *nodes;
static struct order_step *steps;
static struct wakeup_seq *seq;
static uint32_t prefix;	     /* steps that repeat the execution before */
static struct wakeup *carry; /* what is to be run after the last chosen step */
static bool over, unsure;
static bool possible; /* what the step looked at does; it is only kept out, if anything */

static struct det_op pending(uint8_t id)
{
	return id < DET_MAX_TASKS ? det_op_placed(&det.tasks[id].op, &det.tasks[id])
				  : tso_oldest(id - DET_MAX_TASKS);
}

static int dpor_init(void)
{
	nodes = calloc(det.max_steps + 1, sizeof(*nodes));
	steps = calloc(det.max_steps + 1, sizeof(*steps));
	seq = calloc(det.max_steps + 1, sizeof(*seq));
	prefix = 0;
	carry = NULL;
	over = unsure = false;
	return nodes && steps && seq ? 0 : -1;
}

static void dpor_fini(void)
{
	uint32_t i;

	for (i = 0; nodes && i <= det.max_steps; i++) {
		wakeup_free(nodes[i].todo);
		free(nodes[i].sleep_ops);
	}
	wakeup_free(carry);
	carry = NULL;
	free(nodes);
	nodes = NULL;
	free(steps);
	steps = NULL;
	free(seq);
	seq = NULL;
}

static int dpor_begin(uint64_t execution)
{
	(void)execution;
	return over ? -1 : 0;
}

static void put_to_sleep(struct node *n, uint8_t id, const struct det_op *op)
{
	if (!n->sleep_ops)
		n->sleep_ops = malloc(DET_IDS * sizeof(*n->sleep_ops));
	if (!n->sleep_ops)
		abort();
	n->sleep_ops[id] = *op;
	n->sleep |= 1u << id;
}

/* Who slept at @from and has nothing to do with the step taken there sleeps on. */
static void inherit_sleep(struct node *to, const struct node *from, const struct det_op *taken,
			  uint8_t id)
{
	uint32_t mask;

	to->sleep = 0;
	for (mask = from->sleep & ~(1u << id); mask; mask &= mask - 1) {
		uint8_t s = __builtin_ctz(mask);

		if (!det_dependent(&from->sleep_ops[s], taken))
			put_to_sleep(to, s, &from->sleep_ops[s]);
	}
}

static int arrive(uint32_t d)
{
	struct node *n = &nodes[d];
	uint32_t awake;
	uint8_t id;
	struct det_op op;

	n->sleep = 0;
	if (d)
		inherit_sleep(n, &nodes[d - 1], &det.ops[d - 1], det.schedule[d - 1]);
	n->todo = carry;
	carry = NULL;
	if (!n->todo) {
		awake = det_can_run() & ~n->sleep;
		if (!awake)
			return -1;
		id = det.cur && (awake & (1u << det.cur->id)) ? det.cur->id : __builtin_ctz(awake);
		op = pending(id);
		n->todo = wakeup_leaf(id, &op);
	}
	return 0;
}

static int dpor_choose(void)
{
	uint32_t d = det.nr_steps;
	struct wakeup *w;

	if (d >= prefix && arrive(d))
		return -1;
	w = nodes[d].todo;
	if (!(det_can_run() & (1u << w->id))) {
		/* A wait whose end we judged wrongly: say so rather than claim to have covered all.
		 */
		unsure |= !(det.bound_out & (1u << w->id));
		return -1;
	}
	if (d + 1 >= prefix) {
		carry = w->first;
		w->first = NULL;
	}
	return w->id;
}

/* @later could come before @earlier: run that as well, unless it is equivalent to what was or will
 * be. */
static void reversible(struct order_step *s, uint32_t earlier, uint32_t later)
{
	struct order_obstacles o = { .at = { earlier }, .nr = 1 };
	uint32_t k, len = 0, mask;
	struct node *n;

	if (det_shared_cpus && !det_obstacles(s, later, possible, &o)) {
		unsure |= o.full;
		return;
	}
	for (k = 1; k < o.nr; k++)
		earlier = o.at[k] < earlier ? o.at[k] : earlier;
	n = &nodes[earlier];
	for (k = earlier + 1; k < later; k++)
		if (!det_after_obstacles(s, k, &o))
			seq[len++] = (struct wakeup_seq){ s[k].op, s[k].id };
	seq[len++] = (struct wakeup_seq){ s[later].op, s[later].id };
	for (mask = n->sleep; mask; mask &= mask - 1) {
		uint8_t id = __builtin_ctz(mask);

		if (wakeup_is_initial(id, &n->sleep_ops[id], seq, len))
			return;
	}
	wakeup_insert(&n->todo, seq, len);
}

/* Who waits for ever could have gone first. */
static void look_at_waiting(uint32_t n)
{
	uint32_t i;

	for (i = 0; i < det.nr_tasks; i++) {
		if (det.tasks[i].done || (det_can_run() & (1u << i)))
			continue;
		steps[n].op = pending(i);
		possible = det.runnable & (1u << i);
		steps[n].id = i;
		det_order(steps, n, reversible);
	}
}

static bool next_branch(uint32_t n)
{
	struct wakeup *w;

	while (n-- > 0) {
		w = nodes[n].todo;
		nodes[n].todo = w->next;
		w->next = NULL;
		put_to_sleep(&nodes[n], w->id, &steps[n].op);
		wakeup_free(w);
		if (nodes[n].todo) {
			prefix = n + 1;
			return true;
		}
	}
	return false;
}

static void dpor_end(enum det_end how)
{
	uint32_t n = det.nr_steps, i, from = prefix ? prefix - 1 : 0;

	wakeup_free(carry);
	carry = NULL;
	if (how == DET_BLOCKED) {
		wakeup_free(nodes[n].todo);
		nodes[n].todo = NULL;
	}
	/* A step that was chosen, but whose task was given up before it took it, is as good as
	 * taken. */
	for (i = from; i < n; i++) {
		steps[i].op = det.ops[i];
		steps[i].id = det.schedule[i];
		possible = true;
		det_order(steps, i, reversible);
	}
	if (how == DET_DEADLOCK || how == DET_ENDED)
		look_at_waiting(n);
	over = !next_branch(n);
	if (over && !unsure && !det.result->cut && !det.result->bounded)
		det.result->complete = true;
}

const struct det_policy_ops det_dpor_ops = {
	.init = dpor_init,
	.begin = dpor_begin,
	.choose = dpor_choose,
	.end = dpor_end,
	.fini = dpor_fini,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies pct, naive and replay; the table of all.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "det_depend.h"

/* ---- pct: A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010 ----
 */

static uint32_t priority[DET_IDS];
static uint32_t change[DET_MAX_DEPTH]; /* the steps before which the running task drops */
static uint32_t drop_to[DET_MAX_DEPTH];
static uint32_t nr_changes, next_change;

static unsigned int ids(void)
{
	return det.tso ? 2 * det.most_tasks : det.most_tasks;
}

static int pct_begin(uint64_t execution)
{
	uint32_t n = ids(), i, j, k = det.result->longest;
	uint32_t order[DET_IDS];

	(void)execution;
	nr_changes = det.options->depth - 1;
	for (i = 0; i < n; i++) {
		j = (uint32_t)(((det_random() >> 32) * (i + 1)) >> 32);
		order[i] = order[j];
		order[j] = nr_changes + 1 + i;
	}
	/* What no execution had yet goes first. */
	for (i = 0; i < DET_IDS; i++) {
		j = i < DET_MAX_TASKS ? i : i - DET_MAX_TASKS + det.most_tasks;
		priority[i] =
			i % DET_MAX_TASKS < det.most_tasks && j < n ? order[j] : nr_changes + 1 + n;
	}
	/* The first run only finds out how long a run is. */
	for (i = 0; i < nr_changes; i++) {
		uint32_t at = k ? (uint32_t)(((det_random() >> 32) * k) >> 32) : UINT32_MAX;

		for (j = i; j > 0 && change[j - 1] > at; j--) {
			change[j] = change[j - 1];
			drop_to[j] = drop_to[j - 1];
		}
		change[j] = at;
		drop_to[j] = nr_changes - i;
	}
	next_change = 0;
	return 0;
}

static int highest(void)
{
	uint32_t mask = det_can_run(), best = __builtin_ctz(mask);

	for (mask &= mask - 1; mask; mask &= mask - 1)
		if (priority[__builtin_ctz(mask)] > priority[best])
			best = __builtin_ctz(mask);
	return best;
}

static int pct_choose(void)
{
	int best = highest();

	while (next_change < nr_changes && change[next_change] <= det.nr_steps) {
		priority[best] = drop_to[next_change++];
		best = highest();
	}
	return best;
}

static void pct_end(enum det_end how)
{
	(void)how;
	det.result->pct_bound =
		1.0 / (ids() *
		       pow(det.nr_steps > det.result->longest ? det.nr_steps : det.result->longest,
			   nr_changes));
}

static const struct det_policy_ops pct_ops = {
	.begin = pct_begin,
	.choose = pct_choose,
	.end = pct_end,
};

/* ---- naive: all interleavings, depth first ---- */

static uint32_t *untried;
static uint32_t given; /* steps that repeat the execution before */
static bool exhausted;

static int naive_init(void)
{
	untried = calloc(det.max_steps + 1, sizeof(*untried));
	given = 0;
	exhausted = false;
	return untried ? 0 : -1;
}

static int naive_begin(uint64_t execution)
{
	(void)execution;
	return exhausted ? -1 : 0;
}

static int naive_choose(void)
{
	uint32_t d = det.nr_steps;

	if (d >= given)
		untried[d] = det_can_run();
	return __builtin_ctz(untried[d]);
}

static void naive_end(enum det_end how)
{
	uint32_t d = det.nr_steps;

	(void)how;
	while (d-- > 0) {
		untried[d] &= untried[d] - 1;
		if (untried[d]) {
			given = d + 1;
			return;
		}
	}
	exhausted = true;
	det.result->complete = !det.result->cut && !det.result->bounded;
}

static void naive_fini(void)
{
	free(untried);
	untried = NULL;
}

static const struct det_policy_ops naive_ops = {
	.init = naive_init,
	.begin = naive_begin,
	.choose = naive_choose,
	.end = naive_end,
	.fini = naive_fini,
};

/* ---- replay ---- */

static uint8_t *recorded;
static int nr_recorded;

static int replay_init(void)
{
	recorded = malloc(det.max_steps + 1);
	if (!recorded)
		return -1;
	nr_recorded = det_schedule_parse(det.options->schedule, recorded, det.max_steps,
					 det.result->error, sizeof(det.result->error));
	return nr_recorded < 0 ? -1 : 0;
}

static int replay_begin(uint64_t execution)
{
	return execution > (det.options->executions ? det.options->executions : 1) ? -1 : 0;
}

/*
 * A search knows loops that wait for ever from executions before, and lets them wait at once; here
 * they go round until that is seen.
 */
static bool all_only_look(void)
{
	uint32_t can;

	for (can = det_can_run(); can; can &= can - 1) {
		uint32_t id = __builtin_ctz(can);

		if (id >= DET_MAX_TASKS || det.tasks[id].op.kind != DET_OP_READ ||
		    !(det.tasks[id].op.flags & DET_MARKED))
			return false;
	}
	return true;
}

static int replay_choose(void)
{
	int d = (int)det.nr_steps, id = d < nr_recorded ? recorded[d] : -1;

	if (id >= 0 && (det_can_run() & (1u << id))) {
		/* Whoever ran could go on? The flush of a store buffer takes nobody's place. */
		det.result->preemptions += id < DET_MAX_TASKS && det.cur && id != det.cur->id &&
					   (det_can_run() & (1u << det.cur->id));
		return id;
	}
	if (det.options->lenient || (d >= nr_recorded && all_only_look()))
		return det_lowest_or_current();
	snprintf(det.result->error, sizeof(det.result->error),
		 id < 0 ? "step %d: the schedule ends, and the program goes on"
			: "step %d: the schedule names a task that cannot run",
		 d + 1);
	return -1;
}

static void replay_fini(void)
{
	free(recorded);
	recorded = NULL;
}

static const struct det_policy_ops replay_ops = {
	.init = replay_init,
	.begin = replay_begin,
	.choose = replay_choose,
	.fini = replay_fini,
};

/* ---- all ---- */

const struct det_policy_ops *const det_policies[DET_NR_POLICIES + 1] = {
	[DET_RUN] = &det_run_ops,
	[DET_RANDOM] = &det_random_ops,
	[DET_PCT] = &pct_ops,
	[DET_DPOR] = &det_dpor_ops,
	[DET_NAIVE] = &naive_ops,
	[DET_REPLAY] = &replay_ops,
	[DET_BOUNDED] = &det_bounded_ops,
};

const char *det_policy_name(enum det_policy policy)
{
	static const char *const names[DET_NR_POLICIES] = { "run",  "random", "pct",
							    "dpor", "naive",  "replay" };

	return policy < DET_NR_POLICIES ? names[policy] : "?";
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Planted bugs are found, by each policy that promises to, and what shows one shows it again.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "det_explore.h"

static void found(const char *name, const char *kind, enum det_memory memory)
{
	struct det_result r =
		explore(name, (struct det_options){ .policy = DET_DPOR, .memory = memory });

	cr_expect(r.complete, "%s", name);
	cr_expect(bug_of_kind(&r, kind), "%s: no %s in %lu executions", name, kind, r.executions);
	det_result_free(&r);
}

static void clean(const char *name, enum det_memory memory)
{
	struct det_result r =
		explore(name, (struct det_options){ .policy = DET_DPOR, .memory = memory });

	cr_expect(r.complete, "%s", name);
	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

Test(det_bugs, by_exhaustive_search)
{
	found("bare-counter", "kcsan", DET_SC);
	found("gpc-use-after-unlock", "kasan", DET_SC);
	found("gpc-use-after-unlock-2", "kasan", DET_SC);
	found("flags-no-wait", "kasan", DET_SC);
	found("flags-no-mb", "kasan", DET_TSO);
}

static void faults(const char *name, const char *says)
{
	struct det_result r = explore(name, (struct det_options){ .policy = DET_DPOR });
	const struct det_bug *bug = bug_of_kind(&r, "bug");

	cr_expect(bug && strstr(bug->text, says), "%s: %s", name, bug ? bug->text : "no bug");
	cr_expect(!r.complete && r.crashed > 0, "%s", name);
	det_result_free(&r);
}

/* Who follows a pointer to nowhere ends its execution, and not the search. */
Test(det_bugs, faults_end_an_execution)
{
	faults("fault-null", "BUG: kernel NULL pointer dereference, address: 0000000000000008");
	faults("fault-poison", "general protection fault, probably for non-canonical address");
}

/* A barrier that only store buffers miss is not missed where there are none. */
Test(det_bugs, nothing_where_there_is_nothing)
{
	clean("flags-no-mb", DET_SC);
	clean("lock-counter", DET_SC);
	clean("lock-counter", DET_TSO);
	clean("gpc-2", DET_SC);
	clean("gpc-2", DET_TSO);
	clean("flags-2", DET_SC);
	clean("flags-2", DET_TSO);
}

/* Per-CPU variables are shared until the first write, and each CPU's own after it. */
Test(det_bugs, per_cpu_areas)
{
	clean("lock-counter", DET_SC);
	clean("per-cpu", DET_SC);
	clean("per-cpu", DET_SC);
	clean("gpc-1", DET_SC);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Median of the runs that the first bug took, over 101 seeds. */
static uint64_t median(const char *name, enum det_memory memory, enum det_race race)
{
	uint64_t runs[101];
	unsigned int i;

	for (i = 0; i < 101; i++) {
		struct det_result r = explore(name, (struct det_options){ .policy = DET_PCT,
									  .memory = memory,
									  .race = race,
									  .depth = 3,
									  .seed = i,
									  .executions = 100000,
									  .first_bug = true });

		cr_assert(r.nr_bugs, "%s: seed %u", name, i);
		runs[i] = r.executions;
		det_result_free(&r);
	}
	qsort(runs, 101, sizeof(*runs), by_size);
	return runs[50];
}

Test(det_bugs, by_pct)
{
	cr_expect_leq(median("gpc-use-after-unlock", DET_SC, DET_RACE_KCSAN), 10);
	cr_expect_leq(median("gpc-use-after-unlock-2", DET_SC, DET_RACE_KCSAN), 10);
	cr_expect_leq(median("flags-no-wait", DET_SC, DET_RACE_KCSAN), 10);
	/* Only the order that really ends in a use after free counts here, not the race that leads
	 * to it. */
	cr_expect_leq(median("window", DET_SC, DET_RACE_OFF), 200);
	/* Found under tso at all; the buffers are tasks too, which makes it rarer. */
	cr_expect_leq(median("flags-no-mb", DET_TSO, DET_RACE_KCSAN), 200);
}

/* P(X <= hits) of a binomial distribution: the sum of its terms, by their logarithms. */
static double binomial_tail(uint64_t hits, uint64_t n, double p)
{
	double sum = 0, log_p = log(p), log_q = log1p(-p);
	uint64_t i;

	for (i = 0; i <= hits; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log_p +
			   (n - i) * log_q);
	return sum;
}

/*
 * The bound: a bug of depth d is found with probability 1 / (n k^(d-1)) or more. Ten thousand runs,
 * each with a seed of its own, refute that at 99.9 % when so few of them found it would have a
 * probability under one in a thousand.
 */
static void expect_bound(const char *name, unsigned int depth)
{
	const uint64_t runs = 10000;
	struct det_result r = explore(
		name, (struct det_options){
			      .policy = DET_PCT, .depth = depth, .seed = 7, .executions = runs });
	double tail = binomial_tail(r.buggy, runs, r.pct_bound);

	cr_expect_gt(runs * r.pct_bound, 10.0, "%s: bound too small to test", name);
	cr_expect_gt(tail, 0.001, "%s: %lu of %lu, at least %.0f expected, tail %g", name, r.buggy,
		     runs, runs * r.pct_bound, tail);
	cr_expect_lt(r.buggy, runs, "%s: the bug is no matter of order", name);
	printf("%s by pct %u: %lu of %lu runs, bound %.4f, P(so few) %.3g\n", name, depth, r.buggy,
	       runs, r.pct_bound, tail);
	det_result_free(&r);
}

/* Values of the distribution that are known otherwise. */
Test(det_bugs, binomial_tail)
{
	cr_expect_float_eq(binomial_tail(0, 10, 0.5), 1 / 1024.0, 1e-12);
	cr_expect_float_eq(binomial_tail(1, 10, 0.5), 11 / 1024.0, 1e-12);
	cr_expect_float_eq(binomial_tail(5, 11, 0.5), 0.5, 1e-12);
	cr_expect_float_eq(binomial_tail(10, 10, 0.3), 1, 1e-12);
	cr_expect_float_eq(binomial_tail(9, 10, 0.9), 1 - pow(0.9, 10), 1e-12);
}

Test(det_bugs, pct_bound)
{
	expect_bound("depth-1", 1);
	expect_bound("depth-2", 2);
	expect_bound("depth-3", 3);
}

/* A bug of depth d is out of reach with less, by construction. */
Test(det_bugs, pct_depth_matters)
{
	static const char *const names[] = { "depth-2", "depth-3" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct det_result r = explore(
			names[i], (struct det_options){
					  .policy = DET_PCT, .depth = i + 1, .executions = 10000 });

		cr_expect_eq(r.buggy, 0, "%s", names[i]);
		det_result_free(&r);
	}
}

static void replays(const char *name, const char *kind, struct det_options o)
{
	const struct det_program *p = det_program_find(name, NULL);
	struct det_result r = explore(name, o), again;
	const struct det_bug *bug = bug_of_kind(&r, kind);
	struct det_options replay = {
		.policy = DET_REPLAY, .memory = o.memory, .race = o.race, .trace = true
	};
	uint64_t hash = 0;
	char *shorter;
	int i;

	cr_assert(bug, "%s", name);
	replay.schedule = bug->schedule;
	for (i = 0; i < 100; i++) {
		again = explore(name, replay);
		cr_expect(bug_of_kind(&again, kind), "%s: replay %d: %s", name, i, bug->schedule);
		cr_expect(!i || hash == again.trace_hash, "%s: replay %d differs", name, i);
		hash = again.trace_hash;
		det_result_free(&again);
	}
	shorter = det_shrink(p, &o, bug);
	cr_assert(shorter);
	cr_expect_leq(strlen(shorter), strlen(bug->schedule), "%s", name);
	cr_expect_leq(strlen(shorter), 60, "%s: %s", name, shorter);
	replay.schedule = shorter;
	again = explore(name, replay);
	cr_expect(bug_of_kind(&again, kind), "%s: shrunk to %s", name, shorter);
	det_result_free(&again);
	det_result_free(&r);
	free(shorter);
}

Test(det_bugs, replayed_and_shrunk)
{
	struct det_options dpor = { .policy = DET_DPOR },
			   random = { .policy = DET_RANDOM, .executions = 5000 };
	struct det_options tso = { .policy = DET_DPOR, .memory = DET_TSO };

	replays("bare-counter", "kcsan", dpor);
	replays("gpc-use-after-unlock", "kasan", dpor);
	replays("gpc-use-after-unlock-2", "kasan", random);
	replays("flags-no-wait", "kasan", random);
	replays("flags-no-mb", "kasan", tso);
	replays("window", "kasan",
		(struct det_options){ .policy = DET_PCT,
				      .race = DET_RACE_OFF,
				      .depth = 3,
				      .executions = 100000,
				      .first_bug = true });
}

/* Same seed, same events. */
Test(det_bugs, deterministic)
{
	static const char *const names[] = { "gpc-2", "flags-2", "flags-no-mb" };
	unsigned int i, k;

	for (i = 0; i < 3; i++) {
		uint64_t hash = 0;

		for (k = 0; k < 20; k++) {
			struct det_result r = explore(
				names[i], (struct det_options){ .policy = DET_RANDOM,
								.seed = 5,
								.memory = i == 2 ? DET_TSO : DET_SC,
								.executions = 200,
								.trace = true });

			cr_expect(!k || hash == r.trace_hash, "%s: run %u", names[i], k);
			hash = r.trace_hash;
			det_result_free(&r);
		}
	}
}

static void refused(const char *schedule, const char *says)
{
	struct det_options o = { .policy = DET_REPLAY, .schedule = schedule };
	struct det_result r;

	cr_expect_neq(det_explore(det_program_find("gpc-1", NULL), &o, &r), 0, "%s", schedule);
	cr_expect(strstr(r.error, says), "%s: %s", schedule, r.error);
	det_result_free(&r);
}

Test(det_bugs, bad_schedules)
{
	refused("a3c2", "character 3: expected a task from a to b");
	refused("a3!", "character 3: expected a task from a to b");
	refused("a99999999999999999999999", "expected at most");
	refused("a0", "expected at most");
	refused("a3b1", "step 5: the schedule ends");
	refused("A", "expected a task");
	refused("a20", "names a task that cannot run");
}

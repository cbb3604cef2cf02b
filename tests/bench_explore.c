// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_explore [EXECUTIONS]: what exploring costs and how soon it finds things, beside what was
 * aimed at. Rates are executions a second of CPU time under policy random, with every check on.
 *
 * T1: two tasks, a spinlock and a counter. T2: readers and a refresher under an rwlock. T3: readers
 * with flags and an updater that waits for these. A: T2 with a use after the unlock. B: T3 without
 * the wait. C: T3 without the reader's smp_mb().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/det.h>

#include "bench_bare.h"

#define ROUNDS	 5
#define NR_SEEDS 20

static void row(const char *what, double figure, const char *unit, const char *sign, double target)
{
	bool ok = *sign == '<' ? figure <= target : figure >= target;

	printf("%-46s %12.6g %-14s %2s %-9.6g %s\n", what, figure, unit, sign, target,
	       ok ? "" : "missed");
	fflush(stdout);
}

static struct det_result run(const char *name, const char *strategy, struct det_options o)
{
	const struct det_program *p = det_program_find(name, strategy);
	struct det_result r;

	if (!p || det_explore(p, &o, &r)) {
		fprintf(stderr, "bench_explore: %s: %s\n", name, p ? r.error : "no such program");
		exit(1);
	}
	return r;
}

static double random_rate(const char *name, const char *strategy, uint64_t executions)
{
	struct det_result r = run(
		name, strategy,
		(struct det_options){ .policy = DET_RANDOM, .executions = executions, .seed = 1 });
	double rate = r.executions / r.seconds;

	if (r.nr_bugs) {
		fprintf(stderr, "bench_explore: %s: %s\n", name, r.bugs[0].text);
		exit(1);
	}
	det_result_free(&r);
	return rate;
}

static int by_size(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

static double median(double *values, unsigned int n)
{
	qsort(values, n, sizeof(*values), by_size);
	return values[n / 2];
}

/* Both in turn, so that what else the machine does falls on both. */
static void rates(unsigned long executions)
{
	static const struct {
		const char *what, *name;
		void (*body)(unsigned int n);
		unsigned int nr;
		double target;
	} rows[] = {
		{ "T1", "lock-counter", bare_t1, 2, 1 / 2.0 },
		{ "T2 R=1", "gpc-1", bare_t2, 2, 1 / 3.0 },
		{ "T2 R=2", "gpc-2", bare_t2, 3, 0 },
		{ "T3 R=1", "flags-1", bare_t3, 2, 1 / 3.0 },
		{ "T3 R=2", "flags-2", bare_t3, 3, 0 },
	};
	double a[ROUNDS], b[ROUNDS];
	unsigned int i, k;
	char what[64];

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (k = 0; k < ROUNDS; k++) {
			a[k] = bare_rate(rows[i].body, rows[i].nr, executions);
			b[k] = random_rate(rows[i].name, NULL, executions);
		}
		snprintf(what, sizeof(what), "%s: a bare loop of fibers", rows[i].what);
		row(what, median(a, ROUNDS), "a second", ">=", 0);
		snprintf(what, sizeof(what), "%s: with every check", rows[i].what);
		row(what, median(b, ROUNDS), "a second", ">=", 0);
		snprintf(what, sizeof(what), "%s: ratio", rows[i].what);
		row(what, b[ROUNDS / 2] / a[ROUNDS / 2], "", ">=", rows[i].target);
	}
	for (k = 0; k < ROUNDS; k++)
		a[k] = random_rate("route-update-delivery", "chunked", executions / 50 + 1);
	row("a route update against a delivery", median(a, ROUNDS), "a second", ">=", 100000);
}

static void covered(const char *what, const char *name, enum det_memory memory, double executions,
		    double seconds)
{
	struct det_result r =
		run(name, NULL, (struct det_options){ .policy = DET_DPOR, .memory = memory });
	char text[64];

	snprintf(text, sizeof(text), "%s covered by dpor%s", what, r.complete ? "" : ": not");
	row(text, r.executions, "executions", "<=", executions);
	if (seconds > 0)
		row(text, r.seconds, "seconds", "<=", seconds);
	snprintf(text, sizeof(text), "%s: bugs reported", what);
	row(text, r.nr_bugs, "", "<=", 0);
	det_result_free(&r);
}

/* How many runs until the first bug, in the middle of twenty seeds. */
static void found(const char *what, const char *name, enum det_memory memory, enum det_race race,
		  double target)
{
	double runs[NR_SEEDS];
	char text[64];
	uint64_t i;

	for (i = 0; i < NR_SEEDS; i++) {
		struct det_result r = run(name, NULL,
					  (struct det_options){ .policy = DET_PCT,
								.depth = 3,
								.memory = memory,
								.race = race,
								.seed = i + 1,
								.executions = 100000,
								.first_bug = true });

		runs[i] = r.nr_bugs ? r.executions : 1e9;
		det_result_free(&r);
	}
	snprintf(text, sizeof(text), "%s found by pct 3, median of %d seeds", what, NR_SEEDS);
	row(text, median(runs, NR_SEEDS), "runs", "<=", target);
}

static void shrunk(const char *what, const char *name, enum det_memory memory)
{
	struct det_options o = { .policy = DET_RANDOM,
				 .memory = memory,
				 .seed = 1,
				 .executions = 100000,
				 .first_bug = true };
	struct det_result r = run(name, NULL, o);
	char *shorter = r.nr_bugs ? det_shrink(det_program_find(name, NULL), &o, &r.bugs[0]) : NULL;
	char text[64];

	snprintf(text, sizeof(text), "%s: a schedule after shrinking", what);
	row(text, shorter ? strlen(shorter) : 1e9, "characters", "<=", 60);
	free(shorter);
	det_result_free(&r);
}

int main(int argc, char **argv)
{
	unsigned long executions = argc > 1 ? strtoul(argv[1], NULL, 10) : 400000;

	rates(executions);
	covered("T3 R=2", "flags-2", DET_SC, 21, 0.06);
	covered("T2 R=2", "gpc-2", DET_SC, 88, 0);
	covered("C under sc", "flags-no-mb", DET_SC, 100000, 0);
	found("A", "gpc-use-after-unlock", DET_SC, DET_RACE_KCSAN, 10);
	found("B", "flags-no-wait", DET_SC, DET_RACE_KCSAN, 10);
	found("C under tso", "flags-no-mb", DET_TSO, DET_RACE_KCSAN, 100000);
	/* The order that ends in the use after free, not the race on the way to it. */
	found("a window of 60 steps in one", "window", DET_SC, DET_RACE_OFF, 200);
	shrunk("A", "gpc-use-after-unlock", DET_SC);
	shrunk("A R=2", "gpc-use-after-unlock-2", DET_SC);
	shrunk("B", "flags-no-wait", DET_SC);
	shrunk("C under tso", "flags-no-mb", DET_TSO);
	return 0;
}

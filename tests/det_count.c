// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many executions a complete search needs, against formulas.
 */
#include <stdio.h>
#include <string.h>

#include "det_explore.h"

static void expect_count(const char *name, uint64_t count)
{
	struct det_result r = explore(name, (struct det_options){ .policy = DET_DPOR });

	cr_expect(r.complete, "%s", name);
	cr_expect_eq(r.executions, count, "%s: %lu executions, expected %lu", name, r.executions,
		     count);
	cr_expect_eq(r.blocked, 0, "%s", name);
	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

/* N tasks, one atomic increment each of one variable: every order is another: N! */
Test(det_count, increments)
{
	uint64_t factorial = 1;
	char name[32];
	int n;

	for (n = 1; n <= 6; n++) {
		factorial *= n;
		snprintf(name, sizeof(name), "adders-%d", n);
		expect_count(name, factorial);
	}
}

/* Two tasks, k rounds of one lock: the orders of the critical sections: C(2k, k) */
Test(det_count, lock_rounds)
{
	uint64_t binomial = 1;
	char name[32];
	int k;

	for (k = 1; k <= 6; k++) {
		binomial = binomial * (2 * k) * (2 * k - 1) / (k * k);
		snprintf(name, sizeof(name), "lock-rounds-%d", k);
		expect_count(name, binomial);
	}
}

/* A writer and N readers of distinct variables: each reads before or after: 2^N */
Test(det_count, readers)
{
	static const int sizes[] = { 1, 2, 3, 4, 6, 8, 10 };
	char name[32];
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(name, sizeof(name), "readers-%d", sizes[i]);
		expect_count(name, 1ULL << sizes[i]);
	}
}

static void same_states(const char *name)
{
	struct det_result all, reduced;

	all = explore(name, (struct det_options){ .policy = DET_NAIVE, .states = true });
	reduced = explore(name, (struct det_options){ .policy = DET_DPOR, .states = true });
	cr_expect(all.complete && reduced.complete, "%s", name);
	cr_expect_lt(reduced.executions, all.executions, "%s", name);
	cr_assert_eq(all.nr_states, reduced.nr_states, "%s", name);
	cr_expect(!memcmp(all.states, reduced.states, all.nr_states * sizeof(*all.states)), "%s",
		  name);
	det_result_free(&all);
	det_result_free(&reduced);
}

/* Final states as by brute force. */
Test(det_count, states_of_brute_force)
{
	same_states("lock-counter");
	same_states("bare-counter");
	same_states("lock-counter-twice");
	same_states("adders-order");
	same_states("readers-2");
	same_states("gpc-1");
}

/*
 * A reader comes before the swap, after it, or after the updater has looked at its flag: 3^2. Where
 * the compiler's loop is in another state after its first turn, a turn cannot be told from none:
 * 5^2.
 */
#ifdef __clang__
#define CLASSES 25
#define MOST	40
#else
#define CLASSES 9
#define MOST	21
#endif

/* Relacy, GenMC and Nidhugg need 22.6 M, 9 and 21 runs for the first, 1.7 M, 44 and 88 for the
 * second. */
Test(det_count, small_patterns)
{
	struct det_result r = explore("flags-2", (struct det_options){ .policy = DET_DPOR });

	cr_expect(r.complete);
	cr_expect_leq(r.executions, MOST, "%lu", r.executions);
	cr_expect_eq(r.executions - r.learning, CLASSES, "%lu", r.executions - r.learning);
	cr_expect_eq(r.nr_bugs, 0);
	det_result_free(&r);

	r = explore("gpc-2", (struct det_options){ .policy = DET_DPOR });
	cr_expect(r.complete);
	cr_expect_leq(r.executions, 88, "%lu", r.executions);
	cr_expect_eq(r.nr_bugs, 0);
	det_result_free(&r);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fair rwlocks: what waits for itself behind a writer is found, by each policy, and nothing else
 * is.
 */
#include <string.h>

#include "det_explore.h"

static void deadlocks(const char *name, enum det_policy policy, bool unfair, bool expected)
{
	struct det_result r = explore(name, (struct det_options){ .policy = policy,
								  .depth = 3,
								  .unfair_rwlocks = unfair,
								  .executions = 5000 });

	cr_expect_eq(bug_of_kind(&r, "deadlock") != NULL, expected, "%s by %s%s: %lu executions",
		     name, det_policy_name(policy), unfair ? ", unfair" : "", r.executions);
	/* dpor meets an order that cannot be where a task holds one rwlock twice. */
	if (policy == DET_NAIVE || (policy == DET_DPOR && !strcmp(name, "rwlock-order")))
		cr_expect(r.complete, "%s by %s: %lu executions, %lu blocked", name,
			  det_policy_name(policy), r.executions, r.blocked);
	det_result_free(&r);
}

Test(det_rwlock, waits_for_itself)
{
	static const enum det_policy policies[] = { DET_RANDOM, DET_PCT, DET_DPOR, DET_NAIVE };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		deadlocks("rwlock-twice", policies[i], false, true);
		deadlocks("rwlock-twice", policies[i], true, false);
		deadlocks("rwlock-order", policies[i], false, false);
	}
}

Test(det_rwlock, in_a_circle)
{
	deadlocks("rwlock-across", DET_RANDOM, false, true);
	deadlocks("rwlock-across", DET_DPOR, false, true);
	deadlocks("rwlock-across", DET_DPOR, true, false);
}

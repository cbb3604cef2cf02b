// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks wait with, in the deterministic world: nothing is lost, what is lost is found.
 */
#include <string.h>

#include "det_explore.h"

#define FEW 3000 /* random schedules of a program that is too large to cover */

static struct det_result covered(const char *name, enum det_memory memory)
{
	struct det_result r = explore(name, (struct det_options){ .policy = DET_DPOR,
								  .memory = memory,
								  .states = true,
								  .executions = 300000 });

	cr_expect(r.complete, "%s: %lu executions, %s", name, r.executions, r.error);
	return r;
}

static void clean(const char *name)
{
	struct det_result r = covered(name, DET_SC);

	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

static void clean_at_random(const char *name, enum det_memory memory)
{
	struct det_result r = explore(name, (struct det_options){ .policy = DET_RANDOM,
								  .memory = memory,
								  .executions = FEW,
								  .seed = 1 });

	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	cr_expect_eq(r.cut, 0, "%s", name);
	det_result_free(&r);
}

static void finds(const char *name, const char *kind)
{
	struct det_result r = explore(name, (struct det_options){ .policy = DET_RANDOM,
								  .executions = 100000,
								  .first_bug = true,
								  .seed = 1 });

	cr_expect(bug_of_kind(&r, kind), "%s: no %s in %lu executions: %s", name, kind,
		  r.executions, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

Test(det_waiting, wait_queues)
{
	clean("wait-flag");
	clean("completion");
	clean_at_random("wait-flag", DET_TSO);
	clean_at_random("wait-exclusive", DET_SC);
	clean_at_random("wait-exclusive", DET_TSO);
	finds("wait-lost", "deadlock");
}

Test(det_waiting, kernel_threads)
{
	clean_at_random("kthread-stop", DET_SC);
}

Test(det_waiting, workqueues)
{
	clean_at_random("work-flush", DET_SC);
	clean_at_random("work-flush", DET_TSO);
	clean_at_random("work-flush-2", DET_SC);
	clean_at_random("work-cancel", DET_SC);
	clean_at_random("work-sleeps", DET_SC);
	finds("work-cancel-unsynced", "kasan");
	finds("work-starves", "deadlock");
}

Test(det_waiting, timers)
{
	clean_at_random("timer-delete", DET_SC);
	clean_at_random("timer-delete", DET_TSO);
	clean_at_random("hrtimer-cancel", DET_SC);
	clean_at_random("wait-timeout", DET_SC);
	finds("timer-delete-unsynced", "kasan");
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callbacks, cookies and atomic domains in the deterministic world.
 */
#include <string.h>

#include "det_explore.h"

static void clean(const char *name)
{
	struct det_result r =
		explore(name, (struct det_options){ .policy = DET_DPOR, .executions = 20000 });

	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	cr_expect_eq(r.cut, 0, "%s", name);
	det_result_free(&r);
	r = explore(name, (struct det_options){ .policy = DET_RANDOM,
						.memory = DET_TSO,
						.executions = 2000,
						.seed = 1 });
	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

static void finds(const char *name, const char *kind, const char *says)
{
	struct det_result r = explore(
		name,
		(struct det_options){ .policy = DET_DPOR, .executions = 20000, .first_bug = true });
	const struct det_bug *bug = bug_of_kind(&r, kind);

	cr_expect(bug, "%s: no %s in %lu executions: %s", name, kind, r.executions,
		  r.nr_bugs ? r.bugs[0].text : "");
	cr_expect(bug && strstr(bug->text, says), "%s: %s", name, bug ? bug->text : "");
	det_result_free(&r);
}

Test(det_grace, callbacks)
{
	clean("rcu-call");
	clean("rcu-kfree");
	clean("rcu-barrier");
	clean("srcu-callbacks");
}

Test(det_grace, cookies)
{
	clean("rcu-poll");
	clean("srcu-poll");
	finds("rcu-poll-early", "kcsan", "free_by_early_cookie");
}

Test(det_grace, handed_over)
{
	clean("srcu-down-read");
}

Test(det_grace, atomic_domains)
{
	clean("srcu-atomic");
	finds("srcu-atomic-sleeps", "atomic-sleep", "sleeping function called from");
	finds("srcu-atomic-preemptible", "rcu", "with preemption enabled");
	finds("srcu-atomic-own-reader", "rcu",
	      "synchronize_srcu_atomic() for its own read section");
	finds("srcu-atomic-polled", "rcu", "start_poll_synchronize_srcu() of an atomic SRCU");
	finds("srcu-atomic-other", "rcu", "of an SRCU domain that is not atomic");
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checkers of contexts in the deterministic world: each wrong program is found in the one
 * execution that the policy `run` makes, in the words of the kernel's own report, and replayed; the
 * right one beside it is covered without any.
 */
#include <stdlib.h>
#include <string.h>

#include "det_explore.h"

static void says(const struct det_bug *bug, const char *text)
{
	cr_expect(strstr(bug->text, text), "no \"%s\" in:\n%s", text, bug->text);
}

static const struct det_bug *find(const struct det_result *r, const char *kind, const char *text)
{
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++)
		if (!strcmp(r->bugs[i].kind, kind) && strstr(r->bugs[i].text, text))
			return &r->bugs[i];
	return NULL;
}

/* Another execution, of the schedule alone: the same report. */
static void replayed(const char *name, const struct det_bug *bug)
{
	struct det_result r = explore(
		name, (struct det_options){ .policy = DET_REPLAY, .schedule = bug->schedule });

	cr_expect(find(&r, bug->kind, bug->text), "%s: replay of %s gives\n%s", name, bug->schedule,
		  r.nr_bugs ? r.bugs[0].text : "nothing");
	det_result_free(&r);
}

#define MAX_WORDS 6
static void wrong(const char *name, const char *kind, const char *const words[MAX_WORDS])
{
	struct det_result r =
		explore(name, (struct det_options){ .policy = DET_RUN, .executions = 1 });
	const struct det_bug *bug = find(&r, kind, words[0]);
	int i;

	cr_assert(bug, "%s: no %s \"%s\"; %s", name, kind, words[0],
		  r.nr_bugs ? r.bugs[0].text : "no report");
	for (i = 1; i < MAX_WORDS && words[i]; i++)
		says(bug, words[i]);
	replayed(name, bug);
	det_result_free(&r);
}

#define WRONG(name, kind, ...) wrong(name, kind, (const char *const[MAX_WORDS]){ __VA_ARGS__ })

static void right(const char *name)
{
	struct det_result r = explore(name, (struct det_options){ .policy = DET_DPOR });

	cr_expect(r.complete, "%s", name);
	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

Test(det_checked, lock_order)
{
	WRONG("lock-inversion", "lockdep", "WARNING: possible circular locking dependency detected",
	      "(outer){+.+.}-{2:2}", "(inner){+.+.}-{2:2}", "in_order+", "*** DEADLOCK ***",
	      "1 lock held by actor-b");
	right("lock-order");
}

Test(det_checked, hard_interrupts)
{
	WRONG("irq-unsafe-lock", "lockdep", "WARNING: inconsistent lock state",
	      "inconsistent {HARDIRQ-ON-W} -> {IN-HARDIRQ-W} usage.",
	      "[HC1:SC0:HE0:SE0] takes:", "with_irqs_on+", "<Interrupt>");
	WRONG("irqs-on-too-early", "lockdep", "WARNING: inconsistent lock state",
	      "{HARDIRQ-ON-W} -> {IN-HARDIRQ-W}");
	right("irq-safe-lock");
}

Test(det_checked, soft_interrupts)
{
	WRONG("softirq-unsafe-lock", "lockdep", "WARNING: inconsistent lock state",
	      "inconsistent {SOFTIRQ-ON-W} -> {IN-SOFTIRQ-W} usage.", "[HC0:SC1:HE1:SE0] takes:");
	right("softirq-safe-lock");
}

Test(det_checked, owners)
{
	WRONG("held-lock-freed", "lockdep", "WARNING: held lock freed!",
	      "with a lock still held there!", "(&o->lock){+.+.}-{3:3}", "free_owner+");
	right("lock-freed");
	WRONG("bad-unlock-balance", "lockdep", "WARNING: bad unlock balance detected!",
	      "trying to release lock (outer) at: unlocks_too_much+", "no locks held by actor-a");
}

Test(det_checked, sleeping)
{
	WRONG("sleep-in-atomic", "atomic-sleep",
	      "BUG: sleeping function called from invalid context: kmalloc",
	      "in_atomic(): 1, irqs_disabled(): 0,", "preempt_count: 1, expected: 0",
	      "1 lock held by actor-a", "allocate_under_spinlock+");
	WRONG("sleep-with-irqs-off", "atomic-sleep", "in_atomic(): 0, irqs_disabled(): 1,",
	      "hardirqs last disabled at:\n locks_mutex_with_irqs_off+");
	WRONG("sleep-with-preemption-off", "atomic-sleep",
	      "invalid context at model/scenarios/checked_contexts.c:",
	      "Preemption disabled at:\n waits_in_preempt_off+");
	WRONG("sleep-with-preemption-off", "rcu",
	      "Illegal synchronize_rcu() in RCU read-side critical section");
	right("no-sleep-in-atomic");
	right("irqs-off-under-mutex");
}

Test(det_checked, left_over)
{
	WRONG("leaked-preempt-count", "context",
	      "BUG: task leaked lock or atomic: actor-a/0x00000001/", "forgets_preempt_enable+");
	WRONG("preempt-underflow", "context", "DEBUG_LOCKS_WARN_ON(val > preempt_count())",
	      "enables_too_much+");
	WRONG("leaked-irqs-off", "context", "BUG: task leaked lock or atomic: actor-a/0x00000000/",
	      "irqs_disabled(): 1", "forgets_irqs+");
	WRONG("leaked-lock", "context", "BUG: task leaked lock or atomic: actor-a/0x00000001/",
	      "1 lock held by actor-a", "#0: (lock)", "forgets_unlock+");
	WRONG("leaked-bh-off", "context", "BUG: task leaked lock or atomic: actor-a/0x00000200/",
	      "forgets_bh+");
	WRONG("smp-processor-id", "context",
	      "BUG: using smp_processor_id() in preemptible [00000000] code: actor-a/",
	      "on_a_cpu+");
	right("contexts-balanced");
}

Test(det_checked, handlers)
{
	WRONG("handler-enables-irqs", "context", "WARNING: irq handler enabled interrupts");
	WRONG("handler-leaks-preempt-count", "context",
	      "BUG: irq handler leaked lock or atomic: ", "/0x00010001/",
	      "forgets_preempt_enable+");
	right("handler-balanced");
}

Test(det_checked, rcu)
{
	WRONG("rcu-unprotected", "rcu", "WARNING: suspicious RCU usage",
	      "checked_rcu.c:", "suspicious rcu_dereference_check() usage!",
	      "no locks held by actor-a", "reads_unprotected+");
	right("rcu-protected");
}

Test(det_checked, extended_quiescent_state)
{
	static const char eqs[] = "RCU used illegally from extended quiescent state!";

	WRONG("eqs-rcu", "rcu", "rcu_read_lock() used illegally while idle!", eqs, "read_section+");
	WRONG("eqs-lock", "rcu", "takes a lock in an extended quiescent state", "(lock)", eqs,
	      "lock_section+");
	WRONG("eqs-access", "rcu", "instrumented memory access outside of .noinstr.text!", eqs,
	      "access+");
	WRONG("eqs-irqs-on", "context", "DEBUG_LOCKS_WARN_ON(!irqs_disabled())");
	right("eqs-balanced");
}

/* What one execution learned is nothing to the next: each order alone is fine. */
Test(det_checked, executions_are_apart)
{
	static const char *const halves[] = { "lock-order", "lock-inversion", "lock-order" };
	int i;

	for (i = 0; i < 3; i++) {
		struct det_result r = explore(
			halves[i], (struct det_options){ .policy = DET_RUN, .executions = 2 });

		cr_expect_eq(r.nr_bugs, i == 1, "%s", halves[i]);
		cr_expect_eq(r.buggy, i == 1 ? 2 : 0, "%s: %lu", halves[i], r.buggy);
		det_result_free(&r);
	}
}

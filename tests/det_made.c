// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks and sources of interrupts that are made while an execution runs. The programs are host code
 * that makes its events itself.
 */
#include "det_events.h"

/* ---- what is made later ---- */

static void child(void *arg)
{
	seen |= get(&word[0]) << (uintptr_t)arg;
	set(&word[1], 1);
}

static void worker(void *arg)
{
	(void)arg;
	for (;;) {
		det_idle(&word[2], 0, HERE);
		set(&word[2], 0);
		seen++;
	}
}

static void parent(unsigned int n)
{
	(void)n;
	__tsan_write4(&word[0]);
	word[0] = 7;
	cr_assert_eq(det_task_new(1, "child", child, NULL, HERE), 1 + (int)n);
	det_await(&word[1], 0, HERE);
}

static const struct det_program children = {
	.name = "children",
	.nr_actors = 1,
	.setup = clear,
	.actor = parent,
	.state = what_was_seen,
};

static const enum det_policy all_policies[] = { DET_RUN, DET_RANDOM, DET_PCT, DET_NAIVE, DET_DPOR };

/* A task that is made comes after all that its maker did before: no race, and one outcome. */
Test(det_made, task_made_by_a_task)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		struct det_result r =
			run(&children, (struct det_options){ .policy = all_policies[i],
							     .race = DET_RACE_STRICT,
							     .depth = 2,
							     .executions = 100 });

		cr_expect_eq(r.nr_states, 1);
		cr_expect_eq(r.last_state, 7);
		cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
		det_result_free(&r);
	}
}

static void with_worker(void)
{
	clear();
	det_task_new(0, "worker", worker, NULL, HERE);
}

static void hand_over(unsigned int n)
{
	(void)n;
	det_store(&word[2], 1, HERE);
	det_await(&word[2], 1, HERE);
}

static const struct det_program workers = {
	.name = "workers",
	.nr_actors = 1,
	.setup = with_worker,
	.actor = hand_over,
	.state = what_was_seen,
};

/* An idle worker is no deadlock, and it has taken what was there when the execution ends. */
Test(det_made, idle_worker)
{
	unsigned int i;

	for (i = 0; i < 5; i++) {
		struct det_result r = run(&workers, (struct det_options){ .policy = all_policies[i],
									  .depth = 2,
									  .executions = 100 });

		cr_expect_eq(r.nr_states, 1);
		cr_expect_eq(r.last_state, 1);
		cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
		det_result_free(&r);
	}
}

/* ---- interrupts that are raised ---- */

static int source;

static void count_it(void *arg)
{
	(void)arg;
	seen++;
	get(&word[0]);
}

static void with_source(void)
{
	clear();
	source = det_irq_new(DET_HARDIRQ, 1, "source", count_it, NULL, HERE);
}

static void raise_twice(unsigned int n)
{
	(void)n;
	det_irq_raise(source, HERE);
	det_irq_raise(source, HERE);
}

static void raise_and_cancel(unsigned int n)
{
	(void)n;
	det_irq_raise(source, HERE);
	seen += det_irq_cancel(source, HERE) ? 16 : 32;
}

static struct det_program raised = {
	.name = "raised",
	.nr_actors = 1,
	.setup = with_source,
	.state = what_was_seen,
};

static void expect_states(void (*actor)(unsigned int), uint64_t a, uint64_t b)
{
	struct det_result r;

	raised.actor = actor;
	r = run(&raised, (struct det_options){ .policy = DET_NAIVE });
	cr_expect(r.complete);
	cr_assert_eq(r.nr_states, 2);
	cr_expect_eq(r.states[0], a, "%lu", r.states[0]);
	cr_expect_eq(r.states[1], b, "%lu", r.states[1]);
	cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

Test(det_made, raised_interrupts)
{
	/* Two raises make one interrupt or two ... */
	expect_states(raise_twice, 1, 2);
	/* ... and one that is cancelled came before that, or does not come. */
	expect_states(raise_and_cancel, 16, 33);
}

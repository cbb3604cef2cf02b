// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel side of a program is told where contexts of one CPU take turns, and makes of it what
 * kernel code sees.
 */
#include <sim/task.h>

#include "det_events.h"

static const uint8_t cpu_0[3];

static void look_elsewhere(unsigned int n)
{
	(void)n;
	get(&word[3]);
}

static char told[64];

static void tell(char what, const struct sim_task *who)
{
	size_t n = strlen(told);

	if (n + 3 > sizeof(told))
		return;
	told[n] = what;
	told[n + 1] = who ? (char)('a' + who->pid - 100) : '-';
	told[n + 2] = 0;
}

static void told_switch(struct sim_task *from, struct sim_task *to)
{
	cr_assert(!det_running());
	cr_assert_eq(sim_self, to);
	tell('<', from);
	tell('>', to);
}

static void told_enter(enum det_context context, struct sim_task *task)
{
	cr_assert_eq(context, DET_HARDIRQ);
	cr_assert_eq(task->in_hardirq, 1);
	cr_assert_eq(task->cpu, 0);
	tell('+', task);
}

static void told_exit(enum det_context context, struct sim_task *task)
{
	if (context == DET_HARDIRQ)
		tell('-', task);
}

static const struct det_kernel listener = {
	.switch_context = told_switch,
	.enter = told_enter,
	.exit = told_exit,
};

static void two_writes(unsigned int n)
{
	set(&word[n], 1);
	set(&word[n], 2);
}

static void tell_nothing(void)
{
	clear();
	told[0] = 0;
}

static const struct det_program listened = {
	.name = "listened",
	.nr_actors = 2,
	.actor_cpus = cpu_0,
	.nr_irqs = 1,
	.setup = tell_nothing,
	.actor = two_writes,
	.irq = look_elsewhere,
	.kernel = &listener,
};

/* Each change of a CPU's task, and each handler, in the order in which they come. */
Test(det_kernel_side, kernel_side_is_told)
{
	struct det_result r;

	r = run(&listened, (struct det_options){ .policy = DET_REPLAY, .schedule = "a2c3ab3" });
	cr_expect_str_eq(told, "<->a+c-c<a>b", "%s", told);
	det_result_free(&r);
	r = run(&listened, (struct det_options){ .policy = DET_REPLAY, .schedule = "a2bac3b2" });
	cr_expect_str_eq(told, "<->a<a>b<b>a+c-c<a>b", "%s", told);
	det_result_free(&r);
}

/* ---- kernel code (model/scenarios/contexts.c) ---- */

static void clean(const char *name, uint64_t state)
{
	struct det_result r =
		explore(name, (struct det_options){ .policy = DET_DPOR, .states = true });

	cr_expect(r.complete, "%s", name);
	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	cr_expect_eq(r.last_state, state, "%s: %lu", name, r.last_state);
	cr_expect_leq(r.nr_states, 1, "%s", name);
	det_result_free(&r);
}

static void found(const char *name, const char *kind)
{
	struct det_result r = explore(name, (struct det_options){ .policy = DET_DPOR }), again;
	const struct det_bug *bug = bug_of_kind(&r, kind);

	cr_expect(r.complete, "%s", name);
	cr_assert(bug, "%s: no %s", name, kind);
	again = explore(name,
			(struct det_options){ .policy = DET_REPLAY, .schedule = bug->schedule });
	cr_expect(bug_of_kind(&again, kind), "%s: replay of %s", name, bug->schedule);
	det_result_free(&again);
	det_result_free(&r);
}

Test(det_kernel_side, kernel_code)
{
	clean("irq-counter", 2);
	found("irq-counter-open", "check");
	clean("softirq-buffer", 3);
	found("softirq-early", "kasan");
	clean("idle-worker", 0);
	clean("shared-cpu", 0);
}

/* ---- KVM objects ---- */

/* For programs that the host makes of a trace: told as well. */
Test(det_kernel_side, of_every_object)
{
	unsigned int i;

	cr_assert_gt(det_nr_objects(), 0);
	for (i = 0; i < det_nr_objects(); i++) {
		const struct det_object *o = det_object_at(i);

		cr_expect(o->kernel && o->kernel->switch_context && o->kernel->enter &&
				  o->kernel->exit,
			  "%s", o->name);
	}
}

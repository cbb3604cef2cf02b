// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of one CPU: who keeps whom out, how often an interrupt can come, when an execution ends.
 * The programs are host code that makes its events itself.
 */
#include <sim/task.h>

#include "det_events.h"

static const uint8_t cpu_0[4];

/* ---- one interrupt at any event of the task that it interrupts ---- */

static void three_writes(unsigned int n)
{
	unsigned int i;

	(void)n;
	for (i = 1; i <= 3; i++)
		set(&word[0], i);
}

static void look(unsigned int n)
{
	(void)n;
	seen = 1 + get(&word[0]);
}

static const struct det_program interrupted = {
	.name = "interrupted",
	.nr_actors = 1,
	.nr_irqs = 1,
	.setup = clear,
	.actor = three_writes,
	.irq = look,
	.state = what_was_seen,
};

static void two_masked_writes(unsigned int n)
{
	(void)n;
	det_cpu_level(DET_NO_IRQS, HERE);
	set(&word[0], 1);
	set(&word[0], 2);
	det_cpu_level(DET_PREEMPTIBLE, HERE);
}

static const struct det_program masked = {
	.name = "masked",
	.nr_actors = 1,
	.nr_irqs = 1,
	.setup = clear,
	.actor = two_masked_writes,
	.irq = look,
	.state = what_was_seen,
};

static void look_elsewhere(unsigned int n)
{
	get(&word[1 + n]);
}

static const struct det_program interrupted_twice = {
	.name = "interrupted-twice",
	.nr_actors = 1,
	.nr_irqs = 2,
	.irq_cpus = cpu_0,
	.setup = clear,
	.actor = three_writes,
	.irq = look_elsewhere,
};

static const uint8_t cpu_1[4] = { 1, 1, 1, 1 };
static const struct det_program interrupted_elsewhere = {
	.name = "interrupted-elsewhere",
	.nr_actors = 1,
	.nr_irqs = 2,
	.irq_cpus = cpu_1,
	.setup = clear,
	.actor = three_writes,
	.irq = look_elsewhere,
};

static void expect_places(const struct det_program *p, uint64_t brute, uint64_t reduced)
{
	struct det_result r = run(p, (struct det_options){ .policy = DET_NAIVE });

	cr_expect(r.complete && !r.blocked);
	if (brute)
		cr_expect_eq(r.executions, brute, "%s: %lu", p->name, r.executions);
	det_result_free(&r);
	r = run(p, (struct det_options){ .policy = DET_DPOR });
	cr_expect(r.complete && !r.blocked);
	cr_expect_eq(r.executions, reduced, "%s: %lu", p->name, r.executions);
	cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

/*
 * A handler is one piece for its CPU: against a task of n events, the start among them, it has n +
 * 1 places, less those where it is kept out; two of them (n + 1) (n + 2).
 */
Test(det_contexts, places_of_an_interrupt)
{
	expect_places(&interrupted, 5, 5);
	expect_places(&masked, 3, 3);
	expect_places(&interrupted_twice, 30, 30);
	/* On another CPU, and with nothing in common: only the order of the two. */
	expect_places(&interrupted_elsewhere, 0, 2);
}

/* ---- levels ---- */

static enum det_level level;

static void at_level(unsigned int n)
{
	if (n) {
		get(&word[1]);
		seen |= get(&word[0]) << 4;
		return;
	}
	det_cpu_level(level, HERE);
	set(&word[0], 1);
	set(&word[0], 2);
	det_cpu_level(DET_PREEMPTIBLE, HERE);
}

static void irq_looks(unsigned int n)
{
	(void)n;
	seen |= get(&word[0]);
}

static void softirq_looks(void *arg)
{
	(void)arg;
	seen |= get(&word[0]) << 8;
}

static int softirq;

static void with_softirq(void)
{
	clear();
	softirq = det_irq_new(DET_SOFTIRQ, 0, "softirq", softirq_looks, NULL, HERE);
	det_irq_raise(softirq, HERE);
}

static const struct det_program levels = {
	.name = "levels",
	.nr_actors = 2,
	.actor_cpus = cpu_0,
	.nr_irqs = 1,
	.irq_cpus = cpu_0,
	.setup = with_softirq,
	.actor = at_level,
	.irq = irq_looks,
	.state = what_was_seen,
};

/* Who can see the value that is there only while the level is raised? */
Test(det_contexts, levels_keep_out)
{
	static const struct {
		bool task, softirq, irq;
	} sees[] = { { true, true, true },
		     { false, true, true },
		     { false, false, true },
		     { false, false, false } };

	for (level = DET_PREEMPTIBLE; level <= DET_NO_IRQS; level++) {
		struct det_result r = run(&levels, (struct det_options){ .policy = DET_NAIVE });
		bool task = false, irq = false, soft = false;
		unsigned int i;

		for (i = 0; i < r.nr_states; i++) {
			irq |= (r.states[i] & 15) == 1;
			task |= (r.states[i] >> 4 & 15) == 1;
			soft |= r.states[i] >> 8 == 1;
		}
		cr_expect(r.complete);
		cr_expect_eq(task, sees[level].task, "level %d", level);
		cr_expect_eq(soft, sees[level].softirq, "level %d", level);
		cr_expect_eq(irq, sees[level].irq, "level %d", level);
		cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
		det_result_free(&r);
	}
}

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
Test(det_contexts, task_made_by_a_task)
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
Test(det_contexts, idle_worker)
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

Test(det_contexts, raised_interrupts)
{
	/* Two raises make one interrupt or two ... */
	expect_states(raise_twice, 1, 2);
	/* ... and one that is cancelled came before that, or does not come. */
	expect_states(raise_and_cancel, 16, 33);
}

/* ---- happens-before of one CPU ---- */

static enum det_level task_level, other_level;

static void add_plainly(enum det_level at)
{
	det_cpu_level(at, HERE);
	__tsan_read4(&word[3]);
	__tsan_write4(&word[3]);
	word[3]++;
	det_cpu_level(DET_PREEMPTIBLE, HERE);
}

static void add_in_task(unsigned int n)
{
	add_plainly(n ? other_level : task_level);
}

static void add_in_irq(unsigned int n)
{
	(void)n;
	add_plainly(DET_PREEMPTIBLE);
}

static void add_in_softirq(void *arg)
{
	(void)arg;
	add_plainly(other_level);
}

static void with_adding_softirq(void)
{
	clear();
	det_irq_raise(det_irq_new(DET_SOFTIRQ, 0, "softirq", add_in_softirq, NULL, HERE), HERE);
}

static void nothing(unsigned int n)
{
	(void)n;
}

static const struct det_program adding_irq = {
	.name = "adding-irq",
	.nr_actors = 1,
	.nr_irqs = 1,
	.setup = clear,
	.actor = add_in_task,
	.irq = add_in_irq,
};
static const struct det_program adding_softirq = {
	.name = "adding-softirq",
	.nr_actors = 1,
	.setup = with_adding_softirq,
	.actor = add_in_task,
};
static const struct det_program adding_both = {
	.name = "adding-both",
	.nr_actors = 1,
	.nr_irqs = 1,
	.setup = with_adding_softirq,
	.actor = nothing,
	.irq = add_in_irq,
};
static const struct det_program adding_tasks = {
	.name = "adding-tasks",
	.nr_actors = 2,
	.actor_cpus = cpu_0,
	.setup = clear,
	.actor = add_in_task,
};

static bool races(const struct det_program *p, enum det_race rules, enum det_level task,
		  enum det_level other)
{
	struct det_result r;
	bool found;

	task_level = task;
	other_level = other;
	r = run(p, (struct det_options){ .policy = DET_DPOR, .race = rules });
	cr_expect(r.complete, "%s", p->name);
	found = r.nr_bugs;
	if (found)
		cr_expect_str_eq(r.bugs[0].kind, "kcsan", "%s", r.bugs[0].text);
	det_result_free(&r);
	return found;
}

/* A level excludes those who need their CPU below it, and orders what it excludes. */
Test(det_contexts, levels_order)
{
	enum det_level l;

	for (l = DET_PREEMPTIBLE; l <= DET_NO_IRQS; l++) {
		cr_expect_eq(races(&adding_irq, DET_RACE_STRICT, l, 0), l < DET_NO_IRQS, "%d", l);
		cr_expect_eq(races(&adding_softirq, DET_RACE_STRICT, l, 0), l < DET_NO_SOFTIRQS,
			     "%d", l);
		/* A softirq that turns interrupts off, or does not. */
		cr_expect_eq(races(&adding_both, DET_RACE_STRICT, 0, l), l < DET_NO_IRQS, "%d", l);
		/* Both tasks need it. */
		cr_expect_eq(races(&adding_tasks, DET_RACE_STRICT, l, l), l < DET_NO_TASKS, "%d",
			     l);
		cr_expect(races(&adding_tasks, DET_RACE_STRICT, l, DET_PREEMPTIBLE), "%d", l);
	}
}

/* KCSAN does not see what interrupts a task on its own CPU; tasks can be on another one. */
Test(det_contexts, interrupts_and_kcsan)
{
	cr_expect(!races(&adding_irq, DET_RACE_KCSAN, DET_PREEMPTIBLE, 0));
	cr_expect(!races(&adding_softirq, DET_RACE_KCSAN, DET_PREEMPTIBLE, 0));
	cr_expect(!races(&adding_both, DET_RACE_KCSAN, 0, DET_PREEMPTIBLE));
	cr_expect(races(&adding_tasks, DET_RACE_KCSAN, DET_PREEMPTIBLE, DET_PREEMPTIBLE));
}

/* ---- the kernel side is told ---- */

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
Test(det_contexts, kernel_side_is_told)
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

Test(det_contexts, kernel_code)
{
	clean("irq-counter", 2);
	found("irq-counter-open", "check");
	clean("softirq-buffer", 3);
	found("softirq-early", "kasan");
	clean("idle-worker", 0);
	clean("shared-cpu", 0);
}

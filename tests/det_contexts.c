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

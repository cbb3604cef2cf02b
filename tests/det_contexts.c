// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of one CPU: who keeps whom out, how often an interrupt can come, when an execution ends.
 * The programs are host code that makes its events itself.
 */
#include <string.h>

#include "det_explore.h"

void __tsan_volatile_read4(void *p);
void __tsan_volatile_write4(void *p);
void __tsan_write4(void *p);
void __tsan_read4(void *p);

#define HERE                          \
	({                            \
		__label__ here;       \
	here:                         \
		(const void *)&&here; \
	})

static uint32_t word[4], seen;
static const uint8_t cpu_0[4];

static void set(uint32_t *p, uint32_t value)
{
	__tsan_volatile_write4(p);
	*p = value;
}

static uint32_t get(uint32_t *p)
{
	__tsan_volatile_read4(p);
	return *p;
}

static void clear(void)
{
	memset(word, 0, sizeof(word));
	seen = 0;
}

static struct det_result run(const struct det_program *p, struct det_options o)
{
	struct det_result r;

	o.states = true;
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s", r.error);
	return r;
}

static uint64_t what_was_seen(void)
{
	return seen;
}

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

/* Before the task's start, after it, after each of three writes: the handler itself is one piece.
 */
Test(det_contexts, places_of_an_interrupt)
{
	struct det_result r = run(&interrupted, (struct det_options){ .policy = DET_NAIVE });

	cr_expect(r.complete);
	cr_expect_eq(r.executions, 5, "%lu", r.executions);
	cr_expect_eq(r.nr_states, 4);
	cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
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

/* ---- preemption bound ---- */

static void two_steps(unsigned int n)
{
	set(&word[0], n + 1);
	if (n)
		seen = seen * 4 + get(&word[0]);
	else
		set(&word[0], 3);
}

static const struct det_program bounded = {
	.name = "bounded",
	.nr_actors = 2,
	.setup = clear,
	.actor = two_steps,
	.state = what_was_seen,
};

/*
 * Two tasks of m = 3 steps, the start among them: one after the other 2, one preemption 2 (m - 1)
 * more, two 2 (m - 1)^2 more, of C(6, 3) in all.
 */
Test(det_contexts, preemption_bound)
{
	static const uint64_t count[] = { 2, 6, 14 };
	static const enum det_policy sampling[] = { DET_RANDOM, DET_PCT, DET_DPOR };
	struct det_result r;
	unsigned int i, k;

	for (i = 0; i < 3; i++) {
		struct det_options o = { .policy = DET_NAIVE,
					 .bound_preemptions = true,
					 .preemptions = i };

		r = run(&bounded, o);
		cr_expect_eq(r.executions, count[i], "%u preemptions: %lu", i, r.executions);
		cr_expect(r.bounded && !r.complete, "%u", i);
		/* Each preemption lets the second task see one more value. */
		cr_expect_eq(r.nr_states, i + 1);
		det_result_free(&r);
		for (k = 0; k < 3; k++) {
			o.policy = sampling[k];
			o.depth = 3;
			o.executions = 500;
			r = run(&bounded, o);
			if (sampling[k] != DET_DPOR)
				cr_expect_eq(r.nr_states, i + 1, "%s",
					     det_policy_name(sampling[k]));
			cr_expect_leq(r.nr_states, i + 1, "%s", det_policy_name(sampling[k]));
			cr_expect(!r.complete && r.bounded, "%s", det_policy_name(sampling[k]));
			det_result_free(&r);
		}
	}
	r = run(&bounded, (struct det_options){ .policy = DET_NAIVE,
						.bound_preemptions = true,
						.preemptions = 4 });
	cr_expect_eq(r.executions, 20);
	cr_expect(!r.bounded && r.complete);
	det_result_free(&r);
}

/* ---- executions that do not end ---- */

static uint32_t locks[2], domain;

static void two_locks(unsigned int n)
{
	det_lock(&locks[n], DET_EXCLUSIVE, HERE);
	det_lock(&locks[!n], DET_EXCLUSIVE, HERE);
	det_unlock(&locks[!n], DET_EXCLUSIVE, HERE);
	det_unlock(&locks[n], DET_EXCLUSIVE, HERE);
}

static void reader_waits(unsigned int n)
{
	if (n) {
		det_gp_wait(&domain, HERE);
		set(&word[0], 1);
		return;
	}
	det_read_lock(&domain, HERE);
	det_await(&word[0], 0, HERE);
	det_read_unlock(&domain, HERE);
}

static void lock_in_task(unsigned int n)
{
	(void)n;
	det_cpu_level(DET_NO_TASKS, HERE);
	det_lock(&locks[0], DET_EXCLUSIVE, HERE);
	get(&word[0]);
	det_unlock(&locks[0], DET_EXCLUSIVE, HERE);
	det_cpu_level(DET_PREEMPTIBLE, HERE);
}

static const struct det_program inversion = {
	.name = "inversion", .nr_actors = 2, .setup = clear, .actor = two_locks
};
static const struct det_program waiting_reader = {
	.name = "waiting-reader", .nr_actors = 2, .setup = clear, .actor = reader_waits
};
static const struct det_program unsafe_lock = { .name = "unsafe-lock",
						.nr_actors = 1,
						.nr_irqs = 1,
						.setup = clear,
						.actor = lock_in_task,
						.irq = lock_in_task };

static void expect_report(const struct det_program *p, const char *kind, const char *const *says,
			  unsigned int nr)
{
	struct det_result r = run(p, (struct det_options){ .policy = DET_DPOR, .max_steps = 400 });
	const struct det_bug *bug = bug_of_kind(&r, kind);
	unsigned int i;

	cr_assert(bug, "%s: no %s", p->name, kind);
	for (i = 0; i < nr; i++)
		cr_expect(strstr(bug->text, says[i]), "%s: no \"%s\" in\n%s", p->name, says[i],
			  bug->text);
	det_result_free(&r);
}

Test(det_contexts, deadlocks_name_who_waits)
{
	static const char *const inverted[] = {
		"INFO: task actor-a:100 blocked for ever",
		"task:actor-a state:D pid:100 cpu:0 waits for lock [",
		"held by actor-b:101",
		"task:actor-b state:D pid:101 cpu:1 waits for lock [",
		"held by actor-a:100",
	};
	static const char *const reader[] = {
		"task:actor-a state:D pid:100 cpu:0 waits until [",
		"is not 0",
		"cpu:1 waits for a grace period of [",
		"which waits for actor-a:100",
	};
	static const char *const in_irq[] = {
		"task:actor-a state:D pid:100 cpu:0 waits for its CPU, where irq-0:101 is handled",
		"interrupt:irq-0 state:D pid:101 cpu:0 waits for lock [",
		"held by actor-a:100",
	};

	expect_report(&inversion, "deadlock", inverted, 5);
	expect_report(&waiting_reader, "deadlock", reader, 4);
	expect_report(&unsafe_lock, "deadlock", in_irq, 3);
}

/* A loop over two words that nobody writes: no single read waits. */
static void round_and_round(unsigned int n)
{
	if (!n)
		while (!get(&word[1]) && !get(&word[2]))
			;
	det_await(&word[3], 0, HERE);
}

/* A loop that counts its turns is another state each time: who knows. */
static void count_turns(unsigned int n)
{
	unsigned int turns;

	(void)n;
	for (turns = 0; !get(&word[1]) && !get(&word[2]); turns++)
		seen = turns;
}

static const struct det_program spinner = {
	.name = "spinner", .nr_actors = 2, .setup = clear, .actor = round_and_round
};
static const struct det_program counter = {
	.name = "counter", .nr_actors = 1, .setup = clear, .actor = count_turns
};

Test(det_contexts, what_goes_round_for_ever)
{
	static const char *const says[] = {
		"INFO: task actor-a:100 blocked for ever: it reads the same again and again",
		"task:actor-a state:D pid:100 cpu:0 goes round a loop that reads [",
		"task:actor-b state:D pid:101 cpu:1 waits until [",
	};
	struct det_result r;

	expect_report(&spinner, "livelock", says, 3);
	r = run(&counter,
		(struct det_options){ .policy = DET_RANDOM, .executions = 1, .max_steps = 400 });
	cr_expect_eq(r.cut, 1);
	cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

static void wait_in_vain(unsigned int n)
{
	if (!n)
		while (!get(&word[1]))
			;
	set(&word[2], n);
}

static const struct det_program vain = {
	.name = "vain", .nr_actors = 2, .setup = clear, .actor = wait_in_vain
};

/* What a search finds with what it learned is shown by a replay that has learned nothing. */
Test(det_contexts, loops_that_wait_for_ever_replay)
{
	const struct det_program *const programs[] = { &vain, &spinner, &inversion, &unsafe_lock };
	struct det_result r, again;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		r = run(programs[i], (struct det_options){ .policy = DET_DPOR, .max_steps = 400 });
		cr_assert(r.nr_bugs, "%s", programs[i]->name);
		again = run(programs[i], (struct det_options){ .policy = DET_REPLAY,
							       .schedule = r.bugs[0].schedule });
		cr_assert(again.nr_bugs, "%s: %s", programs[i]->name, r.bugs[0].schedule);
		cr_expect_str_eq(again.bugs[0].kind, r.bugs[0].kind, "%s", programs[i]->name);
		det_result_free(&again);
		det_result_free(&r);
	}
}

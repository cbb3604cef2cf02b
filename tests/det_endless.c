// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executions that are kept within a bound, and those that come to no end: what is said of them.
 */
#include "det_events.h"

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
Test(det_endless, preemption_bound)
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
			cr_expect_eq(r.nr_states, i + 1, "%s", det_policy_name(sampling[k]));
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

Test(det_endless, deadlocks_name_who_waits)
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

Test(det_endless, what_goes_round_for_ever)
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
Test(det_endless, loops_that_wait_for_ever_replay)
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

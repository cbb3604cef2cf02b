// SPDX-License-Identifier: GPL-2.0-only
/*
 * Per-CPU variables in the deterministic world (model/scenarios/per_cpu.c).
 */
#include <string.h>

#include "det_explore.h"

static struct det_result all_with(const char *name, enum det_memory memory, enum det_race race)
{
	struct det_result r = explore(
		name, (struct det_options){
			      .policy = DET_DPOR, .memory = memory, .race = race, .states = true });

	cr_expect(r.complete, "%s", name);
	return r;
}

static struct det_result all_of(const char *name, enum det_memory memory)
{
	return all_with(name, memory, DET_RACE_KCSAN);
}

static void clean(const char *name, enum det_memory memory)
{
	struct det_result r = all_of(name, memory);

	cr_expect_eq(r.nr_bugs, 0, "%s: %s", name, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

static bool has_state(const struct det_result *r, uint64_t state)
{
	unsigned int i;

	for (i = 0; i < r->nr_states; i++)
		if (r->states[i] == state)
			return true;
	return false;
}

Test(det_per_cpu, operations)
{
	struct det_result r;

	clean("per-cpu-ops", DET_SC);
	/* Stores may reach memory at any of some 250 steps: too many to try them all. */
	r = explore("per-cpu-ops", (struct det_options){ .policy = DET_RANDOM,
							 .memory = DET_TSO,
							 .executions = 1000,
							 .seed = 1 });
	cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

Test(det_per_cpu, race_between_cpus)
{
	struct det_result r = all_of("per-cpu-remote", DET_SC);
	const struct det_bug *bug = bug_of_kind(&r, "kcsan");

	cr_assert(bug);
	cr_expect(strstr(bug->text, "BUG: KCSAN: data-race in clear_others / clear_others"));
	cr_expect(strstr(bug->text, "to tallies.count of cpu 1 of 4 bytes by task 101 on cpu 1"),
		  "%s", bug->text);
	cr_expect(strstr(bug->text, "to tallies.count of cpu 1 of 4 bytes by task 100 on cpu 0"),
		  "%s", bug->text);
	/* Cleared after, or before: or in the middle, which is as if before. */
	cr_expect_eq(r.nr_states, 2);
	det_result_free(&r);
}

/* Each execution finds the variables of every CPU as the first found them. */
Test(det_per_cpu, put_back_between_executions)
{
	struct det_result r;

	clean("per-cpu-apart", DET_SC);
	clean("per-cpu-apart", DET_TSO);
	r = explore("per-cpu-apart",
		    (struct det_options){ .policy = DET_RANDOM, .executions = 100, .seed = 3 });
	cr_expect_eq(r.nr_bugs, 0, "%s", r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

/* One instruction: the interrupt comes before it or after it. */
Test(det_per_cpu, counted_by_task_and_interrupt)
{
	static const char *const names[] = { "per-cpu-irq", "per-cpu-irq-return",
					     "per-cpu-irq-cmpxchg" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		clean(names[i], DET_SC);
		clean(names[i], DET_TSO);
	}
}

Test(det_per_cpu, not_protected_from_interrupt)
{
	struct det_result r = all_with("per-cpu-irq-raw", DET_SC, DET_RACE_STRICT);
	const struct det_bug *bug = bug_of_kind(&r, "kcsan");

	cr_assert(bug);
	cr_expect(strstr(bug->text, "BUG: KCSAN: data-race in hit / hit_unprotected"), "%s",
		  bug->text);
	cr_expect(strstr(bug->text, "to hits of cpu 0 of 4 bytes"), "%s", bug->text);
	cr_expect_not(bug_of_kind(&r, "check"));
	det_result_free(&r);
}

Test(det_per_cpu, lost_through_a_pointer)
{
	struct det_result r = all_with("per-cpu-irq-plain", DET_SC, DET_RACE_STRICT);
	const struct det_bug *bug = bug_of_kind(&r, "check");

	cr_assert(bug);
	cr_expect(strstr(bug->text, "per_cpu(hits, 0) == 2"), "%s", bug->text);
	cr_expect_eq(r.nr_states, 2);
	cr_expect(has_state(&r, 1) && has_state(&r, 2));
	bug = bug_of_kind(&r, "kcsan");
	cr_assert(bug);
	cr_expect(strstr(bug->text, "to hits of cpu 0 of 4 bytes"), "%s", bug->text);
	det_result_free(&r);
}

/* Both look before either's store is there: only with store buffers, and no barrier. */
Test(det_per_cpu, stay_in_the_store_buffer)
{
	static const char *const names[] = { "per-cpu-sb-write", "per-cpu-sb-add",
					     "per-cpu-sb-xchg", "per-cpu-sb-mb" };
	struct det_result r;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		r = all_of(names[i], DET_SC);
		cr_expect_eq(r.nr_bugs, 0, "%s: %s", names[i], r.nr_bugs ? r.bugs[0].text : "");
		cr_expect_eq(r.nr_states, 3, "%s", names[i]);
		cr_expect_not(has_state(&r, 0), "%s", names[i]);
		det_result_free(&r);

		r = all_of(names[i], DET_TSO);
		cr_expect_eq(r.nr_bugs, 0, "%s: %s", names[i], r.nr_bugs ? r.bugs[0].text : "");
		cr_expect_eq(has_state(&r, 0), i < 3, "%s", names[i]);
		det_result_free(&r);
	}
}

Test(det_per_cpu, no_such_cpu)
{
	struct det_result r = explore("per-cpu-beyond",
				      (struct det_options){ .policy = DET_RUN, .executions = 1 });
	const struct det_bug *bug = bug_of_kind(&r, "bug");

	cr_assert(bug, "%s", r.nr_bugs ? r.bugs[0].text : "nothing");
	cr_expect(strstr(bug->text, "CPU 64 is out of range"), "%s", bug->text);
	det_result_free(&r);
}

/* The same schedule shows it again, in another exploration. */
Test(det_per_cpu, replayed)
{
	struct det_result r = all_of("per-cpu-irq-plain", DET_SC), again;
	const struct det_bug *bug = bug_of_kind(&r, "check");

	cr_assert(bug);
	again = explore("per-cpu-irq-plain",
			(struct det_options){ .policy = DET_REPLAY, .schedule = bug->schedule });
	cr_expect(bug_of_kind(&again, "check"));
	det_result_free(&again);
	det_result_free(&r);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The litmus programs in the deterministic world: all interleavings of each, whose outcomes are
 * those of the model, no more and no less, and whose races are reported by the rules that say so.
 */
#include <stdio.h>
#include <string.h>

#include "det_explore.h"
#include "litmus/litmus.h"

static const struct litmus *running;
static unsigned int regs[LITMUS_REGS];

void litmus_out(unsigned int reg, unsigned int value)
{
	regs[reg] = value > 9 ? 9 : value;
}

static void setup(void)
{
	memset(regs, 0, sizeof(regs));
	running->setup();
}

static void actor(unsigned int n)
{
	running->threads[n]();
}

/* The digits, read as one number behind a 1. */
static uint64_t state(void)
{
	uint64_t n = 1;
	unsigned int i;

	if (running->final)
		running->final();
	for (i = 0; i < running->nr_regs; i++)
		n = n * 10 + regs[i];
	return n;
}

static bool contains(const char *set, uint64_t outcome, unsigned int nr_regs)
{
	char text[24];

	if (!set)
		return false;
	snprintf(text, sizeof(text), "%lu", outcome);
	while (strlen(set) >= nr_regs) {
		if (!strncmp(set, text + 1, nr_regs))
			return true;
		set += nr_regs + (set[nr_regs] == ' ');
	}
	return false;
}

static unsigned int count(const char *set)
{
	unsigned int n = 0;

	for (; set && *set; set++)
		n += *set == ' ' || !set[1];
	return n;
}

static struct det_result run(const struct litmus *l, enum det_memory memory, enum det_race race)
{
	struct det_program p = { .name = l->name,
				 .nr_actors = l->nr_threads,
				 .setup = setup,
				 .actor = actor,
				 .state = state };
	struct det_options o = {
		.policy = DET_DPOR, .memory = memory, .race = race, .states = true
	};
	struct det_result r;

	running = l;
	cr_assert_eq(det_explore(&p, &o, &r), 0, "%s: %s", l->name, r.error);
	cr_expect(r.complete, "%s: %lu executions, %lu cut", l->name, r.executions, r.cut);
	return r;
}

static void expect_outcomes(const struct litmus *l, enum det_memory memory)
{
	struct det_result r = run(l, memory, DET_RACE_OFF);
	const char *model = memory == DET_TSO ? "tso" : "sc";
	unsigned int i, expected = count(l->sc), digits = l->nr_regs;

	if (memory == DET_TSO)
		expected += count(l->tso);
	for (i = 0; i < r.nr_states; i++) {
		bool allowed = contains(l->sc, r.states[i], digits) ||
			       (memory == DET_TSO && contains(l->tso, r.states[i], digits));

		cr_expect(allowed, "%s, %s: outcome %lu (behind the 1) is not allowed", l->name,
			  model, r.states[i]);
		cr_expect_not(contains(l->missed, r.states[i], digits),
			      "%s, %s: outcome %lu is reached, and listed as missed", l->name,
			      model, r.states[i]);
		expected -= allowed;
	}
	if (memory == DET_TSO || !l->tso)
		expected -= count(l->missed);
	cr_expect_eq(expected, 0, "%s, %s: %u allowed outcomes are not reached", l->name, model,
		     expected);
	cr_expect_eq(r.nr_bugs, 0, "%s, %s: %s", l->name, model, r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

static void expect_race(const struct litmus *l, enum det_memory memory, enum det_race race)
{
	struct det_result r = run(l, memory, race);
	bool expected = l->race == LITMUS_RACE ||
			(l->race == LITMUS_RACE_STRICT && race == DET_RACE_STRICT);

	cr_expect_eq(!!bug_of_kind(&r, "kcsan"), expected, "%s, %s, %s: %s", l->name,
		     memory == DET_TSO ? "tso" : "sc", race == DET_RACE_STRICT ? "strict" : "kcsan",
		     r.nr_bugs ? r.bugs[0].text : "no race reported");
	det_result_free(&r);
}

static void for_each(void (*fn)(const struct litmus *l))
{
	const struct litmus *const *l;

	cr_assert_gt(__stop_litmus_programs - __start_litmus_programs, 80);
	for (l = __start_litmus_programs; l < __stop_litmus_programs; l++)
		fn(*l);
}

static void outcomes(const struct litmus *l)
{
	if (!l->sc)
		return;
	expect_outcomes(l, DET_SC);
	expect_outcomes(l, DET_TSO);
}

static void races(const struct litmus *l)
{
	expect_race(l, DET_SC, DET_RACE_KCSAN);
	expect_race(l, DET_SC, DET_RACE_STRICT);
	expect_race(l, DET_TSO, DET_RACE_KCSAN);
	expect_race(l, DET_TSO, DET_RACE_STRICT);
}

Test(litmus_det, outcomes_are_the_models)
{
	for_each(outcomes);
}

Test(litmus_det, races_are_reported)
{
	for_each(races);
}

/* What the sets are compared with is itself sound: digits, no outcome twice. */
static void well_formed(const struct litmus *l)
{
	const char *sets[] = { l->sc, l->tso, l->missed };
	unsigned int i, k;

	cr_expect(l->nr_threads <= LITMUS_THREADS && l->nr_regs <= LITMUS_REGS && l->threads[0],
		  "%s", l->name);
	for (i = 0; i < 3; i++)
		for (k = 0; sets[i] && k <= strlen(sets[i]); k++)
			cr_expect_eq((k + 1) % (l->nr_regs + 1) == 0,
				     sets[i][k] == ' ' || !sets[i][k], "%s: \"%s\"", l->name,
				     sets[i]);
}

Test(litmus_det, well_formed)
{
	for_each(well_formed);
}

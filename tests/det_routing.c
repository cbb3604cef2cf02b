// SPDX-License-Identifier: GPL-2.0-only
/*
 * The port's own routing code, every interleaving of it: nothing is found in what is right, and the
 * mutants that only concurrency shows are found.
 */
#include <stdlib.h>
#include <string.h>

#include <sim/det.h>
#include <criterion/criterion.h>

static const char *const scenarios[] = { "route-update-lookup", "route-update-delivery",
					 "route-update-update", "route-update-reuse",
					 "route-update-slow-reader" };

static struct det_result run(const char *scenario, const char *strategy, struct det_options o)
{
	const struct det_program *p = det_program_find(scenario, strategy);
	struct det_result r;

	cr_assert(p, "%s of %s", scenario, strategy);
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s: %s", scenario, r.error);
	return r;
}

static void all_clean(const char *strategy)
{
	unsigned int i;

	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct det_result r =
			run(scenarios[i], strategy,
			    (struct det_options){ .policy = DET_DPOR, .executions = 100000 });

		cr_expect(r.complete, "%s of %s: %lu executions", scenarios[i], strategy,
			  r.executions);
		cr_expect_eq(r.nr_bugs, 0, "%s of %s: %s", scenarios[i], strategy,
			     r.nr_bugs ? r.bugs[0].text : "");
		cr_expect_gt(r.executions, 1);
		det_result_free(&r);
	}
}

Test(det_routing, per_entry)
{
	all_clean("per-entry");
}

Test(det_routing, chunked)
{
	all_clean("chunked");
}

Test(det_routing, array)
{
	all_clean("array");
}

Test(det_routing, cached)
{
	all_clean("cached");
}

/*
 * Found by dpor in under 100,000 executions; replayed 100 times with the same events; shrunk to
 * what still shows it.
 */
static void is_found(const char *mutant, const char *scenario)
{
	const struct det_program *p = det_program_find(scenario, mutant);
	struct det_options o = { .policy = DET_DPOR, .executions = 100000, .first_bug = true };
	struct det_result r = run(scenario, mutant, o), again;
	uint64_t hash = 0;
	char *shorter;
	int i;

	cr_assert(r.nr_bugs, "%s: %s: nothing in %lu executions", mutant, scenario, r.executions);
	for (i = 0; i < 100; i++) {
		again = run(scenario, mutant,
			    (struct det_options){ .policy = DET_REPLAY,
						  .schedule = r.bugs[0].schedule,
						  .trace = true });
		cr_expect(again.nr_bugs && !strcmp(again.bugs[0].where, r.bugs[0].where), "%s",
			  mutant);
		cr_expect(!i || again.trace_hash == hash, "%s: replay %d differs", mutant, i);
		hash = again.trace_hash;
		det_result_free(&again);
	}
	shorter = det_shrink(p, &o, &r.bugs[0]);
	cr_assert(shorter);
	again = run(scenario, mutant,
		    (struct det_options){ .policy = DET_REPLAY, .schedule = shorter });
	cr_expect(again.nr_bugs, "%s: %s", mutant, shorter);
	det_result_free(&again);
	det_result_free(&r);
	free(shorter);
}

Test(det_routing, mutants)
{
	is_found("201-freed-before-grace-period", "route-update-lookup");
	is_found("201-freed-before-grace-period", "route-update-delivery");
	is_found("202-idle-array-claimed-twice", "route-update-reuse");
}

/* And by sampling, over twenty seeds. */
Test(det_routing, mutants_by_pct)
{
	unsigned int seed;

	for (seed = 0; seed < 20; seed++) {
		struct det_options o = { .policy = DET_PCT,
					 .depth = 3,
					 .seed = seed,
					 .executions = 1000,
					 .first_bug = true };
		struct det_result r =
			run("route-update-lookup", "201-freed-before-grace-period", o);

		cr_expect(r.nr_bugs, "seed %u", seed);
		det_result_free(&r);
		r = run("route-update-reuse", "202-idle-array-claimed-twice", o);
		cr_expect(r.nr_bugs, "seed %u", seed);
		det_result_free(&r);
	}
}

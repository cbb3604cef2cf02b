// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every program that is registered, whoever wrote it: explored to its end with nothing found, or
 * with the kind of bug that it exists to show.
 */
#include <stdio.h>
#include <string.h>

#include "det_explore.h"

#define MOST 100000 /* executions of one program */

/*
 * A whole KVM, and workers with their items, have too many stores for all their delays to be tried;
 * det_waiting.c samples the latter.
 */
static bool for_store_buffers(const struct det_program *p)
{
	return !p->strategy && strncmp(p->name, "work-", 5) && strcmp(p->name, "per-cpu-ops") &&
	       p->nr_actors + p->nr_irqs <= DET_MAX_TASKS / 2;
}

static void as_expected(const struct det_program *p, enum det_memory memory)
{
	struct det_options o = { .policy = DET_DPOR, .memory = memory, .executions = MOST };
	const char *expects = p->expects_tso && memory != DET_TSO ? NULL : p->expects;
	const char *of = p->strategy ? p->strategy : "-";
	struct det_result r;

	cr_assert_eq(det_explore(p, &o, &r), 0, "%s of %s: %s", p->name, of, r.error);
	if (expects)
		cr_expect(bug_of_kind(&r, expects), "%s of %s: no %s", p->name, of, expects);
	else
		cr_expect(r.complete, "%s of %s: %lu executions, %lu cut", p->name, of,
			  r.executions, r.cut);
	if (!expects)
		cr_expect_eq(r.nr_bugs, 0, "%s of %s: %s", p->name, of,
			     r.nr_bugs ? r.bugs[0].text : "");
	det_result_free(&r);
}

static unsigned int all(bool kvm, enum det_memory memory)
{
	unsigned int i, nr = 0;

	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i);

		if (det_program_is_mutant(p) || p->rt || !p->strategy == kvm ||
		    (memory == DET_TSO && !for_store_buffers(p)))
			continue;
		as_expected(p, memory);
		nr++;
	}
	return nr;
}

Test(exhaustive_clean, small_programs)
{
	cr_expect_geq(all(false, DET_SC), 40);
}

Test(exhaustive_clean, small_programs_with_store_buffers)
{
	cr_expect_geq(all(false, DET_TSO), 30);
}

/* Of each strategy. */
Test(exhaustive_clean, routing)
{
	cr_expect_geq(all(true, DET_SC), 5 * 14);
}

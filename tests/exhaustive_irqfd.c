// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can happen to an irqfd at once, to its end, with either kind of registration and of bypass
 * manager: nothing is found, and the bound on executions says that it stays small.
 */
#include <stdio.h>
#include <string.h>

#include "det_explore.h"

#define MOST 10000 /* executions; the largest takes a quarter of that */

static const char *const variants[] = { "per-entry", "per-entry+unique", "per-entry+xarray" };
static const char *const scenarios[] = {
	"irqfd-assign-deassign",	"irqfd-assign-signalled",
	"irqfd-deassign-update",	"irqfd-hangup-deassign",
	"irqfd-assign-hangup",		"irqfd-resampler-last-new",
	"irqfd-resampler-ack",		"irqfd-two-vms",
	"irqfd-write-assign",		"irqfd-write-update",
	"irqfd-shutdown-destroy",	"irqfd-bypass-add-update",
	"irqfd-bypass-remove-update",	"irqfd-bypass-deassign-update",
	"irqfd-bypass-deassign-remove", "irqfd-bypass-unroute",
	"irqfd-bypass-third",		"irqfd-bypass-seventeenth",
};

static struct det_result cover(const char *scenario, const char *variant)
{
	struct det_options o = { .policy = DET_DPOR, .executions = MOST, .states = true };
	const struct det_program *p = det_program_find(scenario, variant);
	struct det_result r;

	cr_assert(p, "no %s of %s", scenario, variant);
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s", r.error);
	cr_expect(r.complete, "%s of %s: %lu executions", scenario, variant, r.executions);
	cr_expect_eq(r.nr_bugs, 0, "%s of %s: %s", scenario, variant,
		     r.nr_bugs ? r.bugs[0].text : "");
	return r;
}

Test(exhaustive_irqfd, nothing_is_found)
{
	unsigned int v, s;

	for (v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
		for (s = 0; s < sizeof(scenarios) / sizeof(*scenarios); s++) {
			struct det_result r = cover(scenarios[s], variants[v]);

			printf("%-29s %-17s %6lu executions %7lu events %u states\n", scenarios[s],
			       variants[v], r.executions, r.events, r.nr_states);
			det_result_free(&r);
		}
	}
}

/* That it is explored at all: each order that can be seen from outside is. */
Test(exhaustive_irqfd, every_outcome_is_seen)
{
	static const struct {
		const char *scenario, *variant;
		unsigned int states;
	} expected[] = {
		/* Both answer 0, whoever comes first. */
		{ "irqfd-assign-deassign", "per-entry", 1 },
		/* Written to before: injected by the assignment, or gone before that. */
		{ "irqfd-assign-signalled", "per-entry", 1 },
		/* Deassigned, or too late: -EBADF. */
		{ "irqfd-hangup-deassign", "per-entry", 2 },
		/* Both have it; or one, and the other -EBUSY. */
		{ "irqfd-two-vms", "per-entry", 1 },
		{ "irqfd-two-vms", "per-entry+unique", 2 },
		{ "irqfd-unique", "per-entry+unique", 2 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct det_result r = cover(expected[i].scenario, expected[i].variant);

		cr_expect_eq(r.nr_states, expected[i].states, "%s of %s: %u states",
			     expected[i].scenario, expected[i].variant, r.nr_states);
		det_result_free(&r);
	}
}

/*
 * In lists a registration looks at all that there are, two reads each (the next one and its token); in
 * xarrays it does not matter how many there are (8394b32faecd).
 */
Test(exhaustive_irqfd, what_one_more_producer_costs)
{
	static const struct {
		const char *variant;
		unsigned long more; /* events beside 16 others than beside 2 */
	} expected[] = { { "per-entry", 14 * 2 }, { "per-entry+xarray", 0 } };
	unsigned int i;

	for (i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct det_result few = cover("irqfd-bypass-third", expected[i].variant);
		struct det_result many = cover("irqfd-bypass-seventeenth", expected[i].variant);

		cr_expect_eq(many.events, few.events + expected[i].more, "%s: %lu and %lu",
			     expected[i].variant, few.events, many.events);
		det_result_free(&few);
		det_result_free(&many);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page caches in the deterministic world: every scenario of both schemes, with PREEMPT_RT and
 * without, in every interleaving, and nothing but what the scenario is there to show.
 */
#include <string.h>

#include "det_explore.h"

/* With more classes (136,879 in scheme "srcu") than a quick test has time for: some of them. */
#define SOME 10000
static bool is_large(const struct det_program *p)
{
	return !strcmp(p->name, "gpc-retire-migrate");
}

static const struct det_bug *of_kind(const struct det_result *r, const char *kind)
{
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++)
		if (!strcmp(r->bugs[i].kind, kind))
			return &r->bugs[i];
	return NULL;
}

static void as_expected(const struct det_program *p)
{
	struct det_options o = { .policy = DET_DPOR, .executions = is_large(p) ? SOME : 0 };
	const char *rt = p->rt ? ", PREEMPT_RT" : "";
	struct det_result r;

	cr_assert_eq(det_explore(p, &o, &r), 0, "%s: %s", p->name, r.error);
	if (p->expects)
		cr_expect(of_kind(&r, p->expects), "%s of %s%s: no %s", p->name, p->strategy, rt,
			  p->expects);
	else
		cr_expect_eq(r.nr_bugs, 0, "%s of %s%s: %s", p->name, p->strategy, rt,
			     r.nr_bugs ? r.bugs[0].text : "");
	cr_expect_eq(r.cut, 0, "%s of %s%s: %lu cut", p->name, p->strategy, rt, r.cut);
	if (!is_large(p))
		cr_expect(r.complete, "%s of %s%s: %lu executions", p->name, p->strategy, rt,
			  r.executions);
	det_result_free(&r);
}

static unsigned int all(const char *strategy, bool rt)
{
	unsigned int i, nr = 0;

	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i);

		if (!p->strategy || strcmp(p->strategy, strategy) || p->rt != rt)
			continue;
		as_expected(p);
		nr++;
	}
	return nr;
}

Test(gpc_clean, rwlock)
{
	cr_expect_geq(all("rwlock", false), 17);
}

Test(gpc_clean, srcu)
{
	cr_expect_geq(all("srcu", false), 17);
}

Test(gpc_clean, rwlock_on_preempt_rt)
{
	cr_expect_geq(all("rwlock", true), 17);
}

Test(gpc_clean, srcu_on_preempt_rt)
{
	cr_expect_geq(all("srcu", true), 17);
}

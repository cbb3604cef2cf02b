/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TESTS_DET_EXPLORE_H
#define TESTS_DET_EXPLORE_H

#include <criterion/criterion.h>

#include <sim/det.h>

/* Run the registered program @name; the result is to be freed. */
static inline struct det_result explore(const char *name, struct det_options options)
{
	const struct det_program *p = det_program_find(name, NULL);
	struct det_result r;

	cr_assert(p, "no program %s", name);
	cr_assert_eq(det_explore(p, &options, &r), 0, "%s: %s", name, r.error);
	return r;
}

static inline const struct det_bug *bug_of_kind(const struct det_result *r, const char *kind)
{
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++)
		if (!strcmp(r->bugs[i].kind, kind))
			return &r->bugs[i];
	return NULL;
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an execution looks like in print.
 */
#include <stdio.h>
#include <stdlib.h>

#include "det_events.h"

static const uint8_t cpus[DET_MAX_TASKS];

static void nothing(unsigned int n)
{
	(void)n;
}

static const struct det_program crowded = {
	.name = "crowded",
	.nr_actors = 1,
	.actor_cpus = cpus,
	.nr_irqs = DET_MAX_TASKS - 1,
	.irq_cpus = cpus,
	.actor = nothing,
	.irq = nothing,
};

static unsigned int count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* As many contexts of one CPU as there can be: each has its steps in the CPU's lane. */
Test(det_lanes, many_contexts_of_one_cpu)
{
	struct det_result r =
		run(&crowded,
		    (struct det_options){ .policy = DET_RUN, .executions = 1, .trace = true });
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert(out);
	det_trace_print(out);
	fclose(out);
	cr_expect_eq(count(text, " end of interr"), DET_MAX_TASKS - 1, "%s", text);
	free(text);
	det_result_free(&r);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * From names to programs: scenarios, strategies, mutants, traces.
 */
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "explore.h"
#include "model/workload/trace_program.h"

static struct trace trace;

int explore_use_trace(const char *path)
{
	char err[256];

	trace_free(&trace);
	if (!strcmp(path, "-"))
		return usage_error("--trace: expected a file, since a replay reads it again");
	if (trace_read(path, &trace, err, sizeof(err)) ||
	    trace_program_use(&trace, err, sizeof(err)))
		return usage_error("%s", err);
	return 0;
}

bool explore_expects_bug(const struct det_program *p, const struct det_options *o)
{
	return det_program_is_mutant(p) ||
	       (p->expects && (!p->expects_tso || o->memory == DET_TSO));
}

/* @wanted: a strategy or mutant; NULL or "all": any that is right. */
static bool fits(const char *strategy, const char *wanted)
{
	if (!wanted || !strcmp(wanted, "all"))
		return !strategy || *strategy < '0' || *strategy > '9';
	return strategy && !strcmp(strategy, wanted);
}

static int add(struct explore_programs *out, const struct det_program *p)
{
	const struct det_program **list;

	list = reallocarray(out->list, out->nr + 1, sizeof(*list));
	if (!list || !p)
		return usage_error("explore: expected memory for a list, found none left");
	out->list = list;
	list[out->nr++] = p;
	return 0;
}

/* Of the trace in use: in one object, or in all that fit. */
static int add_objects(struct explore_programs *out, const char *wanted, bool rt)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < det_nr_objects() && !err; i++) {
		const struct det_object *o = det_object_at(i);

		if (!fits(o->name, wanted) || o->rt != rt)
			continue;
		err = add(out, trace_program_of(o));
		if (!wanted)
			break;
	}
	return err;
}

/* Of one name, or of all ("all"); of a name without a strategy the first. */
static int add_programs(struct explore_programs *out, const char *name, const char *wanted, bool rt)
{
	bool all = !strcmp(name, "all");
	unsigned int i;
	int err = 0;

	for (i = 0; i < det_nr_programs() && !err; i++) {
		const struct det_program *p = det_program_at(i);

		if ((!all && strcmp(p->name, name)) || p->rt != rt || !fits(p->strategy, wanted))
			continue;
		err = add(out, p);
		if (!all && !wanted)
			break;
	}
	return err;
}

static bool has_rt(void)
{
	unsigned int i;

	for (i = 0; i < det_nr_programs(); i++)
		if (det_program_at(i)->rt)
			return true;
	return false;
}

static bool is_strategy(const char *wanted)
{
	unsigned int i;

	for (i = 0; i < det_nr_programs(); i++)
		if (det_program_at(i)->strategy && fits(det_program_at(i)->strategy, wanted))
			return true;
	return false;
}

static int nothing(const char *who, const char *scenario, const char *strategy, bool rt)
{
	if (rt && !has_rt())
		return usage_error("%s: --rt: this irqsim has no objects of variant det-rt", who);
	if (strategy && !is_strategy(strategy))
		return usage_error("%s: no strategy or mutant '%.60s': see 'irqsim list'", who, strategy);
	return usage_error("%s: no scenario '%.60s'%s%.60s%s: see 'irqsim list scenarios'", who,
			   scenario, strategy ? " of strategy " : "", strategy ? strategy : "",
			   rt ? " with PREEMPT_RT" : "");
}

static int by_name(const void *a, const void *b)
{
	const struct det_program *const *x = a, *const *y = b;

	int order = strcmp((*x)->name, (*y)->name);

	if (order || !(*x)->strategy || !(*y)->strategy)
		return order;
	return strcmp((*x)->strategy, (*y)->strategy);
}

int explore_select(const struct explore_request *q, struct explore_programs *out)
{
	const char *wanted = q->mutant ? q->mutant : q->strategy, **name;
	unsigned int before;

	if (q->trace) {
		if (add_objects(out, wanted, q->rt))
			return EXIT_USAGE;
		if (!out->nr)
			return nothing("explore", "--trace", wanted, q->rt);
	}
	for (name = q->scenarios; name && *name; name++) {
		before = out->nr;
		if (add_programs(out, *name, wanted, q->rt))
			return EXIT_USAGE;
		if (out->nr == before)
			return nothing("explore", *name, wanted, q->rt);
		if (!strcmp(*name, "all"))
			qsort(out->list, out->nr, sizeof(*out->list), by_name);
	}
	return 0;
}

const struct det_program *explore_find(const char *who, const char *scenario,
				       const char *trace_path, const char *strategy, bool rt)
{
	struct explore_programs found = { 0 };
	const struct det_program *p = NULL;

	if (*trace_path && explore_use_trace(trace_path))
		return NULL;
	if (!(*trace_path ? add_objects(&found, strategy, rt)
			  : add_programs(&found, scenario, strategy, rt))) {
		if (found.nr)
			p = found.list[0];
		else
			nothing(who, *trace_path ? "--trace" : scenario, strategy, rt);
	}
	free(found.list);
	return p;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim replay and irqsim shrink: one execution of a scenario, from a file or from the command
 * line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "explore.h"
#include "output.h"
#include "replay_options.h"
#include "replay_export.h"

static struct det_options options_of(const struct replay_request *q)
{
	return (struct det_options){ .policy = DET_REPLAY,
				     .memory = q->f.memory,
				     .race = q->f.race,
				     .fail_nth = q->f.fail_nth,
				     .max_steps = q->f.steps,
				     .schedule = q->f.schedule,
				     .trace = true };
}

static bool is_it(const struct replay_request *q, const struct det_bug *bug)
{
	return !*q->f.kind || (!strcmp(bug->kind, q->f.kind) && !strcmp(bug->where, q->f.where));
}

/* Why a schedule does not fit: of a file, because this is not what it was written by. */
static int does_not_fit(const struct replay_request *q, const char *error)
{
	if (!q->path)
		return usage_error("%s: %s", q->who, error);
	return usage_error("%s: %s: the schedule is of other code than this irqsim runs", q->path,
			   error);
}

/* ---- replay ---- */

static void print_bugs(const struct replay_request *q, const struct det_result *r)
{
	bool found = false;
	unsigned int i, left = 0;

	for (i = 0; i < r->nr_bugs; i++) {
		found |= is_it(q, &r->bugs[i]);
		if (explore_same_before(r, i))
			left++;
		else
			printf(EXPLORE_RULE "%s\n", r->bugs[i].text ? r->bugs[i].text : "");
	}
	if (left)
		printf(EXPLORE_RULE
		       "and %u of the same kind in the same functions, at other lines\n",
		       left);
	printf("%s%u step%s, %u bug%s", r->nr_bugs ? EXPLORE_RULE : "\n", det_trace_steps(),
	       det_trace_steps() == 1 ? "" : "s", r->nr_bugs, r->nr_bugs == 1 ? "" : "s");
	if (q->f.events)
		printf("; %s", q->f.events == r->trace_hash
				       ? "the same events as when it was recorded"
				       : "other events than when it was recorded: this irqsim runs "
					 "other code");
	putchar('\n');
	if (*q->f.kind && !found)
		printf("the bug that was recorded is not there: %s in %s\n", q->f.kind, q->f.where);
}

static int export(const struct replay_request *q, const struct det_program *p,
		  const struct det_result *r)
{
	char title[256];

	snprintf(title, sizeof(title), "%s%s%s", p->name, p->strategy ? " of " : "",
		 p->strategy ? p->strategy : "");
	if (q->chrome && replay_export_chrome(q->chrome, title, r))
		return EXIT_USAGE;
	if (q->ftrace && replay_export_ftrace(q->ftrace, r))
		return EXIT_USAGE;
	return 0;
}

int builtin_replay(int argc, char **argv)
{
	struct replay_request q = { .who = "replay" };
	const struct det_program *p = replay_parse(&q, argc, argv);
	struct det_options o;
	struct det_result r;
	int ret;

	if (!p)
		return EXIT_USAGE;
	o = options_of(&q);
	if (det_explore(p, &o, &r)) {
		ret = does_not_fit(&q, r.error);
	} else {
		det_trace_mark(&r);
		det_trace_print(stdout);
		print_bugs(&q, &r);
		ret = export(&q, p, &r);
		if (!ret)
			ret = r.nr_bugs ? EXIT_DEFECT : EXIT_OK;
	}
	det_result_free(&r);
	replay_file_free(&q.f);
	return ret;
}

/* ---- shrink ---- */

static const struct det_bug *bug_of(const struct replay_request *q, const struct det_result *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++)
		if (is_it(q, &r->bugs[i]))
			return &r->bugs[i];
	return NULL;
}

static void print_size(const char *what, const struct det_program *p, const struct det_options *o,
		       const char *schedule, uint64_t *hash)
{
	struct det_options one = *o;
	struct det_result r;

	one.schedule = schedule;
	one.trace = true;
	if (!det_explore(p, &one, &r))
		printf("%s: %u preemption%s, %u events, %zu characters\n", what, r.preemptions,
		       r.preemptions == 1 ? "" : "s", det_trace_steps(), strlen(schedule));
	*hash = r.trace_hash;
	det_result_free(&r);
}

static int shrink(struct replay_request *q, const struct det_program *p,
		  const struct det_options *o, const struct det_result *r)
{
	const struct det_bug *bug = bug_of(q, r);
	char *shorter = bug ? det_shrink(p, o, bug) : NULL;

	if (!shorter)
		return usage_error("%s: the schedule does not show the bug%s%s",
				   q->path ? q->path : q->who, *q->f.where ? " in " : "",
				   q->f.where);
	printf("%s: %s\n", bug->kind, bug->where);
	print_size("before", p, o, q->f.schedule, &q->f.events);
	print_size("after", p, o, shorter, &q->f.events);
	free(q->f.schedule);
	q->f.schedule = shorter;
	snprintf(q->f.kind, sizeof(q->f.kind), "%s", bug->kind);
	snprintf(q->f.where, sizeof(q->f.where), "%s", bug->where);
	replay_command(stdout, &q->f);
	putchar('\n');
	if ((q->out || q->path) && replay_file_write(q->out ? q->out : q->path, &q->f))
		return EXIT_USAGE;
	return EXIT_OK;
}

int builtin_shrink(int argc, char **argv)
{
	struct replay_request q = { .who = "shrink" };
	const struct det_program *p = replay_parse(&q, argc, argv);
	struct det_options o;
	struct det_result r;
	int ret;

	if (!p)
		return EXIT_USAGE;
	o = options_of(&q);
	o.trace = false;
	if (det_explore(p, &o, &r))
		ret = does_not_fit(&q, r.error);
	else
		ret = shrink(&q, p, &o, &r);
	det_result_free(&r);
	replay_file_free(&q.f);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim replay and irqsim shrink: one schedule of a scenario, from a file or from the command
 * line.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "replay_file.h"

struct request {
	struct replay_file f;
	const char *path, *schedule, *out;
};

enum { KEY_SCENARIO = 256, KEY_STRATEGY, KEY_MEMORY, KEY_RACE, KEY_SCHEDULE };

static const struct argp_option options[] = {
	{ "scenario", KEY_SCENARIO, "NAME", 0, "in place of a file", 0 },
	{ "strategy", KEY_STRATEGY, "NAME", 0, "its KVM object", 0 },
	{ "schedule", KEY_SCHEDULE, "TEXT", 0, "who takes how many steps: a5b3", 0 },
	{ "memory", KEY_MEMORY, "MODEL", 0, "sc (default) or tso", 0 },
	{ "race", KEY_RACE, "RULES", 0, "kcsan (default), strict or off", 0 },
	{ "output", 'o', "FILE", 0, "shrink: write the result there (default: over the file)", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *q = state->input;
	int i;

	switch (key) {
	case KEY_SCENARIO:
		snprintf(q->f.scenario, sizeof(q->f.scenario), "%s", arg);
		break;
	case KEY_STRATEGY:
		snprintf(q->f.strategy, sizeof(q->f.strategy), "%s", arg);
		break;
	case KEY_SCHEDULE:
		q->schedule = arg;
		break;
	case KEY_MEMORY:
		i = name_index(arg, det_memory_names, 2);
		if (i < 0)
			argp_error(state, "'%.40s': expected sc or tso", arg);
		q->f.memory = i;
		break;
	case KEY_RACE:
		i = name_index(arg, det_race_names, 3);
		if (i < 0)
			argp_error(state, "'%.40s': expected kcsan, strict or off", arg);
		q->f.race = i;
		break;
	case 'o':
		q->out = arg;
		break;
	case ARGP_KEY_ARG:
		if (q->path)
			argp_error(state, "'%.40s': expected one file", arg);
		q->path = arg;
		break;
	case ARGP_KEY_END:
		if (!q->path && (!*q->f.scenario || !q->schedule))
			argp_error(state, "expected a file, or --scenario and --schedule");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = { options,
				  parse,
				  "[FILE]",
				  "Run one schedule of a scenario again and print its events, a "
				  "lane for each CPU; 'shrink' finds the "
				  "shortest one that still fails in the same way.\v"
				  "Exit status: 1 the bug is there, 0 it is not, 2 wrong usage, or "
				  "the schedule does not fit.",
				  NULL,
				  NULL,
				  NULL };

/* The program, or NULL after a line on stderr. */
static const struct det_program *prepare(int argc, char **argv, struct request *q)
{
	const struct det_program *p;

	memset(q, 0, sizeof(*q));
	argp_parse(&argp, argc, argv, 0, NULL, q);
	if (q->path && replay_file_read(q->path, &q->f))
		return NULL;
	if (!q->path) {
		q->f.schedule = strdup(q->schedule);
		if (!q->f.schedule) {
			usage_error("out of memory");
			return NULL;
		}
	}
	p = det_program_find(q->f.scenario, *q->f.strategy ? q->f.strategy : NULL);
	if (!p)
		usage_error("%s: no scenario '%.60s'%s%.60s in this irqsim",
			    q->path ? q->path : argv[0], q->f.scenario,
			    *q->f.strategy ? " of strategy " : "", q->f.strategy);
	return p;
}

static struct det_options options_of(const struct request *q)
{
	return (struct det_options){ .policy = DET_REPLAY,
				     .memory = q->f.memory,
				     .race = q->f.race,
				     .schedule = q->f.schedule,
				     .trace = true };
}

static int is_it(const struct request *q, const struct det_bug *bug)
{
	return !*q->f.kind || (!strcmp(bug->kind, q->f.kind) && !strcmp(bug->where, q->f.where));
}

int builtin_replay(int argc, char **argv)
{
	const struct det_program *p;
	struct det_options o;
	struct det_result r;
	struct request q;
	unsigned int i;
	int found = 0;

	p = prepare(argc, argv, &q);
	if (!p)
		return EXIT_USAGE;
	o = options_of(&q);
	if (det_explore(p, &o, &r)) {
		found = usage_error("replay: %s", r.error);
	} else {
		det_trace_print(stdout);
		for (i = 0; i < r.nr_bugs; i++) {
			printf("=================================================================="
			       "\n%s\n",
			       r.bugs[i].text ? r.bugs[i].text : "");
			found |= is_it(&q, &r.bugs[i]);
		}
		printf("==================================================================\n%u "
		       "bug%s\n",
		       r.nr_bugs, r.nr_bugs == 1 ? "" : "s");
	}
	det_result_free(&r);
	replay_file_free(&q.f);
	return found == EXIT_USAGE ? EXIT_USAGE : found ? EXIT_DEFECT : EXIT_OK;
}

static int shrink(struct request *q, const struct det_program *p, const struct det_options *o,
		  const struct det_result *r)
{
	const struct det_bug *bug = NULL;
	unsigned int i;
	char *shorter;
	int err = 0;

	for (i = 0; i < r->nr_bugs && !bug; i++)
		if (is_it(q, &r->bugs[i]))
			bug = &r->bugs[i];
	shorter = bug ? det_shrink(p, o, bug) : NULL;
	if (!shorter)
		return usage_error("shrink: the schedule does not show the bug");
	printf("%s\n%s\n", bug->where, shorter);
	free(q->f.schedule);
	q->f.schedule = shorter;
	snprintf(q->f.kind, sizeof(q->f.kind), "%s", bug->kind);
	snprintf(q->f.where, sizeof(q->f.where), "%s", bug->where);
	if (q->out || q->path)
		err = replay_file_write(q->out ? q->out : q->path, &q->f);
	return err ? EXIT_USAGE : EXIT_OK;
}

int builtin_shrink(int argc, char **argv)
{
	const struct det_program *p;
	struct det_options o;
	struct det_result r;
	struct request q;
	int ret;

	p = prepare(argc, argv, &q);
	if (!p)
		return EXIT_USAGE;
	o = options_of(&q);
	o.trace = false;
	o.race = q.f.race;
	if (det_explore(p, &o, &r))
		ret = usage_error("shrink: %s", r.error);
	else
		ret = shrink(&q, p, &o, &r);
	det_result_free(&r);
	replay_file_free(&q.f);
	return ret;
}

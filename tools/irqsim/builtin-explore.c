// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim explore SCENARIO: run a scenario's interleavings.
 */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "replay_file.h"

struct request {
	struct det_options options;
	const char *scenario, *strategy, *json, *replay_out;
};

enum {
	KEY_EXECUTIONS = 256,
	KEY_SECONDS,
	KEY_SEED,
	KEY_MEMORY,
	KEY_RACE,
	KEY_STEPS,
	KEY_REPLAY,
	KEY_JSON,
	KEY_FIRST
};

static const struct argp_option options[] = {
	{ "strategy", 's', "NAME", 0,
	  "KVM object, for the scenarios that need one (default: the first)", 0 },
	{ "policy", 'p', "NAME", 0, "dpor (default), random, pct, run, naive", 0 },
	{ "depth", 'd', "N", 0, "pct: depth of the bugs looked for (default 3)", 0 },
	{ "executions", KEY_EXECUTIONS, "N", 0,
	  "at most N (default: no limit for dpor and naive, else 10000)", 0 },
	{ "seconds", KEY_SECONDS, "N", 0, "at most N seconds of CPU time", 0 },
	{ "seed", KEY_SEED, "N", 0, "of random and pct (default 1)", 0 },
	{ "memory", KEY_MEMORY, "MODEL", 0, "sc (default) or tso: store buffers", 0 },
	{ "race", KEY_RACE, "RULES", 0, "kcsan (default), strict or off", 0 },
	{ "steps", KEY_STEPS, "N", 0, "cut an execution after N events (default 20000)", 0 },
	{ "first", KEY_FIRST, NULL, 0, "stop after the first execution with a bug", 0 },
	{ "replay-out", KEY_REPLAY, "FILE", 0, "write the first bug's schedule there", 0 },
	{ "json", KEY_JSON, "FILE", 0, "write the result as JSON, - for stdout", 0 },
	{ 0 }
};

static uint64_t number(const char *arg, uint64_t max, struct argp_state *state)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(arg, &end, 10);
	if (errno || *end || end == arg || *arg == '-' || n > max)
		argp_error(state, "'%.40s': expected a number up to %llu", arg,
			   (unsigned long long)max);
	return n;
}

static int choice(const char *arg, const char *const *names, int nr, const char *expected,
		  struct argp_state *state)
{
	int i = name_index(arg, names, nr);

	if (i < 0)
		argp_error(state, "'%.40s': expected %s", arg, expected);
	return i;
}

static enum det_policy policy(const char *arg, struct argp_state *state)
{
	int p;

	for (p = 0; p < DET_REPLAY; p++)
		if (!strcmp(arg, det_policy_name(p)))
			return p;
	argp_error(state, "'%.40s': expected dpor, random, pct, run or naive", arg);
	return DET_RUN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;
	struct det_options *o = &r->options;

	switch (key) {
	case 's':
		r->strategy = arg;
		break;
	case 'p':
		o->policy = policy(arg, state);
		break;
	case 'd':
		o->depth = number(arg, 16, state);
		break;
	case KEY_EXECUTIONS:
		o->executions = number(arg, UINT64_MAX, state);
		break;
	case KEY_SECONDS:
		o->seconds = number(arg, 1000000, state);
		break;
	case KEY_SEED:
		o->seed = number(arg, UINT64_MAX, state);
		break;
	case KEY_MEMORY:
		o->memory = choice(arg, det_memory_names, 2, "sc or tso", state);
		break;
	case KEY_RACE:
		o->race = choice(arg, det_race_names, 3, "kcsan, strict or off", state);
		break;
	case KEY_STEPS:
		o->max_steps = number(arg, 30000, state);
		break;
	case KEY_FIRST:
		o->first_bug = true;
		break;
	case KEY_REPLAY:
		r->replay_out = arg;
		break;
	case KEY_JSON:
		r->json = arg;
		break;
	case ARGP_KEY_ARG:
		if (r->scenario)
			argp_error(state, "'%.40s': expected one scenario", arg);
		r->scenario = arg;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "expected a scenario ('irqsim list scenarios')");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options,
	parse,
	"SCENARIO",
	"Run a scenario's interleavings and report what goes wrong in them.\v"
	"Exit status: 0 nothing found, 1 a bug was found, 2 wrong usage.",
	NULL,
	NULL,
	NULL
};

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static void fill_replay(struct replay_file *f, const struct det_program *p,
			const struct det_options *o, const struct det_bug *bug, char *schedule)
{
	*f = (struct replay_file){ .memory = o->memory, .race = o->race, .schedule = schedule };
	snprintf(f->scenario, sizeof(f->scenario), "%s", p->name);
	snprintf(f->strategy, sizeof(f->strategy), "%s", or_empty(p->strategy));
	snprintf(f->kind, sizeof(f->kind), "%s", bug->kind);
	snprintf(f->where, sizeof(f->where), "%s", bug->where);
}

static void print_text(const struct det_program *p, const struct det_options *o,
		       const struct det_result *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++) {
		const struct det_bug *b = &r->bugs[i];

		printf("==================================================================\n%s\n\n",
		       or_empty(b->text));
		printf("In execution %lu first, in %lu of %lu. Replay:\n  irqsim replay --scenario "
		       "%s",
		       b->execution, b->count, r->executions, p->name);
		if (p->strategy)
			printf(" --strategy %s", p->strategy);
		printf(" --memory %s --schedule %s\n", det_memory_names[o->memory],
		       or_empty(b->schedule));
	}
	if (r->nr_bugs)
		printf("==================================================================\n");
	printf("%s%s%s, policy %s, memory %s: %lu executions", p->name, p->strategy ? " of " : "",
	       or_empty(p->strategy), det_policy_name(o->policy), det_memory_names[o->memory],
	       r->executions);
	if (r->blocked)
		printf(", %lu given up as equivalent", r->blocked);
	if (r->cut)
		printf(", %lu cut at the step bound", r->cut);
	printf(", %lu events\n%s: %u bug%s\n", r->events,
	       r->complete ? "every interleaving is covered, up to equivalence"
			   : "not every interleaving is covered",
	       r->nr_bugs, r->nr_bugs == 1 ? "" : "s");
	if (o->policy == DET_PCT)
		printf("a bug of depth %u is found with probability %.3g or more in one "
		       "execution\n",
		       o->depth, r->pct_bound);
}

static int write_json(const char *path, const struct det_program *p, const struct det_options *o,
		      const struct det_result *r)
{
	json_t *bugs = json_array(), *top;
	unsigned int i;
	int err;

	for (i = 0; i < r->nr_bugs; i++)
		json_array_append_new(bugs, json_pack("{s:s,s:s,s:s}", "kind", r->bugs[i].kind,
						      "where", r->bugs[i].where, "replay",
						      or_empty(r->bugs[i].schedule)));
	top = json_pack("{s:s,s:s,s:s,s:s,s:I,s:b,s:I,s:f,s:o}", "scenario", p->name, "strategy",
			or_empty(p->strategy), "policy", det_policy_name(o->policy), "memory",
			det_memory_names[o->memory], "executions", (json_int_t)r->executions,
			"complete", r->complete, "events", (json_int_t)r->events,
			"executions_per_sec", r->seconds > 0 ? r->executions / r->seconds : 0.0,
			"bugs", bugs);
	if (!top)
		return usage_error("out of memory");
	err = strcmp(path, "-") ? json_dump_file(top, path, JSON_INDENT(1))
				: json_dumpf(top, stdout, JSON_INDENT(1));
	json_decref(top);
	if (!strcmp(path, "-"))
		putchar('\n');
	return err ? usage_error("%s: cannot write it", path) : 0;
}

static int finish(const struct request *q, const struct det_program *p, struct det_result *r)
{
	struct replay_file f;
	int err = 0;

	if (!q->json || strcmp(q->json, "-"))
		print_text(p, &q->options, r);
	if (q->json)
		err = write_json(q->json, p, &q->options, r);
	if (!err && q->replay_out && r->nr_bugs) {
		fill_replay(&f, p, &q->options, &r->bugs[0], r->bugs[0].schedule);
		err = replay_file_write(q->replay_out, &f) ? EXIT_USAGE : 0;
	}
	return err ? err : r->nr_bugs ? EXIT_DEFECT : EXIT_OK;
}

int builtin_explore(int argc, char **argv)
{
	struct request q = { .options = { .policy = DET_DPOR, .depth = 3, .seed = 1 } };
	const struct det_program *p;
	struct det_result r;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &q);
	p = det_program_find(q.scenario, q.strategy);
	if (!p)
		return usage_error(
			"explore: no scenario '%.60s'%s%.60s: see 'irqsim list scenarios'",
			q.scenario, q.strategy ? " of strategy " : "", or_empty(q.strategy));
	if (!q.options.executions && q.options.seconds <= 0 && q.options.policy != DET_DPOR &&
	    q.options.policy != DET_NAIVE)
		q.options.executions = q.options.policy == DET_RUN ? 1 : 10000;
	if (det_explore(p, &q.options, &r))
		ret = usage_error("explore: %s", r.error);
	else
		ret = finish(&q, p, &r);
	det_result_free(&r);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of irqsim replay and irqsim shrink.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins.h"
#include "explore.h"
#include "output.h"
#include "replay_options.h"

enum {
	KEY_SCENARIO = 0x100,
	KEY_STRATEGY,
	KEY_MUTANT,
	KEY_RT,
	KEY_MEMORY,
	KEY_RACE,
	KEY_FAIL_NTH,
	KEY_STEPS,
	KEY_SCHEDULE,
	KEY_TRACE,
	KEY_CHROME,
	KEY_FTRACE,
	KEY_END
};

#define IN_PLACE                                                                               \
	{ NULL, 0, NULL, 0, "In place of a file:", 1 },                                        \
		{ "scenario", KEY_SCENARIO, "NAME", 0, "what is run", 0 },                     \
		{ "strategy", KEY_STRATEGY, "NAME", 0, "its KVM object", 0 },                  \
		{ "mutant", KEY_MUTANT, "NN-NAME", 0, "the same, of a mutant", 0 },            \
		{ "rt", KEY_RT, NULL, 0, "compiled with CONFIG_PREEMPT_RT", 0 },               \
		{ "memory", KEY_MEMORY, "MODEL", 0, "sc (default) or tso", 0 },                \
		{ "race", KEY_RACE, "RULES", 0, "kcsan (default), strict or off", 0 },         \
		{ "fail-nth", KEY_FAIL_NTH, "N", 0, "each actor's Nth fault point fails", 0 }, \
		{ "steps", KEY_STEPS, "N", 0, "cut after N events (default 20000)", 0 },       \
		{ "schedule", KEY_SCHEDULE, "TEXT", 0, "who takes how many steps: a5b3", 0 },  \
		{ NULL, 0, NULL, 0, "With both:", 2 },                                         \
	{                                                                                      \
		"trace", KEY_TRACE, "FILE", 0,                                                 \
			"in place of a scenario, or where the file's is now", 0                \
	}

static const struct argp_option replay_options[] = {
	IN_PLACE,
	{ "trace-out", KEY_CHROME, "FILE.json", 0, "write the execution for Perfetto", 0 },
	{ "ftrace", KEY_FTRACE, "FILE", 0, "write it as the kernel's ftrace text", 0 },
	{ 0 }
};

static const struct argp_option shrink_options[] = {
	IN_PLACE,
	{ "output", 'o', "FILE", 0, "write the result there (default: over the file)", 0 },
	{ 0 }
};

static int bad(const struct replay_request *q, const char *option, const char *expected,
	       const char *found)
{
	return usage_error("%s: --%s: expected %s, found '%.40s'", q->who, option, expected, found);
}

static int set_name(struct replay_request *q, const char *option, char *to, size_t size,
		    const char *arg)
{
	if (*arg && snprintf(to, size, "%s", arg) < (int)size)
		return 0;
	return bad(q, option, "a name, and no longer one", arg);
}

static int take_typed(struct replay_request *q, int key, const char *arg)
{
	struct replay_file *f = &q->f;
	int i;

	q->typed = true;
	switch (key) {
	case KEY_SCENARIO:
		return set_name(q, "scenario", f->scenario, sizeof(f->scenario), arg);
	case KEY_STRATEGY:
	case KEY_MUTANT:
		return set_name(q, key == KEY_MUTANT ? "mutant" : "strategy", f->strategy,
				sizeof(f->strategy), arg);
	case KEY_RT:
		f->rt = true;
		return 0;
	case KEY_MEMORY:
		i = name_index(arg, det_memory_names, 2);
		f->memory = i < 0 ? DET_SC : i;
		return i < 0 ? bad(q, "memory", "sc or tso", arg) : 0;
	case KEY_RACE:
		i = name_index(arg, det_race_names, 3);
		f->race = i < 0 ? DET_RACE_KCSAN : i;
		return i < 0 ? bad(q, "race", "kcsan, strict or off", arg) : 0;
	case KEY_FAIL_NTH:
		return decimal(arg, UINT32_MAX, &f->fail_nth) ? bad(q, "fail-nth", "a number", arg)
							      : 0;
	case KEY_STEPS:
		return decimal(arg, DET_MAX_STEPS, &f->steps)
			       ? bad(q, "steps", "at most 30000", arg)
			       : 0;
	default:
		q->schedule = arg;
		return 0;
	}
}

static int take(struct replay_request *q, int key, const char *arg)
{
	switch (key) {
	case KEY_TRACE:
		q->trace = arg;
		return 0;
	case KEY_CHROME:
		q->chrome = arg;
		return 0;
	case KEY_FTRACE:
		q->ftrace = arg;
		return 0;
	case 'o':
		q->out = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (q->path)
			return usage_error("%s: expected one file, found '%.60s' as well", q->who,
					   arg);
		q->path = arg;
		return 0;
	default:
		return take_typed(q, key, arg);
	}
}

static int next_arg = 1; /* what comes after the last option that was understood */

static error_t parser(int key, char *arg, struct argp_state *state)
{
	int err;

	if (key != ARGP_KEY_ARG && key != 'o' && (key < KEY_SCENARIO || key >= KEY_END))
		return ARGP_ERR_UNKNOWN; /* argp's own keys come here as well */
	err = take(state->input, key, arg);
	if (err)
		exit(err);
	next_arg = state->next;
	return 0;
}

static const struct argp replay_argp = {
	.options = replay_options,
	.parser = parser,
	.args_doc = "[FILE]",
	.doc = "Run one execution of a scenario again and print it, a lane for each CPU.\v"
	       "Exit status: 0 nothing is wrong in it, 1 a bug is there, 2 wrong usage, or the "
	       "schedule does not fit.",
};

static const struct argp shrink_argp = {
	.options = shrink_options,
	.parser = parser,
	.args_doc = "[FILE]",
	.doc = "Find the schedule with the fewest preemptions, then the fewest events, that fails "
	       "in the same way.\v"
	       "Exit status: 0 it was found, 2 wrong usage, or the bug is not there.",
};

/* ---- from what was typed to a program ---- */

/* A trace is looked for where the file says, then beside the replay file. */
static int find_trace(struct replay_request *q)
{
	char beside[REPLAY_PATH_MAX];
	const char *slash = q->path ? strrchr(q->path, '/') : NULL;
	struct replay_file *f = &q->f;

	if (q->trace)
		return set_name(q, "trace", f->trace, sizeof(f->trace), q->trace);
	if (!*f->trace || !q->path || !access(f->trace, R_OK) || *f->trace == '/' || !slash)
		return 0;
	if (snprintf(beside, sizeof(beside), "%.*s/%s", (int)(slash - q->path), q->path, f->trace) <
		    (int)sizeof(beside) &&
	    !access(beside, R_OK))
		strcpy(f->trace, beside);
	return 0;
}

static int check_trace(struct replay_request *q)
{
	uint64_t hash;

	if (!*q->f.trace)
		return 0;
	if (replay_hash_file(q->f.trace, &hash))
		return EXIT_USAGE;
	if (q->path && q->f.trace_hash && hash != q->f.trace_hash)
		return usage_error("%s: expected the trace %s to be the one that was replayed "
				   "(hash %016lx), found another (%016lx)",
				   q->path, q->f.trace, q->f.trace_hash, hash);
	q->f.trace_hash = hash;
	return 0;
}

static int parse(const struct argp *argp, int argc, char **argv, struct replay_request *q)
{
	char name[32];

	snprintf(name, sizeof(name), "irqsim %s", q->who);
	if (parse_options(argp, name, argc, argv, q))
		return usage_error("%s: unknown or incomplete option '%.60s': see --help", q->who,
				   next_arg < argc ? argv[next_arg] : "");
	if (q->path && q->typed)
		return usage_error("%s: expected a file, or options in place of one, found both",
				   q->who);
	if (!q->path && (!q->schedule || !*q->f.scenario == !q->trace))
		return usage_error("%s: expected a file, or --scenario or --trace with --schedule",
				   q->who);
	return 0;
}

static const struct det_program *find_program(struct replay_request *q)
{
	const char *strategy;

	if (q->path && replay_file_read(q->path, &q->f))
		return NULL;
	strategy = *q->f.strategy ? q->f.strategy : NULL;
	if (!q->path)
		q->f.schedule = strdup(q->schedule);
	if (!q->f.schedule) {
		usage_error("%s: expected memory for a schedule, found none left", q->who);
		return NULL;
	}
	if (q->path && q->trace && *q->f.scenario) {
		usage_error("%s: expected no --trace, since it is of scenario %s", q->path,
			    q->f.scenario);
		return NULL;
	}
	if (find_trace(q) || check_trace(q))
		return NULL;
	return explore_find(q->path ? q->path : q->who, q->f.scenario, q->f.trace, strategy,
			    q->f.rt);
}

static int check_outputs(const struct replay_request *q)
{
	if (q->chrome && json_output_check(q->chrome))
		return EXIT_USAGE;
	if (q->ftrace && json_output_check(q->ftrace))
		return EXIT_USAGE;
	return q->out && json_output_check(q->out) ? EXIT_USAGE : 0;
}

const struct det_program *replay_parse(struct replay_request *q, int argc, char **argv)
{
	const struct argp *argp = strcmp(q->who, "shrink") ? &replay_argp : &shrink_argp;
	const struct det_program *p;

	if (parse(argp, argc, argv, q) || check_outputs(q))
		return NULL;
	p = find_program(q);
	if (!p)
		replay_file_free(&q->f);
	return p;
}

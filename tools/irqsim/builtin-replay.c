// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim replay and irqsim shrink: one execution of a scenario, from a file or from the command
 * line.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins.h"
#include "explore.h"
#include "output.h"
#include "replay_export.h"

#define RULE "==================================================================\n"

struct request {
	struct replay_file f;
	const char *who; /* "replay" or "shrink" */
	const char *path, *schedule, *out, *trace, *chrome, *ftrace;
	bool typed; /* options that only stand in place of a file */
};

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

static int bad(const struct request *q, const char *option, const char *expected, const char *found)
{
	return usage_error("%s: --%s: expected %s, found '%.40s'", q->who, option, expected, found);
}

static int set_name(struct request *q, const char *option, char *to, size_t size, const char *arg)
{
	if (*arg && snprintf(to, size, "%s", arg) < (int)size)
		return 0;
	return bad(q, option, "a shorter name", arg);
}

static int take_typed(struct request *q, int key, const char *arg)
{
	struct replay_file *f = &q->f;
	int i;

	q->typed = true;
	switch (key) {
	case KEY_SCENARIO:
		return set_name(q, "scenario", f->scenario, sizeof(f->scenario), arg);
	case KEY_STRATEGY:
	case KEY_MUTANT:
		return set_name(q, "strategy", f->strategy, sizeof(f->strategy), arg);
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
		return decimal(arg, 30000, &f->steps) ? bad(q, "steps", "at most 30000", arg) : 0;
	default:
		q->schedule = arg;
		return 0;
	}
}

static int take(struct request *q, int key, const char *arg)
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
static int find_trace(struct request *q)
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

static int check_trace(struct request *q)
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

static int parse(const struct argp *argp, int argc, char **argv, struct request *q)
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

static const struct det_program *find_program(struct request *q)
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

static struct det_options options_of(const struct request *q)
{
	return (struct det_options){ .policy = DET_REPLAY,
				     .memory = q->f.memory,
				     .race = q->f.race,
				     .fail_nth = q->f.fail_nth,
				     .max_steps = q->f.steps,
				     .schedule = q->f.schedule,
				     .trace = true };
}

static bool is_it(const struct request *q, const struct det_bug *bug)
{
	return !*q->f.kind || (!strcmp(bug->kind, q->f.kind) && !strcmp(bug->where, q->f.where));
}

/* Why a schedule does not fit: of a file, because this is not what it was written by. */
static int does_not_fit(const struct request *q, const char *error)
{
	if (!q->path)
		return usage_error("%s: %s", q->who, error);
	return usage_error("%s: %s: the schedule is of other code than this irqsim runs", q->path,
			   error);
}

/* ---- replay ---- */

static bool printed_before(const struct det_result *r, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(r->bugs[i].kind, r->bugs[n].kind) &&
		    !strcmp(r->bugs[i].where, r->bugs[n].where))
			return true;
	return false;
}

static void print_bugs(const struct request *q, const struct det_result *r)
{
	bool found = false;
	unsigned int i, left = 0;

	for (i = 0; i < r->nr_bugs; i++) {
		found |= is_it(q, &r->bugs[i]);
		if (printed_before(r, i))
			left++;
		else
			printf(RULE "%s\n", r->bugs[i].text ? r->bugs[i].text : "");
	}
	if (left)
		printf(RULE "and %u of the same kind in the same functions, at other lines\n",
		       left);
	printf("%s%u step%s, %u bug%s", r->nr_bugs ? RULE : "\n", det_trace_steps(),
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

static int export(const struct request *q, const struct det_program *p, const struct det_result *r)
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

static int check_outputs(const struct request *q)
{
	if (q->chrome && json_output_check(q->chrome))
		return EXIT_USAGE;
	if (q->ftrace && json_output_check(q->ftrace))
		return EXIT_USAGE;
	return q->out && json_output_check(q->out) ? EXIT_USAGE : 0;
}

int builtin_replay(int argc, char **argv)
{
	struct request q = { .who = "replay" };
	const struct det_program *p;
	struct det_options o;
	struct det_result r;
	int ret;

	if (parse(&replay_argp, argc, argv, &q) || check_outputs(&q))
		return EXIT_USAGE;
	p = find_program(&q);
	if (!p) {
		replay_file_free(&q.f);
		return EXIT_USAGE;
	}
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

static const struct det_bug *bug_of(const struct request *q, const struct det_result *r)
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

static int shrink(struct request *q, const struct det_program *p, const struct det_options *o,
		  const struct det_result *r)
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
	struct request q = { .who = "shrink" };
	const struct det_program *p;
	struct det_options o;
	struct det_result r;
	int ret;

	if (parse(&shrink_argp, argc, argv, &q) || check_outputs(&q))
		return EXIT_USAGE;
	p = find_program(&q);
	if (!p) {
		replay_file_free(&q.f);
		return EXIT_USAGE;
	}
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

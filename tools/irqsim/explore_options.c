// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of irqsim explore.
 */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "explore.h"
#include "output.h"

#define SAMPLES 10000 /* executions of a policy that only samples, unless said otherwise */

enum {
	KEY_EXECUTIONS = 0x100,
	KEY_SECONDS,
	KEY_SEED,
	KEY_MEMORY,
	KEY_RACE,
	KEY_STEPS,
	KEY_REPLAY,
	KEY_JSON,
	KEY_FIRST,
	KEY_TRACE,
	KEY_MUTANT,
	KEY_RT,
	KEY_FAIL_NTH,
	KEY_VERBOSE,
	KEY_PREEMPTIONS,
	KEY_END
};

static const struct argp_option option_list[] = {
	{ NULL, 0, NULL, 0, "What is run:", 1 },
	{ "trace", KEY_TRACE, "FILE", 0,
	  "a trace whose records have actors, in place of a scenario", 0 },
	{ "strategy", 's', "NAME", 0,
	  "KVM object, for scenarios that need one (default: the first); 'all': each of them", 0 },
	{ "mutant", KEY_MUTANT, "NN-NAME", 0, "a planted bug; 'irqsim list mutants'", 0 },
	{ "rt", KEY_RT, NULL, 0, "objects compiled with CONFIG_PREEMPT_RT", 0 },
	{ "fail-nth", KEY_FAIL_NTH, "N", 0,
	  "fail each actor's Nth fault point (allocation, charge); N-M: one after another; "
	  "'sweep': "
	  "from 1 until no actor has so many",
	  0 },
	{ NULL, 0, NULL, 0, "Which interleavings:", 2 },
	{ "policy", 'p', "NAME", 0,
	  "dpor: all, up to equivalence (default); naive: all; random and pct: samples; run: one",
	  0 },
	{ "preemptions", KEY_PREEMPTIONS, "N", 0, "at most N in an execution (default: no bound)",
	  0 },
	{ "depth", 'd', "N", 0, "pct: depth of the bugs looked for (default 3)", 0 },
	{ "seed", KEY_SEED, "N", 0, "of random and pct (default 1)", 0 },
	{ "memory", KEY_MEMORY, "MODEL", 0, "sc (default) or tso: store buffers", 0 },
	{ "race", KEY_RACE, "RULES", 0, "kcsan (default), strict or off", 0 },
	{ NULL, 0, NULL, 0, "How long:", 3 },
	{ "executions", KEY_EXECUTIONS, "N", 0,
	  "at most N (default: no limit for dpor and naive, else 10000)", 0 },
	{ "seconds", KEY_SECONDS, "N", 0, "at most N seconds of CPU time", 0 },
	{ "steps", KEY_STEPS, "N", 0, "cut an execution after N events (default 20000)", 0 },
	{ "first", KEY_FIRST, NULL, 0, "stop after the first execution with a bug", 0 },
	{ NULL, 0, NULL, 0, "Results:", 4 },
	{ "verbose", KEY_VERBOSE, NULL, 0, "reports of one kind in the same functions as well", 0 },
	{ "replay-out", KEY_REPLAY, "FILE", 0, "write what replays the first bug", 0 },
	{ "json", KEY_JSON, "FILE|-", 0, "write the result as JSON; - replaces the text", 0 },
	{ 0 },
};

static int number(const char *option, const char *text, uint64_t max, uint64_t *out)
{
	if (!decimal(text, max, out))
		return 0;
	return usage_error("explore: --%s: expected a number up to %lu, found '%.40s'", option, max,
			   text);
}

static int choice(const char *option, const char *text, const char *const *names, int nr,
		  const char *expected, unsigned int *out)
{
	int i = name_index(text, names, nr);

	if (i < 0)
		return usage_error("explore: --%s: expected %s, found '%.40s'", option, expected,
				   text);
	*out = i;
	return 0;
}

static int policy(const char *text, struct det_options *o)
{
	int p;

	for (p = 0; p < DET_REPLAY; p++)
		if (!strcmp(text, det_policy_name(p))) {
			o->policy = p;
			return 0;
		}
	return usage_error("explore: --policy: expected dpor, random, pct, run or naive, found "
			   "'%.40s'",
			   text);
}

/* N, N-M, "sweep". */
static int fail_nth(const char *text, struct explore_request *q)
{
	char first[24];
	size_t len = strcspn(text, "-");
	uint64_t from, to;

	if (!strcmp(text, "sweep")) {
		q->fail_from = 1;
		q->fail_to = ULONG_MAX;
		return 0;
	}
	snprintf(first, sizeof(first), "%.*s", len < sizeof(first) ? (int)len : 0, text);
	if (decimal(first, UINT32_MAX, &from) || !from ||
	    decimal(text[len] ? text + len + 1 : first, UINT32_MAX, &to) || to < from)
		return usage_error("explore: --fail-nth: expected N from 1, N-M or 'sweep', found "
				   "'%.40s'",
				   text);
	q->fail_from = from;
	q->fail_to = to;
	return 0;
}

static int add_scenario(struct explore_request *q, const char *name)
{
	unsigned int n = 0;
	const char **list;

	while (q->scenarios && q->scenarios[n])
		n++;
	list = reallocarray(q->scenarios, n + 2, sizeof(*list));
	if (!list)
		return usage_error("explore: expected memory for a name, found none left");
	list[n] = name;
	list[n + 1] = NULL;
	q->scenarios = list;
	return 0;
}

static int take_number(struct explore_request *q, int key, const char *arg)
{
	struct det_options *o = &q->options;
	uint64_t n;
	int err;

	switch (key) {
	case 'd':
		err = number("depth", arg, DET_MAX_DEPTH, &n);
		o->depth = n;
		return err;
	case KEY_PREEMPTIONS:
		err = number("preemptions", arg, DET_MAX_STEPS, &n);
		o->bound_preemptions = true;
		o->preemptions = n;
		return err;
	case KEY_EXECUTIONS:
		return number("executions", arg, INT64_MAX, &o->executions);
	case KEY_SECONDS:
		err = number("seconds", arg, 1000000, &n);
		o->seconds = n;
		return err;
	case KEY_STEPS:
		err = number("steps", arg, DET_MAX_STEPS, &n);
		o->max_steps = n;
		return err;
	default:
		return number("seed", arg, INT64_MAX, &o->seed);
	}
}

static int take(struct explore_request *q, int key, const char *arg)
{
	struct det_options *o = &q->options;

	switch (key) {
	case 's':
		q->strategy = arg;
		return 0;
	case 'p':
		return policy(arg, o);
	case KEY_TRACE:
		q->trace = arg;
		return 0;
	case KEY_MUTANT:
		q->mutant = arg;
		return 0;
	case KEY_RT:
		q->rt = true;
		return 0;
	case KEY_FAIL_NTH:
		return fail_nth(arg, q);
	case KEY_MEMORY:
		return choice("memory", arg, det_memory_names, 2, "sc or tso", &o->memory);
	case KEY_RACE:
		return choice("race", arg, det_race_names, 3, "kcsan, strict or off", &o->race);
	case KEY_FIRST:
		o->first_bug = true;
		return 0;
	case KEY_VERBOSE:
		q->verbose = true;
		return 0;
	case KEY_REPLAY:
		q->replay_out = arg;
		return 0;
	case KEY_JSON:
		q->json = arg;
		return 0;
	default:
		return take_number(q, key, arg);
	}
}

static int next_arg = 1; /* what comes after the last option that was understood */

static error_t parser(int key, char *arg, struct argp_state *state)
{
	int err;

	if (key == ARGP_KEY_ARG)
		err = add_scenario(state->input, arg);
	else if (key == 's' || key == 'p' || key == 'd' || (key >= KEY_EXECUTIONS && key < KEY_END))
		err = take(state->input, key, arg);
	else
		return ARGP_ERR_UNKNOWN; /* argp's own keys come here as well */
	if (err)
		exit(err);
	next_arg = state->next;
	return 0;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parser,
	.args_doc = "SCENARIO...|all",
	.doc = "Run scenarios' interleavings and report what goes wrong in them.\v"
	       "Exit status: 0 nothing found, 1 a bug was found, 2 wrong usage.",
};

int explore_parse(struct explore_request *q, int argc, char **argv)
{
	if (parse_options(&argp, "irqsim explore", argc, argv, q))
		return usage_error("explore: unknown or incomplete option '%.60s': see --help",
				   next_arg < argc ? argv[next_arg] : "");
	if (!q->scenarios == !q->trace)
		return usage_error("explore: expected a scenario ('irqsim list scenarios') or "
				   "--trace FILE%s",
				   q->trace ? ", found both" : "");
	if (q->mutant && q->strategy)
		return usage_error("explore: expected --strategy or --mutant, found both");
	if (q->trace && (explore_use_trace(q->trace) || replay_hash_file(q->trace, &q->trace_hash)))
		return EXIT_USAGE;
	if (q->json && json_output_check(q->json))
		return EXIT_USAGE;
	if (q->replay_out && json_output_check(q->replay_out))
		return EXIT_USAGE;
	if (!q->options.executions && q->options.seconds <= 0 && q->options.policy != DET_DPOR &&
	    q->options.policy != DET_NAIVE)
		q->options.executions = q->options.policy == DET_RUN ? 1 : SAMPLES;
	return 0;
}

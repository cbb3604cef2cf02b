// SPDX-License-Identifier: GPL-2.0-only
/*
 * What irqsim explore prints.
 */
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "explore.h"
#include "model/workload/trace_program.h"

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

struct replay_file explore_replay(const struct explore_request *q, const struct explore_run *run,
				  const struct det_bug *bug)
{
	const struct det_program *p = run->program;
	const struct det_options *o = &run->options;
	struct replay_file f = { .rt = p->rt,
				 .policy = o->policy,
				 .seed = o->seed,
				 .memory = o->memory,
				 .race = o->race,
				 .fail_nth = o->fail_nth,
				 .steps = o->max_steps,
				 .schedule = bug->schedule };

	if (q->trace) {
		snprintf(f.trace, sizeof(f.trace), "%s", q->trace);
		f.trace_hash = q->trace_hash;
	} else {
		snprintf(f.scenario, sizeof(f.scenario), "%s", p->name);
	}
	snprintf(f.strategy, sizeof(f.strategy), "%s", or_empty(p->strategy));
	snprintf(f.kind, sizeof(f.kind), "%s", bug->kind);
	snprintf(f.where, sizeof(f.where), "%s", bug->where);
	return f;
}

void explore_print_begin(const struct explore_run *run)
{
	const struct det_program *p = run->program;
	const struct det_options *o = &run->options;
	unsigned int i;

	printf("%s%s%s: %s\n", p->name, p->strategy ? " of " : "", or_empty(p->strategy), p->what);
	printf("policy %s, memory %s, race %s", det_policy_name(o->policy),
	       det_memory_names[o->memory], det_race_names[o->race]);
	if (o->policy == DET_RANDOM || o->policy == DET_PCT)
		printf(", seed %lu", o->seed);
	if (o->policy == DET_PCT)
		printf(", depth %u", o->depth);
	if (o->bound_preemptions)
		printf(", at most %u preemption%s", o->preemptions, o->preemptions == 1 ? "" : "s");
	if (p->rt)
		printf(", PREEMPT_RT");
	if (o->fail_nth)
		printf(", fail-nth %lu", o->fail_nth);
	putchar('\n');
	for (i = 0; i < trace_program_actors() && !strcmp(p->name, trace_program_path()); i++)
		printf("%sactor-%c is '%s'", i ? ", " : "", 'a' + (int)i, trace_program_actor(i));
	if (i)
		putchar('\n');
}

static bool ended_early(const struct det_options *o, const struct det_result *r)
{
	return (o->policy != DET_DPOR && o->policy != DET_NAIVE) || (o->first_bug && r->nr_bugs) ||
	       (o->executions && r->executions >= o->executions) || o->seconds > 0;
}

const char *explore_why(const struct explore_run *run, char *buf, size_t size)
{
	const struct det_options *o = &run->options;
	const struct det_result *r = &run->result;

	if (r->complete)
		snprintf(buf, size, "every interleaving is covered, up to equivalence");
	else if (run->stopped)
		snprintf(buf, size, "stopped by the user");
	else if (r->cut)
		snprintf(buf, size, "%lu execution%s cut at %u events", r->cut,
			 r->cut == 1 ? " was" : "s were",
			 o->max_steps ? o->max_steps : DET_DEFAULT_STEPS);
	else if (r->crashed && !ended_early(o, r))
		snprintf(buf, size, "%lu execution%s ended at a crash", r->crashed,
			 r->crashed == 1 ? "" : "s");
	else if (r->bounded && !ended_early(o, r))
		snprintf(buf, size, "%lu execution%s kept within %u preemption%s", r->bounded,
			 r->bounded == 1 ? " was" : "s were", o->preemptions,
			 o->preemptions == 1 ? "" : "s");
	else if (o->policy != DET_DPOR && o->policy != DET_NAIVE)
		snprintf(buf, size, "policy %s only samples", det_policy_name(o->policy));
	else if (o->first_bug && r->nr_bugs)
		snprintf(buf, size, "ended at the first bug");
	else if (o->executions && r->executions >= o->executions)
		snprintf(buf, size, "ended after %lu executions, as --executions says",
			 r->executions);
	else if (o->seconds > 0)
		snprintf(buf, size, "ended after %g seconds, as --seconds says", o->seconds);
	else
		snprintf(buf, size, "the search gave up");
	return buf;
}

bool explore_same_before(const struct det_result *r, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!strcmp(r->bugs[i].kind, r->bugs[n].kind) &&
		    !strcmp(r->bugs[i].where, r->bugs[n].where))
			return true;
	return false;
}

static void print_bug(const struct explore_request *q, const struct explore_run *run,
		      const struct det_bug *b)
{
	const struct det_result *r = &run->result;
	struct replay_file f = explore_replay(q, run, b);

	printf(EXPLORE_RULE "%s\n\nFirst in execution %lu, in %lu of %lu", or_empty(b->text),
	       b->execution, b->count, r->executions);
	if (run->options.fail_nth)
		printf(", where each actor's fault point %lu fails", run->options.fail_nth);
	printf(". To replay it:\n");
	replay_command(stdout, &f);
	putchar('\n');
}

static void print_counts(const struct explore_run *run)
{
	const struct det_options *o = &run->options;
	const struct det_result *r = &run->result;
	char why[160];

	printf("%lu execution%s", r->executions, r->executions == 1 ? "" : "s");
	if (r->blocked)
		printf(" (%lu given up as equivalent to another)", r->blocked);
	printf(", %lu events\n", r->events);
	if (r->cut)
		printf("%lu cut at the step bound\n", r->cut);
	printf("%s: %s\n", r->complete ? "complete" : "not complete",
	       explore_why(run, why, sizeof(why)));
	if (o->policy == DET_PCT)
		printf("a bug of depth %u is found with probability %.3g or more in one "
		       "execution\n",
		       o->depth, r->pct_bound);
	if (o->fail_nth && !r->fault_hits)
		printf("no actor came to its fault point %lu\n", o->fail_nth);
}

void explore_print(const struct explore_request *q, const struct explore_run *run)
{
	const struct det_result *r = &run->result;
	unsigned int i, left = 0;

	for (i = 0; i < r->nr_bugs; i++) {
		if (!q->verbose && explore_same_before(r, i))
			left++;
		else
			print_bug(q, run, &r->bugs[i]);
	}
	if (r->nr_bugs)
		printf(EXPLORE_RULE);
	print_counts(run);
	if (!r->nr_bugs)
		printf("no bug was found\n");
	else
		printf("%u bug%s%s found\n", r->nr_bugs, r->nr_bugs == 1 ? " was" : "s were",
		       r->nr_bugs == DET_MAX_BUGS ? " (no more are kept)" : "");
	if (left)
		printf("%u of them not shown: same kind and functions as one above, other lines "
		       "(--verbose shows them)\n",
		       left);
}

/* ---- several runs: a line each ---- */

static void verdict(const struct explore_run *run, char *buf, size_t size)
{
	const struct det_result *r = &run->result;
	const char *shows = run->program->expects;
	bool is_to = explore_expects_bug(run->program, &run->options), does = !shows;
	unsigned int i;

	for (i = 0; i < r->nr_bugs && !does; i++)
		does = !strcmp(r->bugs[i].kind, shows);
	if (*r->error)
		snprintf(buf, size, "not run: %s", r->error);
	else if (!is_to)
		snprintf(buf, size, r->nr_bugs ? "%u (%s)" : "%u", r->nr_bugs, r->bugs[0].kind);
	else if (!r->nr_bugs)
		snprintf(buf, size, "0, but it is to show one");
	else
		snprintf(buf, size, "%u (%s%s%s)", r->nr_bugs, r->bugs[0].kind,
			 does ? ", as it is to show" : ", it is to show ", does ? "" : shows);
}

void explore_print_table(const struct explore_run *runs, unsigned int nr)
{
	int name = 8, strategy = 8, fail = 0;
	unsigned long complete = 0, bugs = 0, shows = 0, right = 0;
	char text[200];
	unsigned int i;
	bool is_to;

	for (i = 0; i < nr; i++) {
		int n = strlen(runs[i].program->name),
		    s = strlen(or_empty(runs[i].program->strategy));

		name = n > name ? n : name;
		strategy = s > strategy ? s : strategy;
		fail |= runs[i].options.fail_nth != 0;
	}
	printf("\n%-*s  %-*s  %s%10s  %12s  %-8s  %s\n", name, "scenario", strategy, "strategy",
	       fail ? "fail-nth  " : "", "executions", "events", "complete", "bugs");
	for (i = 0; i < nr; i++) {
		const struct det_result *r = &runs[i].result;

		printf("%-*s  %-*s  ", name, runs[i].program->name, strategy,
		       runs[i].program->strategy ? runs[i].program->strategy : "-");
		if (fail)
			printf("%8lu  ", runs[i].options.fail_nth);
		verdict(&runs[i], text, sizeof(text));
		is_to = explore_expects_bug(runs[i].program, &runs[i].options);
		printf("%10lu  %12lu  %-8s  %s\n", r->executions, r->events,
		       r->complete	     ? "yes"
		       : is_to && r->nr_bugs ? "-"
					     : "no",
		       text);
		shows += is_to && r->nr_bugs;
		complete += r->complete && !is_to;
		bugs += r->nr_bugs && !is_to;
		right += !is_to;
	}
	printf("%lu run%s in which nothing is to be found: %lu complete, %lu with a bug\n", right,
	       right == 1 ? "" : "s", complete, bugs);
	if (nr > right)
		printf("%lu that are to show a bug: %lu do\n", nr - right, shows);
}

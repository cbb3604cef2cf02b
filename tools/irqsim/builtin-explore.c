// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim explore SCENARIO...: run scenarios' interleavings, find the wrong ones.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "builtins.h"
#include "explore.h"
#include "output.h"

/* ---- progress, and Ctrl-C ---- */

static volatile sig_atomic_t interrupted;
static const struct explore_run *running;
static double shown_at, began_at;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static bool show_progress(const struct det_result *r)
{
	double t = now();

	if (interrupted)
		return false;
	if (t - shown_at < 0.5)
		return true;
	shown_at = t;
	fprintf(stderr, "\r\033[K%s: %lu executions, %.0f a second, %u bugs",
		running->program->name, r->executions, r->executions / (t - began_at), r->nr_bugs);
	return true;
}

static bool only_interrupts(const struct det_result *r)
{
	(void)r;
	return !interrupted;
}

static int run_one(struct explore_run *run)
{
	bool terminal = isatty(STDERR_FILENO);
	int err;

	running = run;
	began_at = shown_at = now();
	run->options.tick = terminal ? show_progress : only_interrupts;
	err = det_explore(run->program, &run->options, &run->result);
	run->stopped = interrupted;
	if (terminal && shown_at > began_at)
		fputs("\r\033[K", stderr);
	return err;
}

/* ---- all runs ---- */

struct runs {
	struct explore_run *list;
	unsigned int nr;
};

static struct explore_run *add_run(struct runs *runs, const struct det_program *p,
				   const struct det_options *o)
{
	struct explore_run *list = reallocarray(runs->list, runs->nr + 1, sizeof(*list));

	if (!list)
		return NULL;
	runs->list = list;
	list[runs->nr] = (struct explore_run){ .program = p, .options = *o };
	return &list[runs->nr++];
}

static int explore_one(const struct explore_request *q, struct runs *runs,
		       const struct det_program *p, unsigned long nth, bool many)
{
	struct explore_run *run = add_run(runs, p, &q->options);
	bool text = !q->json || strcmp(q->json, "-"), silent;

	if (!run)
		return usage_error("explore: expected memory for a result, found none left");
	run->options.fail_nth = nth;
	/* What is to show a bug need not show all of them. */
	silent = q->several && !q->mutant && explore_expects_bug(p, &q->options);
	if (silent)
		run->options.first_bug = true;
	if (run_one(run) && !many)
		return usage_error("explore: %s", run->result.error);
	if (!text)
		return 0;
	if (!many) {
		explore_print_begin(run);
		explore_print(q, run);
	} else if (run->result.nr_bugs && !silent) {
		explore_print_begin(run);
		explore_print(q, run);
		putchar('\n');
	}
	return 0;
}

static int explore_all(const struct explore_request *q, const struct explore_programs *programs,
		       struct runs *runs, bool many)
{
	unsigned long nth;
	unsigned int i;

	for (i = 0; i < programs->nr && !interrupted; i++)
		for (nth = q->fail_from; nth <= q->fail_to && !interrupted; nth++) {
			if (explore_one(q, runs, programs->list[i], nth, many))
				return EXIT_USAGE;
			/* Of a sweep, the run that reaches no fault point any more is the end. */
			if (q->fail_to > q->fail_from &&
			    !runs->list[runs->nr - 1].result.fault_hits)
				break;
		}
	return 0;
}

/* A bug that has not to be there, and where there are none the first. */
static int write_replay(const struct explore_request *q, const struct runs *runs)
{
	const struct explore_run *run = NULL;
	struct replay_file f;
	struct det_options o;
	struct det_result r;
	unsigned int i;

	for (i = 0; i < runs->nr; i++)
		if (runs->list[i].result.nr_bugs &&
		    (!run || (explore_expects_bug(run->program, &run->options) &&
			      !explore_expects_bug(runs->list[i].program, &runs->list[i].options))))
			run = &runs->list[i];
	if (!run)
		return 0;
	f = explore_replay(q, run, &run->result.bugs[0]);
	o = run->options;
	o.policy = DET_REPLAY;
	o.schedule = f.schedule;
	o.bound_preemptions = false;
	o.trace = true;
	o.tick = NULL;
	if (!det_explore(run->program, &o, &r))
		f.events = r.trace_hash;
	det_result_free(&r);
	return replay_file_write(q->replay_out, &f);
}

static int finish(const struct explore_request *q, const struct runs *runs, bool many)
{
	bool text = !q->json || strcmp(q->json, "-");
	unsigned int i, bad = 0, refused = 0;

	if (many && text)
		explore_print_table(runs->list, runs->nr);
	if (q->json && json_output(q->json, explore_json(q, runs->list, runs->nr, many)))
		return EXIT_USAGE;
	if (q->replay_out && write_replay(q, runs))
		return EXIT_USAGE;
	for (i = 0; i < runs->nr; i++) {
		const struct explore_run *run = &runs->list[i];

		refused += *run->result.error != 0;
		bad += run->result.nr_bugs &&
		       (!many || q->mutant || !explore_expects_bug(run->program, &run->options));
	}
	return bad ? EXIT_DEFECT : refused ? EXIT_USAGE : EXIT_OK;
}

int builtin_explore(int argc, char **argv)
{
	struct explore_request q = { .options = { .policy = DET_DPOR, .depth = 3, .seed = 1 } };
	struct explore_programs programs = { 0 };
	struct runs runs = { 0 };
	unsigned int i;
	bool many;
	int ret;

	ret = explore_parse(&q, argc, argv);
	if (!ret)
		ret = explore_select(&q, &programs);
	q.several = programs.nr > 1;
	many = q.several || q.fail_to > q.fail_from;
	if (!ret) {
		struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESETHAND };

		sigaction(SIGINT, &action, NULL);
		ret = explore_all(&q, &programs, &runs, many);
	}
	if (!ret)
		ret = finish(&q, &runs, many);
	for (i = 0; i < runs.nr; i++)
		det_result_free(&runs.list[i].result);
	free(runs.list);
	free(programs.list);
	free(q.scenarios);
	return ret;
}

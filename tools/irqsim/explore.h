/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * irqsim explore: what is asked for, what is run, what came out.
 */
#ifndef IRQSIM_EXPLORE_H
#define IRQSIM_EXPLORE_H

#include <jansson.h>

#include <sim/det.h>

#include "replay_file.h"

struct explore_request {
	struct det_options options;
	const char **scenarios; /* as typed, NULL behind the last; none with @trace */
	const char *strategy;	/* or NULL; "all" */
	const char *mutant, *trace, *json, *replay_out;
	uint64_t trace_hash;
	unsigned long fail_from,
		fail_to; /* fail-nth; 0: none; to ULONG_MAX: until none is reached */
	bool rt, verbose;
	bool several; /* programs: what is to show a bug is not reported in full */
};

/* explore_options.c: 0 or EXIT_USAGE; --help ends the process. */
int explore_parse(struct explore_request *q, int argc, char **argv);

struct explore_run {
	const struct det_program *program;
	struct det_options options;
	struct det_result result;
	bool stopped; /* by the user */
};

/* explore_select.c: the programs asked for, in the order of lists. 0 or EXIT_USAGE. */
struct explore_programs {
	const struct det_program **list;
	unsigned int nr;
};
int explore_select(const struct explore_request *q, struct explore_programs *out);
/*
 * One program by its parts, for a replay; @rt: of variant det-rt. NULL after a line on stderr that
 * begins with @who.
 */
const struct det_program *explore_find(const char *who, const char *scenario, const char *trace,
				       const char *strategy, bool rt);
/* Read @path and make it the trace in use. 0 or EXIT_USAGE. */
int explore_use_trace(const char *path);
/* Is a bug to be found in it, under these options? */
bool explore_expects_bug(const struct det_program *p, const struct det_options *o);

/* explore_text.c, explore_json.c */
#define EXPLORE_RULE "==================================================================\n"
/* Is a bug before the @n-th of the same kind, in the same functions? */
bool explore_same_before(const struct det_result *r, unsigned int n);
void explore_print_begin(const struct explore_run *run);
void explore_print(const struct explore_request *q, const struct explore_run *run);
void explore_print_table(const struct explore_run *runs, unsigned int nr);
/* One object, or an array of them where there are several runs. NULL: no memory. */
json_t *explore_json(const struct explore_request *q, const struct explore_run *runs,
		     unsigned int nr, bool many);
/* Why not every interleaving was covered, in @buf; what `complete` means where they were. */
const char *explore_why(const struct explore_run *run, char *buf, size_t size);

/* What replays @bug; its schedule is borrowed. */
struct replay_file explore_replay(const struct explore_request *q, const struct explore_run *run,
				  const struct det_bug *bug);

#endif

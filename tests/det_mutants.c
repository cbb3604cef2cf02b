// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every mutant of mutants/det.tsv is found: by dpor, with the bug that the table names, which
 * replays to the same events and shrinks; and by pct from any of twenty seeds. Prints a line for
 * each, of which tools/mutant-table makes a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "det_explore.h"

#define TABLE	  IRQSIM_SOURCE_DIR "/tests/mutants/det.tsv"
#define NR_SEEDS  20
#define REPLAYS	  100
#define LONGEST	  60	 /* characters of a shrunk schedule */
#define MOST_EVER 100000 /* executions that any mutant may take dpor */

struct row {
	char mutant[64], scenario[64], memory[8], kind[16], function[64];
	unsigned long executions, runs;
	const struct det_program *program;
	enum det_memory model;
};

static const struct det_program *find_rt(const char *scenario, const char *mutant)
{
	unsigned int i;

	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i);

		if (p->rt && p->strategy && !strcmp(p->name, scenario) &&
		    !strcmp(p->strategy, mutant))
			return p;
	}
	return NULL;
}

static bool read_row(const char *line, struct row *r)
{
	*r = (struct row){ 0 };
	if (sscanf(line, "%63[^\t]\t%63[^\t]\t%7[^\t]\t%15[^\t]\t%63[^\t]\t%lu\t%lu", r->mutant,
		   r->scenario, r->memory, r->kind, r->function, &r->executions, &r->runs) != 7)
		return false;
	r->model = strcmp(r->memory, "tso") ? DET_SC : DET_TSO;
	r->program = strcmp(r->memory, "rt") ? det_program_find(r->scenario, r->mutant)
					     : find_rt(r->scenario, r->mutant);
	return r->program && r->executions <= MOST_EVER;
}

static struct det_result run(const struct row *r, struct det_options o)
{
	struct det_result result;

	o.memory = r->model;
	cr_assert_eq(det_explore(r->program, &o, &result), 0, "%s: %s", r->mutant, result.error);
	return result;
}

static const struct det_bug *expected_bug(const struct row *r, const struct det_result *result)
{
	unsigned int i;

	for (i = 0; i < result->nr_bugs; i++)
		if (!strcmp(result->bugs[i].kind, r->kind) &&
		    strstr(result->bugs[i].where, r->function))
			return &result->bugs[i];
	return NULL;
}

static const char *found_instead(const struct det_result *result)
{
	static char text[2048];
	unsigned int i;
	size_t n = 0;

	text[0] = 0;
	for (i = 0; i < result->nr_bugs && n < sizeof(text) - 200; i++)
		n += snprintf(text + n, sizeof(text) - n, " [%s in %s]", result->bugs[i].kind,
			      result->bugs[i].where);
	return text;
}

/* The same bug in the same place, by the same events, each time. */
static void replays(const struct row *r, const char *schedule, const struct det_bug *bug, int times)
{
	struct det_options o = { .policy = DET_REPLAY, .schedule = schedule, .trace = true };
	uint64_t hash = 0;
	int i;

	for (i = 0; i < times; i++) {
		struct det_result again = run(r, o);
		unsigned int k;

		for (k = 0; k < again.nr_bugs; k++)
			if (!strcmp(again.bugs[k].kind, bug->kind) &&
			    !strcmp(again.bugs[k].where, bug->where))
				break;
		cr_expect_lt(k, again.nr_bugs, "%s: replay %d of %s shows%s", r->mutant, i,
			     schedule, found_instead(&again));
		cr_expect(!i || hash == again.trace_hash, "%s: replay %d differs", r->mutant, i);
		hash = again.trace_hash;
		det_result_free(&again);
	}
}

static size_t shrinks(const struct row *r, const struct det_bug *bug)
{
	struct det_options o = { .policy = DET_DPOR, .memory = r->model };
	char *shorter = det_shrink(r->program, &o, bug);
	size_t len;

	cr_expect(shorter, "%s: nothing left after shrinking", r->mutant);
	if (!shorter)
		return 0;
	len = strlen(shorter);
	cr_expect_leq(len, LONGEST, "%s: %s", r->mutant, shorter);
	replays(r, shorter, bug, 2);
	free(shorter);
	return len;
}

/* Runs until the bug. Few are tried first: the first runs of a seed are the same. */
static unsigned long by_pct(const struct row *r, uint64_t seed)
{
	unsigned long runs, found = 0;

	for (runs = 32; !found; runs *= 8) {
		struct det_options o = { .policy = DET_PCT,
					 .depth = 3,
					 .seed = seed,
					 .executions = runs < r->runs ? runs : r->runs };
		struct det_result result = run(r, o);
		const struct det_bug *bug = expected_bug(r, &result);

		found = bug ? bug->execution : 0;
		det_result_free(&result);
		if (runs >= r->runs)
			break;
	}
	return found;
}

static int by_size(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static double seconds_until(const struct row *r, uint64_t execution)
{
	struct det_result result =
		run(r, (struct det_options){ .policy = DET_DPOR, .executions = execution });
	double seconds = result.seconds;

	det_result_free(&result);
	return seconds;
}

static void is_found(const struct row *r)
{
	struct det_options o = { .policy = DET_DPOR, .executions = r->executions };
	struct det_result result = run(r, o);
	const struct det_bug *bug = expected_bug(r, &result);
	unsigned long runs[NR_SEEDS];
	size_t shrunk;
	int i;

	cr_expect(bug, "%s: no %s in %s among %lu executions, but%s", r->mutant, r->kind,
		  r->function, result.executions, found_instead(&result));
	if (!bug) {
		det_result_free(&result);
		return;
	}
	replays(r, bug->schedule, bug, REPLAYS);
	shrunk = shrinks(r, bug);
	for (i = 0; i < NR_SEEDS; i++) {
		runs[i] = by_pct(r, i + 1);
		cr_expect(runs[i], "%s: seed %d of pct: nothing in %lu runs", r->mutant, i + 1,
			  r->runs);
	}
	qsort(runs, NR_SEEDS, sizeof(*runs), by_size);
	printf("mutant\t%s\t%s\t%s\t%s\t%s\t%lu\t%.4f\t%zu\t%zu\t%lu\t%lu\n", r->mutant,
	       r->scenario, r->memory, r->kind, bug->where, bug->execution,
	       seconds_until(r, bug->execution), strlen(bug->schedule), shrunk, runs[NR_SEEDS / 2],
	       runs[NR_SEEDS - 1]);
	fflush(stdout);
	det_result_free(&result);
}

/* IRQSIM_MUTANT=NAME: only that one. */
Test(det_mutants, each_is_found)
{
	const char *only = getenv("IRQSIM_MUTANT");
	FILE *table = fopen(TABLE, "r");
	char line[512];
	struct row r;
	int nr = 0;

	cr_assert(table, "%s", TABLE);
	while (fgets(line, sizeof(line), table)) {
		if (*line == '#')
			continue;
		cr_assert(read_row(line, &r), "%s: what is %s", TABLE, line);
		if (only && strcmp(only, r.mutant))
			continue;
		is_found(&r);
		nr++;
	}
	fclose(table);
	cr_expect_gt(nr, 0);
}

/* What only store buffers show is not there without them. */
Test(det_mutants, nothing_without_store_buffers)
{
	FILE *table = fopen(TABLE, "r");
	char line[512];
	struct row r;

	cr_assert(table, "%s", TABLE);
	while (fgets(line, sizeof(line), table)) {
		struct det_result result;

		if (*line == '#' || !read_row(line, &r) || r.model != DET_TSO)
			continue;
		r.model = DET_SC;
		result = run(&r, (struct det_options){ .policy = DET_DPOR });
		cr_expect(result.complete, "%s", r.mutant);
		cr_expect_eq(result.nr_bugs, 0, "%s:%s", r.mutant, found_instead(&result));
		det_result_free(&result);
	}
	fclose(table);
}

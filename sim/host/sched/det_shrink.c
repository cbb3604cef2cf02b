// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shortest schedule that shows a bug: first as few preemptions as possible (switches away from
 * a task that could go on), then as few events, then as few switches of any kind. A candidate is
 * tried by a replay that goes on as policy `run` does where the schedule does not fit, so that what
 * is tried always is an execution; and what is kept is what that execution was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "det.h"

#define ROUNDS 64 /* assumed enough: each one that goes on has removed something */

static unsigned int switches(const char *schedule)
{
	unsigned int n = 0;

	for (; *schedule; schedule++)
		n += *schedule > '9';
	return n;
}

static unsigned long steps(const char *schedule)
{
	unsigned long n = 0, len;
	char *end;

	while (*schedule) {
		len = strtoul(++schedule, &end, 10);
		n += end == schedule ? 1 : len;
		schedule = end;
	}
	return n;
}

/* An execution that shows the bug. */
struct shown {
	char *schedule; /* NULL: it does not */
	uint32_t preemptions;
};

static bool is_shorter(const struct shown *a, const struct shown *b)
{
	unsigned long x = steps(a->schedule), y = steps(b->schedule);

	if (a->preemptions != b->preemptions)
		return a->preemptions < b->preemptions;
	return x < y || (x == y && switches(a->schedule) < switches(b->schedule));
}

static struct shown try(const struct det_program *program, const struct det_options *like,
			const struct det_bug *bug, const char *schedule)
{
	struct det_options o = *like;
	struct shown kept = { NULL, 0 };
	struct det_result r;
	unsigned int i;

	o.policy = DET_REPLAY;
	o.schedule = schedule;
	o.lenient = true;
	o.trace = o.states = false;
	o.executions = 1;
	o.tick = NULL;
	o.bound_preemptions = false;
	det_explore(program, &o, &r);
	for (i = 0; i < r.nr_bugs && !kept.schedule; i++)
		if (!strcmp(r.bugs[i].kind, bug->kind) && !strcmp(r.bugs[i].where, bug->where)) {
			kept.schedule = r.bugs[i].schedule;
			kept.preemptions = r.preemptions;
			r.bugs[i].schedule = NULL;
		}
	det_result_free(&r);
	return kept;
}

/* Where the @n-th run of steps of one task begins, and its length in characters. */
static size_t run_at(const char *schedule, unsigned int n, size_t *len)
{
	const char *p = schedule, *start = p;

	for (;; n--) {
		start = p++;
		while (*p && *p <= '9')
			p++;
		if (!n)
			break;
	}
	*len = p - start;
	return start - schedule;
}

enum change { DROP, DROP_TWO, LATER, TO_END, ONE_LESS, NR_CHANGES };

/*
 * @schedule with its @n-th run changed: left out, left out with the next, behind the next, without
 * its number, one less.
 */
static char *changed(const char *schedule, unsigned int n, enum change how)
{
	size_t len, next_len = 0, at = run_at(schedule, n, &len), size = strlen(schedule) + 32;
	char *out = malloc(size);
	unsigned long count;

	if (!out)
		return NULL;
	memcpy(out, schedule, at);
	out[at] = 0;
	if ((how == DROP_TWO || how == LATER) && schedule[at + len])
		run_at(schedule + at + len, 0, &next_len);
	if (how == LATER) {
		strncat(out, schedule + at + len, next_len);
		strncat(out, schedule + at, len);
	}
	if (how == TO_END || how == ONE_LESS) {
		count = len > 1 ? strtoul(schedule + at + 1, NULL, 10) : 1;
		count = how == TO_END ? 1 : count - 1;
		if (count)
			snprintf(out + at, size - at, "%c%lu", schedule[at], count);
	}
	strcat(out, schedule + at + len + next_len);
	return out;
}

static bool one_round(const struct det_program *program, const struct det_options *o,
		      const struct det_bug *bug, struct shown *best)
{
	unsigned int n, how;
	bool better = false;

	for (how = 0; how < NR_CHANGES; how++)
		for (n = 0; n < switches(best->schedule); n++) {
			char *candidate = changed(best->schedule, n, how);
			struct shown got = { NULL, 0 };

			if (candidate)
				got = try(program, o, bug, candidate);
			free(candidate);
			if (got.schedule && is_shorter(&got, best)) {
				free(best->schedule);
				*best = got;
				better = true;
				n--;
				continue;
			}
			free(got.schedule);
		}
	return better;
}

char *det_shrink(const struct det_program *program, const struct det_options *options,
		 const struct det_bug *bug)
{
	struct shown best = try(program, options, bug, bug->schedule);
	int i;

	if (!best.schedule)
		return NULL;
	for (i = 0; i < ROUNDS && one_round(program, options, bug, &best); i++)
		;
	return best.schedule;
}

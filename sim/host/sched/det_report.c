// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bugs of an exploration, each once, with the schedule that shows it. A schedule in text is the
 * tasks in the order of their steps: a letter, and how many steps if more than one ("a5b3a"); a
 * capital letter is the flush of that task's store buffer.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "det.h"

#define MAX_KEYS DET_MAX_BUGS

static struct key {
	char kind[16];
	uint32_t low, high;
	uint32_t tag; /* execution that had it last */
	bool fresh;   /* has no schedule yet */
} keys[MAX_KEYS];

/* The functions of a bug, in the order of the alphabet: addresses differ between compilers. */
static void name_place(uint32_t pc, uint32_t other, char *buf, size_t size)
{
	char a[56], b[56];
	bool turned;

	if (!pc || !other) {
		sim_function((const char *)(uintptr_t)(pc | other) - 1, buf, size);
		return;
	}
	sim_function((const char *)(uintptr_t)pc - 1, a, sizeof(a));
	sim_function((const char *)(uintptr_t)other - 1, b, sizeof(b));
	turned = strcmp(a, b) > 0;
	snprintf(buf, size, "%s / %s", turned ? b : a, turned ? a : b);
}

static struct key *known(const char *kind, uint32_t low, uint32_t high)
{
	unsigned int i;

	for (i = 0; i < det.result->nr_bugs; i++)
		if (keys[i].low == low && keys[i].high == high && !strcmp(keys[i].kind, kind))
			return &keys[i];
	return NULL;
}

static void add(struct key *k, const char *kind, uint32_t low, uint32_t high)
{
	snprintf(k->kind, sizeof(k->kind), "%s", kind);
	k->low = low;
	k->high = high;
	k->tag = 0;
	k->fresh = true;
}

static void count(struct key *k)
{
	det.bug = true;
	if (k->tag != det.exec_tag)
		det.result->bugs[k - keys].count++;
	k->tag = det.exec_tag;
}

bool det_bug_again(const char *kind, uint32_t pc, uint32_t other)
{
	struct key *k = known(kind, pc < other ? pc : other, pc < other ? other : pc);

	if (k)
		count(k);
	/* What would not be kept need not be put into words. */
	det.bug |= det.result->nr_bugs == DET_MAX_BUGS;
	return k || det.result->nr_bugs == DET_MAX_BUGS;
}

void det_bug(const char *kind, uint32_t pc, uint32_t other, const char *fmt, ...)
{
	uint32_t low = pc < other ? pc : other, high = pc < other ? other : pc;
	struct key *k = known(kind, low, high);
	struct det_bug *bug;
	va_list args;

	det.bug = true;
	if (!k) {
		if (det.result->nr_bugs == DET_MAX_BUGS)
			return;
		bug = &det.result->bugs[det.result->nr_bugs];
		k = &keys[det.result->nr_bugs++];
		add(k, kind, low, high);
		*bug = (struct det_bug){ .execution = det.result->executions + 1,
					 .pc = { low, high },
					 .step = det.nr_steps };
		snprintf(bug->kind, sizeof(bug->kind), "%s", kind);
		name_place(pc, other, bug->where, sizeof(bug->where));
		va_start(args, fmt);
		if (vasprintf(&bug->text, fmt, args) < 0)
			bug->text = NULL;
		va_end(args);
	}
	count(k);
}

void det_bugs_end(void)
{
	unsigned int i;

	for (i = 0; i < det.result->nr_bugs; i++)
		if (keys[i].fresh) {
			keys[i].fresh = false;
			det.result->bugs[i].schedule =
				det_schedule_text(det.schedule, det.nr_steps);
		}
}

void det_check_failed(const char *file, int line, const char *what)
{
	const char *base = strrchr(file, '/');

	det_bug("check", (uint32_t)(uintptr_t)__builtin_return_address(0), 0,
		"check failed at %s:%d: %s", base ? base + 1 : file, line, what);
}

char det_letter(unsigned int id)
{
	return id < DET_MAX_TASKS ? 'a' + id : 'A' + (id - DET_MAX_TASKS);
}

char *det_schedule_text(const uint8_t *schedule, uint32_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint32_t i, len;

	if (!out)
		abort();
	for (i = 0; i < n; i += len) {
		for (len = 1; i + len < n && schedule[i + len] == schedule[i]; len++)
			;
		fputc(det_letter(schedule[i]), out);
		if (len > 1)
			fprintf(out, "%u", len);
	}
	fclose(out);
	return text;
}

int det_schedule_parse(const char *text, uint8_t *out, uint32_t max, char *err, size_t size)
{
	const char *p = text;
	unsigned long len;
	uint32_t n = 0;
	unsigned int id, nr = det.most_tasks > det.nr_static ? DET_MAX_TASKS : det.nr_static;
	char *end;

	if (!text)
		text = p = "";
	while (*p) {
		id = islower((unsigned char)*p) ? (unsigned int)(*p - 'a')
						: (unsigned int)(*p - 'A') + DET_MAX_TASKS;
		if (!isalpha((unsigned char)*p) || id % DET_MAX_TASKS >= nr ||
		    id / DET_MAX_TASKS > (islower((unsigned char)*p) ? 0 : det.tso)) {
			snprintf(err, size, "schedule, character %ld: expected a task from a to %c",
				 p - text + 1, 'a' + nr - 1);
			return -1;
		}
		len = 1;
		if (isdigit((unsigned char)*++p)) {
			len = strtoul(p, &end, 10);
			p = end;
		}
		if (!len || len > max - n) {
			snprintf(err, size,
				 "schedule, character %ld: expected at most %u steps in all",
				 p - text, max);
			return -1;
		}
		memset(out + n, id, len);
		n += len;
	}
	return n;
}

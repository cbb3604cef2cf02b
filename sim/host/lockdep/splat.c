// SPDX-License-Identifier: GPL-2.0-only
/*
 * The words of a report. They are written under the validator's mutex and handed on without it,
 * since whoever takes reports may do anything.
 */
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "validator.h"

#define MAX_REPORTED 256 /* assumed; what comes after is not reported */

static struct {
	enum problem problem;
	uintptr_t a, b;
} reported[MAX_REPORTED];
static int nr_reported;

/* The running task's reports in the making: one acquisition may have several faults. */
#define MAX_PENDING 8
static __thread struct {
	char *text;
	size_t size;
	const void *caller;
	enum sim_report_kind kind;
} pending[MAX_PENDING];
static __thread int nr_pending;
static unsigned int nr_splats;

static bool is_new(enum problem problem, uintptr_t a, uintptr_t b)
{
	int i;

	for (i = 0; i < nr_reported; i++)
		if (reported[i].problem == problem && reported[i].a == a && reported[i].b == b)
			return false;
	if (nr_reported == MAX_REPORTED)
		return false;

	reported[nr_reported].problem = problem;
	reported[nr_reported].a = a;
	reported[nr_reported].b = b;
	nr_reported++;
	return true;
}

static FILE *begin(enum sim_report_kind kind, enum problem problem, uintptr_t a, uintptr_t b,
		   const void *caller)
{
	FILE *out;

	nr_splats++;
	if (nr_pending == MAX_PENDING || !is_new(problem, a, b) || sim_report_again(kind, caller))
		return NULL;

	out = open_memstream(&pending[nr_pending].text, &pending[nr_pending].size);
	if (!out)
		abort();
	pending[nr_pending].kind = kind;
	pending[nr_pending++].caller = caller;
	return out;
}

FILE *splat_begin(enum problem problem, uintptr_t a, uintptr_t b, const void *caller)
{
	return begin(SIM_REPORT_LOCKDEP, problem, a, b, caller);
}

FILE *splat_begin_rcu(enum problem problem, const void *caller)
{
	return begin(SIM_REPORT_RCU, problem, (uintptr_t)caller, 0, caller);
}

unsigned int splats(void)
{
	return nr_splats;
}

void splat_end(FILE *out)
{
	if (out)
		fclose(out);
}

void splat_flush(void)
{
	char *text;
	size_t size;
	int i, nr = nr_pending;

	nr_pending = 0;
	for (i = 0; i < nr; i++) {
		text = pending[i].text;
		size = pending[i].size;
		while (size && text[size - 1] == '\n')
			text[--size] = '\0';
		sim_report(pending[i].kind, pending[i].caller, "%s", text);
		free(text);
	}
}

void splat_reset(void)
{
	nr_reported = 0;
}

void print_name(FILE *out, unsigned int class_id)
{
	const struct lock_class *class = &lock_classes[class_id];

	fputs(class->name ? class->name : "?", out);
	if (class->subclass)
		fprintf(out, "/%u", class->subclass);
}

/* As lockdep-design.rst, "State": '.' neither, '-' in irq, '+' with irqs on, '?' both. */
static char usage_char(const struct lock_class *class, enum irq_kind kind, bool read)
{
	unsigned int in = USAGE(kind, USED_IN_IRQ << read), on = USAGE(kind, ENABLED_IRQ << read);

	if (class->usage & on)
		return class->usage & in ? '?' : '+';
	return class->usage & in ? '-' : '.';
}

void print_class(FILE *out, unsigned int class_id)
{
	const struct lock_class *class = &lock_classes[class_id];
	int outer = class->wait_outer ? class->wait_outer : class->wait_inner;

	fputc('(', out);
	print_name(out, class_id);
	fprintf(out, "){%c%c%c%c}-{%d:%d}", usage_char(class, HARDIRQ, false),
		usage_char(class, HARDIRQ, true), usage_char(class, SOFTIRQ, false),
		usage_char(class, SOFTIRQ, true), outer, class->wait_inner);
}

void print_site(FILE *out, const char *before, const void *site)
{
	char line[256];

	sim_symbol((const char *)site - 1, line, sizeof(line));
	fprintf(out, "%s%s\n", before, line);
}

void print_hold(FILE *out, const struct sim_lock_hold *hold)
{
	print_class(out, hold->class_id);
	print_site(out, ", at: ", hold->caller);
}

void print_held(FILE *out, const struct sim_task *t)
{
	int i, nr = nr_held(t);

	if (!nr) {
		fprintf(out, "no locks held by %s/%d.\n", t->comm, t->pid);
		return;
	}
	fprintf(out, "%d lock%s held by %s/%d:\n", nr, nr > 1 ? "s" : "", t->comm, t->pid);
	for (i = 0; i < nr; i++) {
		fprintf(out, " #%d: ", i);
		print_hold(out, &t->held[i]);
	}
}

/* Against the direction of the edges what matters is where the lock was taken first. */
void print_path(FILE *out, enum direction dir, const struct path *path)
{
	int i;

	for (i = 0; i < path->nr; i++) {
		const struct edge *e = &lock_edges[path->edge[i]];

		fprintf(out, " ");
		print_class(out, dir == FORWARD ? e->to : e->from);
		print_site(out, ", at: ", dir == FORWARD ? e->site : e->held_site);
	}
}

void print_scenario(FILE *out, const char *title, int cpus, const struct scenario_step *steps,
		    int nr)
{
	static const char column[] = "                               ";
	int i;

	fprintf(out, "other info that might help us debug this:\n %s\n\n", title);
	fputs(cpus == 2 ? "       CPU0                    CPU1\n"
			  "       ----                    ----\n"
			: "       CPU0\n       ----\n",
	      out);
	for (i = 0; i < nr; i++) {
		fputs(steps[i].cpu ? column : "  ", out);
		if (steps[i].text)
			fputs(steps[i].text, out);
		if (steps[i].class_id) {
			fputs("lock(", out);
			print_name(out, steps[i].class_id);
			fputs(");", out);
		}
		fputc('\n', out);
	}
	fprintf(out, "\n *** DEADLOCK ***\n\n");
}

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
} pending[MAX_PENDING];
static __thread int nr_pending;

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

FILE *splat_begin(enum problem problem, uintptr_t a, uintptr_t b, const void *caller)
{
	FILE *out;

	if (nr_pending == MAX_PENDING || !is_new(problem, a, b))
		return NULL;

	out = open_memstream(&pending[nr_pending].text, &pending[nr_pending].size);
	if (!out)
		abort();
	pending[nr_pending++].caller = caller;
	return out;
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
		sim_report(SIM_REPORT_LOCKDEP, pending[i].caller, "%s", text);
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
static char usage_char(const struct lock_class *class, unsigned int in, unsigned int on)
{
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
	/* The last two are soft interrupts, which are not simulated. */
	fprintf(out, "){%c%c..}-{%d:%d}", usage_char(class, USED_IN_HARDIRQ, ENABLED_HARDIRQ),
		usage_char(class, USED_IN_HARDIRQ_READ, ENABLED_HARDIRQ_READ), outer,
		class->wait_inner);
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
	int i, nr = t->lockdep_depth < SIM_LOCKS_HELD_MAX ? t->lockdep_depth : SIM_LOCKS_HELD_MAX;

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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports: a first line as the kernel's checker of that name prints it, where it happened, how the code
 * got there.
 */
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>
#include <sim/task.h>

#define TRACE_DEPTH 24
#define LINE_SIZE   256

static atomic_ulong counts[SIM_NR_REPORT_KINDS];
static sim_report_sink *report_sink;
static int abort_on_bug;

const char *sim_report_kind_name(enum sim_report_kind kind)
{
	static const char *const names[SIM_NR_REPORT_KINDS] = {
		[SIM_REPORT_WARN] = "warn",
		[SIM_REPORT_BUG] = "bug",
		[SIM_REPORT_KASAN] = "kasan",
		[SIM_REPORT_LEAK] = "leak",
		[SIM_REPORT_ATOMIC_SLEEP] = "atomic-sleep",
		[SIM_REPORT_LOCKDEP] = "lockdep",
		[SIM_REPORT_RCU] = "rcu",
		[SIM_REPORT_CONTEXT] = "context",
		[SIM_REPORT_ALLOC] = "alloc",
		[SIM_REPORT_UNSUPPORTED] = "unsupported",
	};

	return kind < SIM_NR_REPORT_KINDS ? names[kind] : "?";
}

static void print_trace(FILE *out)
{
	void *frames[TRACE_DEPTH];
	char line[LINE_SIZE];
	int n = backtrace(frames, TRACE_DEPTH), i;

	fprintf(out, "Call Trace:\n");
	/* From the reporter's caller on; libc's start-up code says nothing. */
	for (i = 2; i < n; i++) {
		sim_symbol((const char *)frames[i] - 1, line, sizeof(line));
		if (!strcmp(line, "?"))
			break;
		fprintf(out, " %s\n", line);
		if (!strncmp(line, "main+", 5))
			break;
	}
}

static void print(FILE *out, enum sim_report_kind kind, const void *caller, const char *fmt,
		  va_list args)
{
	char where[LINE_SIZE];

	sim_symbol((const char *)caller - 1, where, sizeof(where));
	fprintf(out, "==================================================================\n");
	vfprintf(out, fmt, args);
	fprintf(out, "\nCPU: %d PID: %d Comm: %s at %s\n", sim_self ? sim_self->cpu : -1,
		sim_self ? sim_self->pid : 0, sim_self ? sim_self->comm : "?", where);
	if (kind != SIM_REPORT_ALLOC)
		print_trace(out);
	fprintf(out, "==================================================================\n");
}

void sim_report(enum sim_report_kind kind, const void *caller, const char *fmt, ...)
{
	char *text = NULL;
	size_t size = 0;
	va_list args;
	FILE *out;

	atomic_fetch_add(&counts[kind], 1);

	out = open_memstream(&text, &size);
	if (!out)
		abort();
	va_start(args, fmt);
	print(out, kind, caller, fmt, args);
	va_end(args);
	fclose(out);

	if (report_sink)
		report_sink(kind, text);
	else
		fputs(text, stderr);
	free(text);

	if (kind == SIM_REPORT_BUG) {
		if (abort_on_bug)
			abort();
		fflush(NULL);
		_Exit(1);
	}
	if (abort_on_bug && kind != SIM_REPORT_ALLOC)
		abort();
}

unsigned long sim_report_count(enum sim_report_kind kind)
{
	return atomic_load(&counts[kind]);
}

unsigned long sim_report_defects(void)
{
	unsigned long sum = 0;
	int kind;

	for (kind = 0; kind < SIM_NR_REPORT_KINDS; kind++)
		if (kind != SIM_REPORT_ALLOC)
			sum += sim_report_count(kind);
	return sum;
}

void sim_report_reset(void)
{
	int kind;

	for (kind = 0; kind < SIM_NR_REPORT_KINDS; kind++)
		atomic_store(&counts[kind], 0);
}

void sim_report_set_sink(sim_report_sink *sink)
{
	report_sink = sink;
}

void sim_report_set_abort(int on)
{
	abort_on_bug = on;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports: a first line as the kernel's checker of that name prints it, where it happened, how the
 * code got there.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>
#include <sim/task.h>

#define TRACE_DEPTH 24
#define LINE_SIZE   256
#define STACK_STEP  (1 << 20) /* more than one frame has */
#define MAX_SEEN    256

static atomic_ulong counts[SIM_NR_REPORT_KINDS];
static sim_report_sink *report_sink;
static sim_report_taker *report_taker;
static sim_report_counter *report_counter;
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

struct frame {
	const struct frame *up;
	const void *ret;
};

/*
 * By frame pointers: kernel code has no unwind tables, and a chain of frames is the same in every
 * build. Stops where the chain leaves the stack or main() is reached.
 */
__attribute__((no_sanitize("address", "undefined"))) static void print_trace(FILE *out)
{
	const struct frame *f = __builtin_frame_address(0);
	char line[LINE_SIZE];
	int i;

	fprintf(out, "Call Trace:\n");
	for (i = 0; i < TRACE_DEPTH; i++) {
		const struct frame *up = f->up;

		/* The first two are print() and sim_report(). */
		if (i >= 2) {
			sim_symbol((const char *)f->ret - 1, line, sizeof(line));
			if (!strcmp(line, "?"))
				break;
			fprintf(out, " %s\n", line);
			if (!strncmp(line, "main+", 5))
				break;
		}
		if (up <= f || (const char *)up - (const char *)f > STACK_STEP)
			break;
		f = up;
	}
}

/* One place can go wrong a million times: it is printed once, and counted each time. */
static int seen_before(enum sim_report_kind kind, const void *caller)
{
	static struct {
		const void *caller;
		enum sim_report_kind kind;
	} seen[MAX_SEEN];
	static int nr_seen;
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	int i, found = 0;

	pthread_mutex_lock(&mutex);
	for (i = 0; i < nr_seen && !found; i++)
		found = seen[i].caller == caller && seen[i].kind == kind;
	if (!found && nr_seen < MAX_SEEN) {
		seen[nr_seen].caller = caller;
		seen[nr_seen++].kind = kind;
	}
	pthread_mutex_unlock(&mutex);

	return found;
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
	bool taken;

	if (report_taker) {
		va_start(args, fmt);
		taken = report_taker(kind, caller, fmt, args);
		va_end(args);
		if (taken)
			return;
	}
	atomic_fetch_add(&counts[kind], 1);
	if (!report_sink && !abort_on_bug && kind != SIM_REPORT_BUG && seen_before(kind, caller))
		return;

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

void sim_report_set_taker(sim_report_taker *taker)
{
	report_taker = taker;
}

void sim_report_set_counter(sim_report_counter *counter)
{
	report_counter = counter;
}

bool sim_report_again(enum sim_report_kind kind, const void *caller)
{
	return report_counter && report_counter(kind, caller);
}

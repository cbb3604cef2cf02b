// SPDX-License-Identifier: GPL-2.0-only
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "output.h"
#include "replay_export.h"

/* A context's thread: contexts of one CPU stand side by side. */
static int thread_of(const struct det_step *s)
{
	return (int)(s->cpu * 100 + s->id);
}

static const char *context_name(enum det_context context)
{
	static const char *const names[] = { "task", "softirq", "hardirq" };

	return names[context];
}

static int add(json_t *events, json_t *event)
{
	return json_array_append_new(events, event);
}

static int add_names(json_t *events, const char *title)
{
	bool seen[DET_MAX_TASKS] = { false };
	unsigned int i, n = det_trace_steps();
	int bad = 0;
	char name[64];

	bad |= add(events, json_pack("{s:s,s:s,s:i,s:i,s:{s:s}}", "name", "process_name", "ph", "M",
				     "pid", 1, "tid", 0, "args", "name", title));
	for (i = 0; i < n; i++) {
		struct det_step s;

		det_trace_step(i, &s);
		if (seen[s.id])
			continue;
		seen[s.id] = true;
		snprintf(name, sizeof(name), "cpu%u %s (%s)", s.cpu, s.comm,
			 context_name(s.context));
		bad |= add(events,
			   json_pack("{s:s,s:s,s:i,s:i,s:{s:s}}", "name", "thread_name", "ph", "M",
				     "pid", 1, "tid", thread_of(&s), "args", "name", name));
	}
	return bad;
}

static int add_step(json_t *events, unsigned int i, const struct det_step *s)
{
	char name[64], where[160];

	snprintf(name, sizeof(name), "%s%s%s", s->op, s->marked ? " (marked)" : "",
		 s->marks_bug ? " !" : "");
	snprintf(where, sizeof(where), "%s %s", s->function, s->line);
	return add(events, json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:{s:i,s:s,s:s,s:i}}", "name",
				     name, "cat", "step", "ph", "X", "ts", (int)i, "dur", 1, "pid",
				     1, "tid", thread_of(s), "args", "step", (int)i + 1, "where",
				     where, "what", s->object, "size", (int)s->size));
}

/* From the last step of another context that released at this address. */
static int add_arrow(json_t *events, unsigned int i, const struct det_step *s)
{
	unsigned int j;

	for (j = i; j-- > 0;) {
		struct det_step from;

		det_trace_step_short(j, &from);
		if (!from.gives || from.addr != s->addr)
			continue;
		if (from.id == s->id)
			return 0;
		return add(events, json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:i}", "name", "order",
					     "cat", "order", "ph", "s", "id", (int)i + 1, "ts",
					     (int)j, "pid", 1, "tid", thread_of(&from))) |
		       add(events, json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:i,s:i}", "name", "order",
					     "cat", "order", "ph", "f", "bp", "e", "id", (int)i + 1,
					     "ts", (int)i, "pid", 1, "tid", thread_of(s)));
	}
	return 0;
}

static int add_bug(json_t *events, const struct det_bug *bug)
{
	unsigned int n = det_trace_steps(), at = bug->step && bug->step <= n ? bug->step - 1 : n;
	struct det_step s = { 0 };
	char name[192];

	if (at < n)
		det_trace_step_short(at, &s);
	snprintf(name, sizeof(name), "%s: %s", bug->kind, bug->where);
	return add(events, json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:i,s:{s:s}}", "name", name, "cat",
				     "bug", "ph", "i", "s", "g", "ts", (int)at, "pid", 1, "tid",
				     thread_of(&s), "args", "report", bug->text ? bug->text : ""));
}

int replay_export_chrome(const char *path, const char *title, const struct det_result *result)
{
	json_t *events = json_array();
	unsigned int i, n = det_trace_steps();
	int bad = add_names(events, title);

	for (i = 0; i < n; i++) {
		struct det_step s;

		det_trace_step(i, &s);
		bad |= add_step(events, i, &s);
		if (s.takes && s.addr)
			bad |= add_arrow(events, i, &s);
	}
	for (i = 0; i < result->nr_bugs; i++)
		bad |= add_bug(events, &result->bugs[i]);
	if (bad) {
		json_decref(events);
		return usage_error("%s: expected memory for the trace, found none left", path);
	}
	return json_output(path,
			   json_pack("{s:s,s:o}", "displayTimeUnit", "ns", "traceEvents", events));
}

static char ftrace_context(enum det_context context)
{
	return context == DET_HARDIRQ ? 'h' : context == DET_SOFTIRQ ? 's' : '.';
}

static int write_ftrace(FILE *out, const void *arg)
{
	const struct det_result *result = arg;
	unsigned int i, n = det_trace_steps(), b;

	fprintf(out, "# tracer: nop\n#\n# entries-in-buffer/entries-written: %u/%u   #P:%u\n#\n", n,
		n, DET_MAX_TASKS);
	fprintf(out, "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
		     "#              | |         |   |||||     |         |\n");
	for (i = 0; i < n; i++) {
		struct det_step s;

		det_trace_step(i, &s);
		fprintf(out, "%16s-%-7d [%03u] ..%c.. %5u.%06u: %s:", s.comm, s.pid, s.cpu,
			ftrace_context(s.context), i / 1000000, i % 1000000,
			*s.function ? s.function : "start");
		fprintf(out, " %s%s", s.op, s.marked ? " (marked)" : "");
		if (s.size)
			fprintf(out, " size=%u", s.size);
		if (*s.object)
			fprintf(out, " %s", s.object);
		if (*s.line)
			fprintf(out, " at %s", s.line);
		fputc('\n', out);
		for (b = 0; b < result->nr_bugs; b++)
			if (result->bugs[b].step == i + 1)
				fprintf(out,
					"%16s-%-7d [%03u] ..%c.. %5u.%06u: irqsim_bug: %s: %s\n",
					s.comm, s.pid, s.cpu, ftrace_context(s.context),
					i / 1000000, i % 1000000, result->bugs[b].kind,
					result->bugs[b].where);
	}
	return ferror(out) ? -1 : 0;
}

int replay_export_ftrace(const char *path, const struct det_result *result)
{
	return output_file(path, write_ftrace, result);
}

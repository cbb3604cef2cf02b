// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that led somewhere, by unwind tables: those of the deterministic world's kernel code are
 * written (they cost nothing until they are read), and a fiber's stack ends where its first
 * function has no caller.
 */
#include <stdio.h>
#include <unwind.h>

#include <sim/report.h>

#define MAX_FRAMES 64

struct trace {
	uintptr_t from;
	char *buf;
	size_t size, n;
	int frames;
};

static _Unwind_Reason_Code frame(struct _Unwind_Context *context, void *arg)
{
	uintptr_t ret = _Unwind_GetIP(context);
	struct trace *t = arg;
	char lines[1024];

	if (t->frames++ == MAX_FRAMES || !ret)
		return _URC_NORMAL_STOP;
	if (t->from && ret != t->from)
		return _URC_NO_REASON;
	if (!sim_symbol_lines((const char *)ret - 1, lines, sizeof(lines)))
		return t->n || t->from ? _URC_NORMAL_STOP : _URC_NO_REASON;
	t->from = 0;
	if (t->n < t->size)
		t->n += snprintf(t->buf + t->n, t->size - t->n, "%s", lines);
	return _URC_NO_REASON;
}

void sim_call_trace(const void *from, char *buf, size_t size)
{
	struct trace t = { .from = (uintptr_t)from, .buf = buf, .size = size };

	*buf = 0;
	_Unwind_Backtrace(frame, &t);
}

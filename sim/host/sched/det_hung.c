// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of executions that came to no end: who waits, for what, and who has it. In the layout of
 * the kernel's hung-task reports (kernel/hung_task.c).
 */
#include <stdarg.h>
#include <stdio.h>

#include <sim/report.h>

#include "det.h"
#include "sync.h"

struct text {
	char buf[2048];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buf + t->len, sizeof(t->buf) - t->len, fmt, args);
	va_end(args);
	t->len += n;
	if (t->len >= sizeof(t->buf))
		t->len = sizeof(t->buf) - 1;
}

static void add_names(struct text *text, uint32_t mask)
{
	const char *between = " ";

	for (; mask; mask &= mask - 1) {
		const struct det_task *t = &det.tasks[__builtin_ctz(mask)];

		add(text, "%s%s:%d", between, t->sim.comm, t->sim.pid);
		between = ", ";
	}
}

static bool is_stuck(const struct det_task *t)
{
	return !t->done && !t->idle && (t->context == DET_TASK || t->started || t->pending);
}

static void add_lock(struct text *text, const struct det_op *op, const char *object)
{
	const struct sync_obj *o = sync_obj(op->addr);
	uint32_t holders = o->owner >= 0 ? 1u << o->owner : o->sharers;

	add(text, " waits for lock [%s], held by", object);
	add_names(text, holders);
}

static void add_kept_out(struct text *text, const struct det_task *t)
{
	static const char *const why[] = { "", "with preemption off", "with softirqs off",
					   "with interrupts off" };
	uint32_t i, highest = t->id;

	for (i = 0; i < det.nr_tasks; i++)
		if (det.tasks[i].cpu == t->cpu && i != t->id &&
		    (highest == t->id || det.tasks[i].level > det.tasks[highest].level))
			highest = i;
	add(text, " waits for its CPU, where %s:%d %s %s", det.tasks[highest].sim.comm,
	    det.tasks[highest].sim.pid, det.tasks[highest].context ? "is handled" : "goes on",
	    why[det.tasks[highest].level & 3]);
}

static void add_wait(struct text *text, const struct det_task *t)
{
	const struct det_op *op = &t->op;
	char object[192];

	heap_describe(op->addr, object, sizeof(object));
	if (det.kept_out & det.runnable & (1u << t->id)) {
		add_kept_out(text, t);
		return;
	}
	if (t->goes_round) {
		add(text, " goes round a loop that reads [%s]", object);
		return;
	}
	switch (op->kind) {
	case DET_OP_LOCK:
	case DET_OP_RDLOCK:
		add_lock(text, op, object);
		break;
	case DET_OP_GP_END:
		add(text, " waits for a grace period of [%s], which waits for", object);
		add_names(text, sync_obj(op->addr)->waits[t->id]);
		break;
	case DET_OP_AWAIT:
		add(text, " waits until [%s] is not %#lx", object, (unsigned long)op->value);
		break;
	default:
		add(text, " waits");
	}
}

static void add_context(struct text *text, const struct det_task *t)
{
	char where[160];

	add(text, "\n%s:%s state:D pid:%d cpu:%u", t->context ? "interrupt" : "task", t->sim.comm,
	    t->sim.pid, t->cpu);
	add_wait(text, t);
	if (!t->op.pc)
		return;
	sim_symbol((const char *)(uintptr_t)t->op.pc - 1, where, sizeof(where));
	add(text, "\n %s", where);
}

static void report(const char *kind, const char *why)
{
	static struct text text;
	const struct det_task *first = NULL;
	uint32_t i, pc = 0;

	for (i = 0; i < det.nr_tasks; i++) {
		const struct det_task *t = &det.tasks[i];

		if (!is_stuck(t))
			continue;
		if (!first)
			first = t;
		if (t->op.pc && (!pc || t->op.pc < pc))
			pc = t->op.pc;
	}
	if (!first || det_bug_again(kind, pc, 0))
		return;
	text.len = 0;
	for (i = 0; i < det.nr_tasks; i++)
		if (is_stuck(&det.tasks[i]))
			add_context(&text, &det.tasks[i]);
	det_bug(kind, pc, 0, "INFO: task %s:%d blocked for ever: %s%s", first->sim.comm,
		first->sim.pid, why, text.buf);
}

/* Those who go round have registers, stack and memory as before: it is for ever. */
void det_report_hung(void)
{
	bool round = false;
	uint32_t i;

	for (i = 0; i < det.nr_tasks; i++)
		round |= det.tasks[i].goes_round;
	if (round)
		report("livelock",
		       "it reads the same again and again, and nobody is left to write");
	else
		report("deadlock", "nobody is left to wake it");
}

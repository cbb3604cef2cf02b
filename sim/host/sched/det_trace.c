// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last execution, step by step: one lane for each CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "det.h"

#define WIDTH	     160 /* columns of a line at most */
#define NUMBER_WIDTH 7	 /* "  123! " */
#define WHERE_WIDTH  44
#define INDENT	     2	/* of what is not its CPU's first task */
#define MAX_INDENT   10 /* a narrow lane still shows what is in it */

static const struct op_name {
	const char *name;
	bool takes, gives;
} op_names[DET_NR_OPS] = {
	[DET_OP_START] = { "start", false, false },
	[DET_OP_READ] = { "read", false, false },
	[DET_OP_WRITE] = { "write", false, false },
	[DET_OP_RMW] = { "read-write", false, false },
	[DET_OP_FREE] = { "free", false, false },
	[DET_OP_AWAIT] = { "wait", true, false },
	[DET_OP_FENCE] = { "smp_mb", false, false },
	[DET_OP_FLUSH] = { "flush", false, false },
	[DET_OP_LOCK] = { "lock", true, false },
	[DET_OP_TRYLOCK] = { "trylock", true, false },
	[DET_OP_UNLOCK] = { "unlock", false, true },
	[DET_OP_RDLOCK] = { "read lock", true, false },
	[DET_OP_RDTRYLOCK] = { "read trylock", true, false },
	[DET_OP_RDUNLOCK] = { "read unlock", false, true },
	[DET_OP_READER_IN] = { "reader in", false, false },
	[DET_OP_READER_OUT] = { "reader out", false, true },
	[DET_OP_GP_BEGIN] = { "grace period", false, false },
	[DET_OP_GP_END] = { "grace period over", true, false },
	[DET_OP_NEW] = { "new context", false, false },
	[DET_OP_IRQ] = { "raise interrupt", false, false },
	[DET_OP_UNIRQ] = { "cancel interrupt", false, false },
	[DET_OP_BEGIN] = { "interrupt", false, false },
	[DET_OP_END] = { "end of interrupt", false, false },
	[DET_OP_LEVEL] = { "level", false, false },
};

/* What a change of level leaves out, enum det_level. */
static const char *const level_names[] = { "preemption on", "preemption off", "softirqs off",
					   "interrupts off" };

static const char *det_op_text(const struct det_op *op)
{
	if (op->kind == DET_OP_LEVEL && op->to < 4)
		return level_names[op->to];
	return op->kind < DET_NR_OPS && op_names[op->kind].name ? op_names[op->kind].name : "?";
}

static uint8_t *marks; /* of each step: one of a bug's */
static uint32_t nr_marks;

static void mark_one(const struct det_bug *bug)
{
	uint32_t at = bug->step - 1, i, other;

	if (bug->step < 1 || bug->step > nr_marks ||
	    (strcmp(bug->kind, "kcsan") && strcmp(bug->kind, "kasan")))
		return;
	marks[at] = 1;
	other = det.ops[at].pc == bug->pc[0] ? bug->pc[1] : bug->pc[0];
	for (i = at; i-- > 0;)
		if (det.ops[i].pc == other && det.schedule[i] != det.schedule[at]) {
			marks[i] = 1;
			return;
		}
}

void det_trace_mark(const struct det_result *result)
{
	unsigned int i;

	free(marks);
	nr_marks = det_trace_steps();
	marks = calloc(nr_marks + 1, 1);
	if (!marks)
		nr_marks = 0;
	for (i = 0; i < result->nr_bugs; i++)
		mark_one(&result->bugs[i]);
}

unsigned int det_trace_steps(void)
{
	return det.ops ? det.nr_steps : 0;
}

/* "f+0x1/0x2 (a/b/c.c:12)" to "f" and "c.c:12". */
static void split_place(const char *text, struct det_step *s)
{
	const char *line = strrchr(text, '('), *slash = strrchr(text, '/');

	snprintf(s->function, sizeof(s->function), "%.*s", (int)strcspn(text, "+ "), text);
	if (!line)
		return;
	line = slash && slash > line ? slash + 1 : line + 1;
	snprintf(s->line, sizeof(s->line), "%.*s", (int)strcspn(line, ")"), line);
}

void det_trace_step_short(unsigned int i, struct det_step *out)
{
	const struct det_op *op = &det.ops[i];
	unsigned int who = det.schedule[i];
	const struct sim_task *t;

	*out = (struct det_step){ .id = who % DET_MAX_TASKS,
				  .letter = det_letter(who),
				  .op = det_op_text(op),
				  .marked = op->flags & DET_MARKED,
				  .size = op->kind == DET_OP_FREE ? 0 : op->size,
				  .pc = op->pc,
				  .addr = op->addr,
				  .marks_bug = i < nr_marks && marks[i] };
	t = &det.tasks[out->id].sim;
	out->cpu = det.tasks[out->id].cpu;
	out->comm = t->comm;
	out->pid = t->pid;
	out->context = det.tasks[out->id].context;
	out->takes = op_names[op->kind].takes || (out->marked && op->kind != DET_OP_WRITE);
	out->gives = op_names[op->kind].gives || (out->marked && op->kind != DET_OP_READ);
}

void det_trace_step(unsigned int i, struct det_step *out)
{
	char where[160];

	det_trace_step_short(i, out);
	if (out->pc) {
		sim_symbol((const char *)(uintptr_t)out->pc - 1, where, sizeof(where));
		split_place(where, out);
	}
	if (out->addr)
		heap_describe(out->addr, out->object, sizeof(out->object));
}

/* ---- lanes: CPUs from left to right, further contexts of one indented within its lane ---- */

static struct {
	int cpu[DET_MAX_TASKS];	   /* of lane n */
	int lane[DET_MAX_TASKS];   /* of context n */
	int indent[DET_MAX_TASKS]; /* of context n within it */
	int nr, width;
} lanes;

static void find_lanes(void)
{
	bool seen[DET_MAX_TASKS] = { false };
	int cpu, lane_has;
	uint32_t i, id;

	lanes.nr = 0;
	for (i = 0; i < det.nr_steps; i++)
		seen[det.schedule[i] % DET_MAX_TASKS] = true;
	for (cpu = 0; cpu < DET_MAX_TASKS; cpu++) {
		lane_has = 0;
		for (id = 0; id < det.nr_tasks; id++) {
			if (!seen[id] || det.tasks[id].cpu != cpu)
				continue;
			lanes.lane[id] = lanes.nr;
			lanes.indent[id] = lane_has++ * INDENT;
			if (lanes.indent[id] > MAX_INDENT)
				lanes.indent[id] = MAX_INDENT;
		}
		lanes.cpu[lanes.nr] = cpu;
		lanes.nr += lane_has > 0;
	}
	lanes.width = lanes.nr <= 4 ? 12 : lanes.nr <= 8 ? 8 : 6;
}

/* The lanes of a line, with @text in one; what is too long lies over those to its right. */
static int print_lanes(FILE *out, const struct det_step *s)
{
	int room = lanes.nr * lanes.width + 14, at = lanes.lane[s->id], i;
	char line[256], text[64];
	size_t len;

	snprintf(text, sizeof(text), "%s%s", s->op, s->marked ? " (marked)" : "");
	if (s->size)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u", s->size);
	memset(line, ' ', sizeof(line));
	for (i = 0; i < lanes.nr; i++)
		line[i * lanes.width] = '|';
	at = at * lanes.width + lanes.indent[s->id];
	len = strlen(text);
	if ((int)len > room - at - 1)
		len = room - at - 1;
	memcpy(line + at, text, len);
	if (line[at + len] == '|')
		line[at + len] = ' ';
	return fprintf(out, "%.*s", room, line);
}

/* What no other task sees, and irqsim's own. */
static bool is_its_own(const char *object)
{
	return !strncmp(object, "the stack of ", 13) || !strcmp(object, "memory of the host") ||
	       !strncmp(object, "det.", 4);
}

static void print_step(FILE *out, uint32_t i)
{
	char where[128];
	struct det_step s;
	int at;

	det_trace_step(i, &s);
	if (is_its_own(s.object) && !s.marks_bug)
		return;
	at = fprintf(out, "%5u%c ", i + 1, s.marks_bug ? '!' : ' ');
	at += print_lanes(out, &s);
	if (*s.function) {
		snprintf(where, sizeof(where), "%s %s", s.function, s.line);
		at += fprintf(out, "%-*.*s ", *s.object ? WHERE_WIDTH : 0, WHERE_WIDTH, where);
	}
	if (*s.object && at < WIDTH)
		fprintf(out, "%.*s", WIDTH - at, s.object);
	fputc('\n', out);
}

/* Who is where, then the steps. */
void det_trace_print(FILE *out)
{
	unsigned int i;

	if (!det_trace_steps())
		return;
	find_lanes();
	fprintf(out, "%*s", NUMBER_WIDTH, "step  ");
	for (i = 0; i < (unsigned int)lanes.nr; i++)
		fprintf(out, "cpu%-*d", lanes.width - 3, lanes.cpu[i]);
	fputc('\n', out);
	for (i = 0; i < det.nr_steps; i++)
		print_step(out, i);
}

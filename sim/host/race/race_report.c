// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a data race looks like in words, in the layout of KCSAN.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "shadow.h"

static const char *access_name(uint8_t flags)
{
	if (flags & REC_FREE)
		return "write (kfree)";
	if (flags & REC_ASSERT)
		return flags & REC_WRITE ? "assert no accesses" : "assert no writes";
	if (!(flags & REC_PLAIN))
		return flags & REC_WRITE ? "write (marked)" : "read (marked)";
	return flags & REC_WRITE ? "write" : "read";
}

static void *code(uint32_t pc)
{
	return (void *)(uintptr_t)pc;
}

struct side {
	const struct rec *rec;
	const struct det_task *task;
	uintptr_t addr;
	uint64_t size;
	char function[64], trace[1500];
};

/* The access that is about to be made: all of it, and how the code got there. */
static void now_side(struct side *s, const struct det_task *t, const struct rec *now,
		     uintptr_t addr)
{
	s->rec = now;
	s->task = t;
	s->addr = addr;
	s->size = __builtin_popcount(now->mask);
	if (t->op.pc == now->pc && t->op.addr <= addr && addr < t->op.addr + t->op.size) {
		s->addr = t->op.addr;
		s->size = t->op.size;
	}
	sim_function((char *)code(now->pc) - 1, s->function, sizeof(s->function));
	sim_call_trace(NULL, code(now->pc), s->trace, sizeof(s->trace));
	if (!*s->trace)
		sim_symbol_lines((char *)code(now->pc) - 1, s->trace, sizeof(s->trace));
}

/* An earlier one left its address, its bytes of these eight, and its task. */
static void old_side(struct side *s, const struct rec *old, uintptr_t addr)
{
	s->rec = old;
	s->task = &det.tasks[old->task];
	s->addr = (addr & ~7UL) + __builtin_ctz(old->mask);
	s->size = __builtin_popcount(old->mask);
	sim_function((char *)code(old->pc) - 1, s->function, sizeof(s->function));
	sim_symbol_lines((char *)code(old->pc) - 1, s->trace, sizeof(s->trace));
}

static void print_side(FILE *out, const struct side *s)
{
	char where[256];

	location_line(s->addr, s->size, s->rec->pc, where, sizeof(where));
	fprintf(out, "%s to %s of %lu bytes by task %d on cpu %d:\n%s\n",
		access_name(s->rec->flags), where, s->size, s->task->sim.pid, s->task->sim.cpu,
		s->trace);
}

/*
 * What the earlier write found there is kept with its event, where events are kept; what it left is
 * there still, if it was the last to write. The last event is the access that is about to be made.
 */
static void print_value(FILE *out, const struct side *old)
{
	const struct det_op *op;
	uint64_t value = 0;
	uint32_t i = det.nr_steps;

	if (!det.record || det.tso || !i)
		return;
	for (i--; i--;) {
		op = &det.ops[i];
		if (op->addr < old->addr + old->size && old->addr < op->addr + op->size &&
		    (op->kind == DET_OP_WRITE || op->kind == DET_OP_RMW))
			break;
	}
	if (i == UINT32_MAX || op->pc != old->rec->pc || det.schedule[i] != old->rec->task ||
	    op->size > sizeof(value))
		return;
	memcpy(&value, (const void *)op->addr, op->size);
	if (value != op->value)
		fprintf(out, "value changed: 0x%0*lx -> 0x%0*lx\n\n", (int)op->size * 2, op->value,
			(int)op->size * 2, value);
}

static void print_object(FILE *out, uintptr_t addr)
{
	const struct heap_object *o = heap_object_at(addr);

	if (!o)
		return;
	fprintf(out, "The location is %lu bytes inside of the %lu-byte object at 0x%lx\n",
		addr - o->addr, o->size, o->addr);
	heap_print_task(out, "Allocated", o->alloc_task, o->alloc_pc);
}

void race_report(const struct det_task *t, uintptr_t addr, const struct rec *now,
		 const struct rec *old)
{
	struct side a, b;
	char *text = NULL;
	bool turned;
	size_t size;
	FILE *out;

	if (det_bug_again("kcsan", now->pc, old->pc))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		abort();
	addr = (addr & ~7UL) + __builtin_ctz(now->mask & old->mask);
	now_side(&a, t, now, addr);
	old_side(&b, old, addr);
	/* Functions in the order of the alphabet, as KCSAN has them: a pair has one title. */
	turned = strcmp(a.function, b.function) < 0;
	fprintf(out, "BUG: KCSAN: %s in %s / %s\n\n",
		(now->flags | old->flags) & REC_ASSERT ? "assert: race" : "data-race",
		turned ? a.function : b.function, turned ? b.function : a.function);
	print_side(out, &b);
	print_side(out, &a);
	print_value(out, &b);
	print_object(out, addr);
	fclose(out);
	report_text("kcsan", now->pc, old->pc, text, size);
}

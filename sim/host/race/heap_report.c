// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is wrong with an access to the heap, a free, or an object that is left, in words: the
 * layouts of KASAN and kmemleak.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "shadow.h"

static void *code(uint32_t pc)
{
	return (void *)(uintptr_t)pc;
}

/* As the kernel's buckets round it (mm/slab_common.c: kmalloc_info). */
static uint64_t bucket(uint64_t size)
{
	uint64_t b = 8;

	if (size > 64 && size <= 96)
		return 96;
	if (size > 128 && size <= 192)
		return 192;
	while (b < size)
		b *= 2;
	return b;
}

static void print_lines(FILE *out, uint32_t pc)
{
	char lines[1024];

	sim_symbol_lines((const char *)code(pc) - 1, lines, sizeof(lines));
	fputs(*lines ? lines : " ?\n", out);
}

void heap_print_task(FILE *out, const char *what, int task, uint32_t pc)
{
	const struct sim_task *t = task < 0 ? &det.main : &det.tasks[task].sim;

	fprintf(out, "%s by task %d (%s):\n", what, t->pid, t->comm);
	print_lines(out, pc);
}

static void print_head(FILE *out, const char *what, const char *function, const char *access)
{
	fprintf(out, "BUG: KASAN: %s in %s\n%s by task %s/%d\n", what, function, access,
		sim_self->comm, sim_self->pid);
}

static void print_calls(FILE *out, uint32_t pc)
{
	char trace[1500];

	fprintf(out, "\nCPU: %d PID: %d Comm: %s\nCall Trace:\n", sim_self->cpu, sim_self->pid,
		sim_self->comm);
	sim_call_trace(NULL, code(pc), trace, sizeof(trace));
	if (*trace)
		fputs(trace, out);
	else
		print_lines(out, pc);
}

/* Where the address is in what it belongs to, or is nearest to. */
static void print_object(FILE *out, const struct heap_object *o, uintptr_t addr, uint64_t size)
{
	const char *state = o->state == HEAP_FREED ? "freed" : "allocated";
	uint64_t offset = addr - o->addr;
	char name[192];

	fputc('\n', out);
	heap_print_task(out, "Allocated", o->alloc_task, o->alloc_pc);
	if (o->state == HEAP_FREED) {
		fputc('\n', out);
		heap_print_task(out, "Freed", o->free_task, o->free_pc);
	}
	fprintf(out, "\nThe buggy address belongs to the object at 0x%lx\n", o->addr);
	if (o->size <= 8192) /* KMALLOC_MAX_CACHE_SIZE; above it are pages */
		fprintf(out, " which belongs to the cache kmalloc-%lu of size %lu\n",
			bucket(o->size), bucket(o->size));
	fprintf(out,
		"The buggy address is located %lu bytes %s %s %lu-byte region [0x%lx, 0x%lx)\n",
		offset < o->size ? offset : offset - o->size,
		offset < o->size ? "inside of" : "to the right of", state, o->size, o->addr,
		o->addr + o->size);
	if (offset < o->size) {
		location_name(addr, size, 0, name, sizeof(name));
		if (strncmp(name, "offset ", 7))
			fprintf(out, "This is %s\n", name);
	}
}

void report_text(const char *kind, uint32_t pc, uint32_t other, char *text, size_t size)
{
	while (size && text[size - 1] == '\n')
		size--;
	det_bug(kind, pc, other, "%.*s", (int)size, text);
	free(text);
}

static FILE *text_file(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	if (!out)
		abort();
	return out;
}

void heap_report_access(const struct det_op *op, const struct heap_object *o)
{
	const struct heap_object *near = o ? o : heap_object_at(op->addr - HEAP_REDZONE);
	bool freed = o && o->state == HEAP_FREED;
	uint32_t other = freed ? o->free_pc : near ? near->alloc_pc : 0;
	char function[64], access[96], *text;
	size_t size;
	FILE *out;

	if (det_bug_again("kasan", op->pc, other))
		return;
	out = text_file(&text, &size);
	sim_function((const char *)code(op->pc) - 1, function, sizeof(function));
	snprintf(access, sizeof(access), "%s of size %u at addr 0x%lx",
		 op->kind == DET_OP_READ ? "Read" : "Write", op->size, op->addr);
	print_head(out, freed ? "slab-use-after-free" : "slab-out-of-bounds", function, access);
	print_calls(out, op->pc);
	if (near)
		print_object(out, near, op->addr, op->size);
	else
		fprintf(out, "\nNo object was ever at this address.\n");
	fclose(out);
	report_text("kasan", op->pc, other, text, size);
}

void heap_report_free(const void *p, const struct heap_object *o, const void *caller)
{
	uint32_t pc = (uint32_t)(uintptr_t)caller, other = o ? o->free_pc : 0;
	bool twice = o && o->state == HEAP_FREED && o->addr == (uintptr_t)p;
	char access[64], name[256], *text;
	size_t size;
	FILE *out;

	if (det_bug_again("kasan", pc, other))
		return;
	out = text_file(&text, &size);
	if (heap_holds((uintptr_t)p))
		snprintf(access, sizeof(access), "Free of addr 0x%lx", (uintptr_t)p);
	else
		snprintf(access, sizeof(access), "Free of memory that kmalloc did not give");
	print_head(out, twice ? "double-free" : "invalid-free", "kfree", access);
	print_calls(out, pc);
	if (o) {
		print_object(out, o, (uintptr_t)p, 0);
	} else if (!heap_holds((uintptr_t)p)) {
		location_name((uintptr_t)p, 0, pc, name, sizeof(name));
		fprintf(out, "\nThe buggy address belongs to %s\n", name);
	} else {
		fprintf(out, "\nNo object begins at this address.\n");
	}
	fclose(out);
	report_text("kasan", pc, other, text, size);
}

void heap_report_leak(const struct heap_object *o)
{
	const struct sim_task *t = o->alloc_task < 0 ? &det.main : &det.tasks[o->alloc_task].sim;
	char name[192], *text;
	size_t size;
	FILE *out;

	if (det_bug_again("leak", o->alloc_pc, 0))
		return;
	out = text_file(&text, &size);
	sim_field(code(o->alloc_pc), o->size, 0, o->size, name, sizeof(name));
	fprintf(out, "unreferenced object 0x%lx (size %lu):\n  comm \"%s\", pid %d\n", o->addr,
		o->size, t->comm, t->pid);
	if (*name)
		fprintf(out, "  type %s\n", name);
	fprintf(out, "  allocated at:\n");
	print_lines(out, o->alloc_pc);
	fclose(out);
	report_text("leak", o->alloc_pc, 0, text, size);
}

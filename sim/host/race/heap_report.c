// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is wrong with an access to the heap, a free, or an object that is left, in words: the
 * layouts of KASAN and kmemleak.
 */
#include <stdio.h>
#include <string.h>

#include <sim/report.h>

#include "shadow.h"

static void where(uint32_t pc, char *buf, size_t size)
{
	sim_symbol((const char *)(uintptr_t)pc - 1, buf, size);
}

void heap_describe(uintptr_t addr, char *buf, size_t size)
{
	const struct heap_object *o = heap_object_at(addr);
	char site[128];

	if (o) {
		where(o->alloc_pc, site, sizeof(site));
		snprintf(buf, size, "offset %lu of object of %lu bytes allocated at %s",
			 addr - o->addr, o->size, site);
	} else if (shadow_is_static(addr)) {
		sim_symbol((const void *)addr, site, sizeof(site));
		snprintf(buf, size, "%s", *site == '?' ? "a static variable" : site);
	} else {
		snprintf(buf, size, "%s", heap_holds(addr) ? "no object" : "a stack");
	}
}

static const char *task_name(int task)
{
	return task < 0 ? "setup" : det.tasks[task].sim.comm;
}

void heap_report_access(const struct det_op *op, const struct heap_object *o)
{
	const struct heap_object *before = o ? o : heap_object_at(op->addr - HEAP_REDZONE);
	const char *how = op->kind == DET_OP_READ ? "Read" : "Write";
	char a[160], alloc[160], freed[160], f[64];

	if (det_bug_again("kasan", op->pc,
			  !o || o->state == HEAP_LIVE ? (before ? before->alloc_pc : 0)
						      : o->free_pc))
		return;
	where(op->pc, a, sizeof(a));
	snprintf(f, sizeof(f), "%.*s", (int)strcspn(a, "+ "), a);
	if (!o || o->state == HEAP_LIVE) {
		where(before ? before->alloc_pc : 0, alloc, sizeof(alloc));
		det_bug("kasan", op->pc, before ? before->alloc_pc : 0,
			"BUG: KASAN: slab-out-of-bounds in %s\n"
			"%s of size %u by task %s/%d\n %s\nNearest object allocated at:\n %s",
			f, how, op->size, sim_self->comm, sim_self->pid, a, alloc);
		return;
	}
	where(o->alloc_pc, alloc, sizeof(alloc));
	where(o->free_pc, freed, sizeof(freed));
	det_bug("kasan", op->pc, o->free_pc,
		"BUG: KASAN: slab-use-after-free in %s\n"
		"%s of size %u at offset %lu of an object of %lu bytes by task %s/%d\n %s\n\n"
		"Allocated by task %s:\n %s\n\nFreed by task %s:\n %s",
		f, how, op->size, op->addr - o->addr, o->size, sim_self->comm, sim_self->pid, a,
		task_name(o->alloc_task), alloc, task_name(o->free_task), freed);
}

void heap_report_free(const void *p, const struct heap_object *o, const void *caller)
{
	char freed[160] = "";

	if (det_bug_again("kasan", (uint32_t)(uintptr_t)caller, o ? o->free_pc : 0))
		return;
	if (o && o->state == HEAP_FREED)
		where(o->free_pc, freed, sizeof(freed));
	det_bug("kasan", (uint32_t)(uintptr_t)caller, o ? o->free_pc : 0,
		"BUG: KASAN: %s in kfree\n%s%s%s", *freed ? "double-free" : "invalid-free",
		*freed ? "Freed before at:\n " : "no object begins at this address", freed,
		p ? "" : " (NULL)");
}

void heap_report_leak(const struct heap_object *o)
{
	char site[160];

	if (det_bug_again("leak", o->alloc_pc, 0))
		return;
	where(o->alloc_pc, site, sizeof(site));
	det_bug("leak", o->alloc_pc, 0, "unreferenced object of %lu bytes allocated at\n %s",
		o->size, site);
}

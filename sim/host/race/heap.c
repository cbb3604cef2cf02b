// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of one execution. Each task has an arena of its own, so that what an address is does not
 * depend on how tasks interleave, and nothing is handed out twice: every use after free is seen,
 * and nothing else looks like one.
 */
#include <err.h>
#include <string.h>
#include <sys/mman.h>

#include "shadow.h"

#define MAX_OBJECTS 65535
#define FRESH	    0x5a /* POISON_INUSE, linux/poison.h */

static uint16_t *ids; /* of the object that holds each eight bytes; 0: none */
static struct heap_object objects[MAX_OBJECTS + 1];
static uint32_t nr_objects;
static uintptr_t next[DET_MAX_TASKS + 1];

static uintptr_t arena_start(int arena)
{
	return DET_HEAP + arena * HEAP_ARENA;
}

void heap_init(void)
{
	int i;

	if (mmap((void *)DET_HEAP, HEAP_SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
		 0) != (void *)DET_HEAP)
		err(1, "heap at its fixed address");
	ids = mmap(NULL, HEAP_SIZE / 8 * sizeof(*ids), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ids == MAP_FAILED)
		err(1, "heap map");
	for (i = 0; i <= DET_MAX_TASKS; i++)
		next[i] = arena_start(i);
}

void heap_reset(void)
{
	int i;

	if (!nr_objects)
		return;
	for (i = 0; i <= DET_MAX_TASKS; i++) {
		if (next[i] == arena_start(i))
			continue;
		memset(&ids[(arena_start(i) - DET_HEAP) / 8], 0,
		       (next[i] - arena_start(i)) / 8 * sizeof(*ids));
		next[i] = arena_start(i);
	}
	nr_objects = 0;
}

/* As kmalloc promises: a power of two is aligned to itself, up to a page. */
static uint64_t alignment(uint64_t size)
{
	if (size & (size - 1) || size < 16)
		return 16;
	return size < 4096 ? size : 4096;
}

void *det_alloc(uint64_t size, bool zero, const void *caller)
{
	int arena = det.cur ? det.cur->id + 1 : 0;
	uint64_t align = alignment(size), i;
	uintptr_t p = (next[arena] + align - 1) & -align;
	struct heap_object *o;

	if (size > HEAP_ARENA || p + size + HEAP_REDZONE > arena_start(arena) + HEAP_ARENA ||
	    nr_objects == MAX_OBJECTS)
		return NULL;
	next[arena] = (p + size + HEAP_REDZONE + 7) & ~7UL;
	o = &objects[++nr_objects];
	*o = (struct heap_object){ p, size, (uint32_t)(uintptr_t)caller, 0, HEAP_LIVE, arena - 1,
				   0, false };
	for (i = 0; i < (size + 7) / 8; i++)
		ids[(p - DET_HEAP) / 8 + i] = nr_objects;
	memset((void *)p, zero ? 0 : FRESH, size);
	return (void *)p;
}

struct heap_object *heap_object_at(uintptr_t addr)
{
	uint32_t id = heap_holds(addr) ? ids[(addr - DET_HEAP) / 8] : 0;

	return id ? &objects[id] : NULL;
}

uint64_t det_alloc_size(const void *p)
{
	const struct heap_object *o = heap_object_at((uintptr_t)p);

	return o && o->addr == (uintptr_t)p && o->state == HEAP_LIVE ? o->size : 0;
}

/* An access to the heap: is it to one live object, from begin to end? */
void heap_check(const struct det_op *op)
{
	const struct heap_object *o = heap_object_at(op->addr);

	if (__builtin_expect(o && o->state == HEAP_LIVE && op->addr + op->size <= o->addr + o->size,
			     1) ||
	    op->kind == DET_OP_FREE)
		return;
	heap_report_access(op, o);
}

void det_free(const void *p, const void *caller)
{
	struct heap_object *o = heap_object_at((uintptr_t)p);
	struct det_task *t = det.cur;

	if ((uintptr_t)p <= 16)
		return;
	if (!o || o->addr != (uintptr_t)p || o->state != HEAP_LIVE) {
		heap_report_free(p, o, caller);
		return;
	}
	if (t) {
		race_announce_free(t, o->addr, o->size, caller);
		if (o->state != HEAP_LIVE) {
			heap_report_free(p, o, caller);
			return;
		}
	}
	o->state = HEAP_FREED;
	o->free_pc = (uint32_t)(uintptr_t)caller;
	o->free_task = t ? t->id : -1;
}

void det_retire(const void *p)
{
	struct heap_object *o = heap_object_at((uintptr_t)p);

	if (o)
		o->retired = true;
}

void det_check_leaks(void)
{
	uint32_t i;

	for (i = 1; i <= nr_objects; i++)
		if (objects[i].state == HEAP_LIVE && !objects[i].retired)
			heap_report_leak(&objects[i]);
}

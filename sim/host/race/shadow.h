/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of each eight bytes: the accesses that later ones can race with, the clock that a
 * marked store published there. A cell is a cache line; it belongs to the execution whose tag it
 * carries, so nothing is cleared between executions.
 */
#ifndef SIM_HOST_SHADOW_H
#define SIM_HOST_SHADOW_H

#include <stdio.h>

#include "../sched/det.h"

#define DET_HEAP     0x6a0000000000UL
#define HEAP_ARENA   0x400000UL /* of each task, and one of set-up */
#define HEAP_SIZE    ((DET_MAX_TASKS + 1) * HEAP_ARENA)
#define HEAP_REDZONE 16
#define CELL_RECORDS 3

enum {
	REC_WRITE = 1,
	REC_MARKED = 2,
	REC_FREE = 4,
	REC_ASSERT = 8, /* ASSERT_EXCLUSIVE_*(): no access */
	REC_PLAIN = 16, /* also where the rules count it as marked */
};

/* Written and read as two words: made of parts in memory, it would be loaded before it can be
 * forwarded. */
struct rec {
	union {
		struct {
			uint32_t pc;
			uint32_t next; /* in the overflow pool; of the last record only */
		};
		uint64_t place;
	};
	union {
		struct {
			int16_t clk;
			uint8_t task;
			uint8_t mask; /* bytes of the eight */
			uint8_t flags;
			uint8_t pad[3];
		};
		uint64_t what;
	};
};

static inline uint64_t rec_what(int16_t clk, uint8_t task, uint8_t mask, uint8_t flags)
{
	return (uint16_t)clk | (uint64_t)task << 16 | (uint64_t)mask << 24 | (uint64_t)flags << 32;
}

struct cell {
	uint32_t tag;	   /* execution */
	uint32_t undo_tag; /* execution that has its old contents noted */
	uint32_t sync;	   /* index of the published clock; 0: none */
	uint32_t nr;
	struct rec recs[CELL_RECORDS];
};
_Static_assert(sizeof(struct cell) == 64, "a cell is a cache line");

void race_shadow_init(void);
extern struct cell *heap_cells, *static_cells, *stack_cells, *percpu_cells;
extern char __data_start[], _end[];

#define STACKS_SIZE  (DET_MAX_TASKS * 2 * DET_STACK_SIZE)
#define PERCPU_AREAS (SIM_NR_CPUS * DET_PERCPU_STRIDE)

static inline bool shadow_is_static(uintptr_t addr)
{
	return addr - (uintptr_t)__data_start < (uintptr_t)_end - (uintptr_t)__data_start;
}

static inline bool shadow_is_percpu(uintptr_t addr)
{
	return addr - DET_PERCPU < PERCPU_AREAS;
}

/* Memory that outlives an execution, and is put back after it. */
static inline bool shadow_is_kept(uintptr_t addr)
{
	return shadow_is_static(addr) || shadow_is_percpu(addr);
}

/* NULL: memory that is not watched */
static inline struct cell *shadow_cell(uintptr_t addr)
{
	if (shadow_is_static(addr))
		return &static_cells[(addr - ((uintptr_t)__data_start & ~7UL)) / 8];
	if (addr - DET_HEAP < HEAP_SIZE)
		return &heap_cells[(addr - DET_HEAP) / 8];
	if (addr - DET_STACKS < STACKS_SIZE)
		return &stack_cells[(addr - DET_STACKS) / 8];
	if (shadow_is_percpu(addr))
		return &percpu_cells[(addr - DET_PERCPU) / 8];
	return NULL;
}

bool shadow_points_to_object(uint64_t value);

/* ---- heap objects ---- */

enum heap_state { HEAP_NOTHING, HEAP_LIVE, HEAP_FREED };
struct heap_object {
	uintptr_t addr;
	uint64_t size;
	uint32_t alloc_pc, free_pc;
	uint8_t state;
	int8_t alloc_task, free_task;
	bool retired; /* det_retire() */
};
struct heap_object *heap_object_at(uintptr_t addr); /* NULL: between objects */

static inline bool heap_holds(uintptr_t addr)
{
	return addr - DET_HEAP < HEAP_SIZE;
}

/* ---- reports (location.c, race_report.c, heap_report.c) ---- */

/*
 * "thing.value", "buffers[3].head", "count of cpu 1"; @size 0: not known; @pc: code that uses it,
 * or 0.
 */
void location_name(uintptr_t addr, uint64_t size, uint32_t pc, char *buf, size_t n);
/* The same, behind the address where that is the same in every build. */
void location_line(uintptr_t addr, uint64_t size, uint32_t pc, char *buf, size_t n);

/* "Allocated by task 100 (actor-a):" and where. */
void heap_print_task(FILE *out, const char *what, int task, uint32_t pc);
/* det_bug() with a text that is freed; a newline at its end is left out. */
void report_text(const char *kind, uint32_t pc, uint32_t other, char *text, size_t size);

void race_report(const struct det_task *t, uintptr_t addr, const struct rec *now,
		 const struct rec *old);
void heap_report_access(const struct det_op *op, const struct heap_object *o);
void heap_report_free(const void *p, const struct heap_object *o, const void *caller);
void heap_report_leak(const struct heap_object *o);

#endif

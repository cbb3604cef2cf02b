/* SPDX-License-Identifier: GPL-2.0-only */
/* Virtual time, in parts: CPUs and their order, cache lines, locks. Picoseconds throughout. */
#ifndef SIM_HOST_TIME_H
#define SIM_HOST_TIME_H

#include <sim/task.h>
#include <sim/time.h>

#include "../sched/det.h"

struct time_cache_line;

struct time_cpu {
	void *sp;
	uint64_t clock;
	unsigned int id;
	/* The line that it fetched last, until its next atomic operation, barrier or fetch. */
	const struct time_cache_line *window;
	bool fenced;	       /* its last step was a barrier */
	struct time_cpu *next; /* who waits behind it for a lock */
	bool shared;	       /* ... to share it */
	uint64_t counted_from; /* where[] begins */
	uint64_t where[TIME_NR_WHERE];
	struct sim_task sim;
};

struct time_world {
	struct time_cpu *cur; /* NULL: set-up; nothing costs anything */
	struct time_cpu *cpus;
	unsigned int nr;
	const struct time_options *options;
	uint64_t ps[TIME_NR_COSTS];
	uint64_t begin, end; /* of what is counted */
	uint64_t heap_steps, line_lookups;
};
extern struct time_world vtime;

/* ---- CPUs by clock (heap.c) ---- */

void time_heap_init(unsigned int nr);
void time_heap_push(struct time_cpu *c);
struct time_cpu *time_heap_pop(void); /* NULL: empty */
/* The first, for @c, which comes behind it; NULL where @c is the first itself. */
struct time_cpu *time_heap_exchange(struct time_cpu *c);

/* ---- who runs (run.c) ---- */

static inline void time_spend(struct time_cpu *c, enum time_where where, uint64_t ps)
{
	c->clock += ps;
	if (c->clock > vtime.begin)
		c->where[where] += ps;
}

void time_turn(void);  /* let those before the running CPU go first */
void time_sleep(void); /* the running CPU waits for time_wake() */
void time_wake(struct time_cpu *c, uint64_t at);
/* Distance as a cost: TIME_CLUSTER, TIME_SOCKET or TIME_REMOTE. */
enum time_cost time_distance(unsigned int a, unsigned int b);

/* ---- cache lines (lines.c) ---- */

void time_lines_begin(unsigned int nr_cpus);
void time_lines_end(void);
/* The running CPU's access to @size bytes at @addr, in its turn. */
void time_access(uintptr_t addr, uint32_t size, bool write, bool atomic);
void time_barrier(void);
void time_hottest(struct time_result *r, const struct time_program *p, double all_ps);

/* ---- locks (locks.c) ---- */

void time_locks_begin(void);
void time_locks_end(void);
extern const struct det_timing time_timing;

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside the validator. Everything here runs under its one mutex, except where said.
 */
#ifndef SIM_HOST_LOCKDEP_VALIDATOR_H
#define SIM_HOST_LOCKDEP_VALIDATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <sim/lockdep.h>
#include <sim/task.h>

#define NO_CLASS    0	 /* class ids begin with 1 */
#define MAX_CLASSES 4096 /* assumed: a KVM object has a few dozen */
#define MAX_EDGES   16384

/* How a class has been used; a write bit is one below its read bit. */
enum usage {
	USED_IN_HARDIRQ = 1,
	USED_IN_HARDIRQ_READ = 2,
	ENABLED_HARDIRQ = 4, /* held while hard interrupts were on */
	ENABLED_HARDIRQ_READ = 8,
};
#define NR_USAGES    4
#define USAGE_IN     (USED_IN_HARDIRQ | USED_IN_HARDIRQ_READ)
#define USAGE_ON     (ENABLED_HARDIRQ | ENABLED_HARDIRQ_READ)
#define USAGE_WRITES (USED_IN_HARDIRQ | ENABLED_HARDIRQ)

struct lock_class {
	const void *key;
	const char *name;
	unsigned int subclass;
	uint8_t wait_outer;
	uint8_t wait_inner;
	bool unchecked;
	unsigned int usage; /* enum usage, or-ed */
	const void *usage_site[NR_USAGES];
	unsigned int after;  /* first edge to what is taken while it is held */
	unsigned int before; /* first edge from what is held while it is taken */
	unsigned int next_in_hash;
};

/*
 * What kinds of dependency an edge stands for (lockdep-design.rst, "Dependency types and strong
 * dependency paths"): held exclusively or shared, then taken so that it waits for readers (N) or
 * not (R).
 */
enum dep { DEP_EN = 1, DEP_ER = 2, DEP_SN = 4, DEP_SR = 8 };

struct edge {
	unsigned int from, to;
	unsigned int next_after, next_before;
	uint8_t deps;
	bool bad; /* closed a cycle when it came, and was reported: no path leads over it */
	const void *held_site, *site;
};

extern struct lock_class lock_classes[MAX_CLASSES];
extern struct edge lock_edges[MAX_EDGES];

/* ---- class.c ---- */
unsigned int class_of(const struct sim_lock_use *use); /* NO_CLASS: table full */
void classes_reset(void);

/* ---- graph.c ---- */
enum direction { FORWARD, BACKWARD };
struct path {
	int nr; /* edges, first the one at the root */
	unsigned int root, end;
	unsigned int edge[64]; /* a longer path is shown cut */
};
/*
 * graph_find - look from @root along strong paths for a class that @match accepts
 * @weak: the path comes to @root by a dependency that only a strong one may follow
 * match gets the class, whether it is reached weakly only, and @arg
 */
bool graph_find(enum direction dir, unsigned int root, bool weak,
		bool (*match)(unsigned int class_id, bool weak, void *arg), void *arg,
		struct path *path);
bool edge_known(unsigned int from, unsigned int to, uint8_t dep);
void edge_add(unsigned int from, unsigned int to, uint8_t dep, bool bad, const void *held_site,
	      const void *site);
void graph_reset(void);

/* ---- usage.c ---- */
void usage_mark_new(const struct sim_lock_hold *hold, bool is_sync);
void usage_mark_enabled(void); /* held locks, if interrupts came on since */
bool usage_check_edge(const struct sim_lock_hold *prev, const struct sim_lock_hold *next);

/* ---- splat.c ---- */
enum problem {
	PROBLEM_CYCLE,
	PROBLEM_RECURSION,
	PROBLEM_STATE,
	PROBLEM_INVERSION,
	PROBLEM_SAFE_UNSAFE,
	PROBLEM_WAIT,
	PROBLEM_UNLOCK,
	PROBLEM_DEPTH,
	PROBLEM_KEY,
	PROBLEM_FULL,
};
/*
 * splat_begin returns a stream for the text, or NULL where problem (@a, @b) was reported before.
 * The text is reported by splat_flush(), called without the mutex.
 */
FILE *splat_begin(enum problem problem, uintptr_t a, uintptr_t b, const void *caller);
void splat_end(FILE *out);
void splat_flush(void);
void splat_reset(void);
void print_class(FILE *out, unsigned int class_id); /* "(name/1){+...}-{3:3}" */
void print_name(FILE *out, unsigned int class_id);
void print_site(FILE *out, const char *before, const void *site);
void print_hold(FILE *out, const struct sim_lock_hold *hold);
void print_held(FILE *out, const struct sim_task *t);

#endif

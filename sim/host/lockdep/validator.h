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

/*
 * How a class has been used, for hard interrupts in the low half and for soft ones in the high; a
 * write bit is one below its read bit.
 */
enum usage {
	USED_IN_IRQ = 1,
	USED_IN_IRQ_READ = 2,
	ENABLED_IRQ = 4, /* held while such interrupts could come */
	ENABLED_IRQ_READ = 8,
};
enum irq_kind { HARDIRQ, SOFTIRQ, NR_IRQ_KINDS };
#define USAGE_BITS	  4 /* of each kind */
#define USAGE(kind, bits) ((unsigned int)(bits) << (USAGE_BITS * (kind)))
#define BOTH(bits)	  (USAGE(HARDIRQ, bits) | USAGE(SOFTIRQ, bits))
#define NR_USAGES	  (USAGE_BITS * NR_IRQ_KINDS)
#define USAGE_IN	  BOTH(USED_IN_IRQ | USED_IN_IRQ_READ)
#define USAGE_ON	  BOTH(ENABLED_IRQ | ENABLED_IRQ_READ)
#define USAGE_WRITES	  BOTH(USED_IN_IRQ | ENABLED_IRQ)

struct lock_class {
	const void *key;
	unsigned int subclass;
	uint32_t round;	     /* what follows to "before" is of this one; of another, it is empty */
	unsigned int usage;  /* enum usage, or-ed */
	unsigned int after;  /* first edge to what is taken while it is held */
	unsigned int before; /* first edge from what is held while it is taken */
	uint8_t wait_outer;
	uint8_t wait_inner;
	uint8_t wait_max;
	bool unchecked;
	const char *name;
	const void *usage_site[NR_USAGES]; /* valid where the usage's bit is set */
	unsigned int next_in_hash;
};

/*
 * What is learned belongs to a round: the whole run in the threads world, one execution in the
 * deterministic one. Beginning a round forgets, and costs nothing; classes keep their numbers.
 */
extern uint32_t lockdep_round;
/* One thread runs everything: the mutex is not taken. */
extern bool lockdep_alone;

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

/* Locks of @t that are known by name: beyond SIM_LOCKS_HELD_MAX only their number is. */
static inline int nr_held(const struct sim_task *t)
{
	return t->lockdep_depth < SIM_LOCKS_HELD_MAX ? t->lockdep_depth : SIM_LOCKS_HELD_MAX;
}

/* Can interrupts of this kind come now? */
static inline bool irqs_are_on(const struct sim_task *t, enum irq_kind kind)
{
	if (t->irqs_off || t->in_hardirq)
		return false;
	return kind == HARDIRQ || !(t->bh_depth || t->in_softirq);
}

static inline uint8_t safe_from(const struct sim_task *t)
{
	return (irqs_are_on(t, HARDIRQ) ? 0 : 1) | (irqs_are_on(t, SOFTIRQ) ? 0 : 2);
}

/* The usages that an acquisition of the running task is. */
static inline unsigned int usages_of(const struct sim_task *t, bool read, bool trylock)
{
	unsigned int in = read ? USED_IN_IRQ_READ : USED_IN_IRQ;
	unsigned int on = read ? ENABLED_IRQ_READ : ENABLED_IRQ, out = 0;

	if (!trylock)
		out |= (t->in_hardirq ? USAGE(HARDIRQ, in) : 0) |
		       (t->in_softirq ? USAGE(SOFTIRQ, in) : 0);
	if (irqs_are_on(t, HARDIRQ))
		out |= USAGE(HARDIRQ, on);
	if (irqs_are_on(t, SOFTIRQ))
		out |= USAGE(SOFTIRQ, on);
	return out;
}

/* ---- class.c ---- */
unsigned int class_of(const struct sim_lock_use *use); /* NO_CLASS: table full */
void classes_reset(void);

/* ---- chain.c: what is held in one go, and was found good ---- */
static inline uint64_t chain_with(const struct sim_task *t, const struct sim_lock_hold *next)
{
	int depth = t->lockdep_depth;
	uint64_t h = depth && depth <= SIM_LOCKS_HELD_MAX ? t->held[depth - 1].chain : 0;

	h ^= (uint64_t)next->class_id << 16 | next->read << 8 | next->trylock << 4 |
	     !!t->in_hardirq << 1 | !!t->in_softirq;
	h = (h + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL; /* splitmix64 */
	return h ^ h >> 29;
}

bool chain_is_known(uint64_t chain);
void chain_add(uint64_t chain);
void chains_reset(void);

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
	PROBLEM_FREED,
	PROBLEM_EQS,
};
/*
 * splat_begin returns a stream for the text, or NULL where problem (@a, @b) was reported before.
 * The text is reported by splat_flush(), called without the mutex.
 */
FILE *splat_begin(enum problem problem, uintptr_t a, uintptr_t b, const void *caller);
FILE *splat_begin_rcu(enum problem problem, const void *caller); /* one of SIM_REPORT_RCU */
void splat_end(FILE *out);
void splat_flush(void);
void splat_reset(void);
unsigned int splats(void);			    /* reports so far */
void print_class(FILE *out, unsigned int class_id); /* "(name/1){+.+.}-{3:3}" */
void print_name(FILE *out, unsigned int class_id);
void print_site(FILE *out, const char *before, const void *site);
void print_hold(FILE *out, const struct sim_lock_hold *hold);
void print_held(FILE *out, const struct sim_task *t);
void print_path(FILE *out, enum direction dir, const struct path *path);

/* A step of a "possible unsafe locking scenario": lock(CLASS), or @text where class_id is 0. */
struct scenario_step {
	int cpu;
	const char *text;
	unsigned int class_id;
};
void print_scenario(FILE *out, const char *title, int cpus, const struct scenario_step *steps,
		    int nr);

#endif

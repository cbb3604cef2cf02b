/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual time: many simulated CPUs, each with a clock, run instrumented code; the one with the
 * smallest clock goes on. An access costs what the state of its cache line says, transfers of one
 * line come one after another, and locks cost the accesses of their algorithms. Nothing is checked
 * here: that is for sim/det.h, whose callbacks these are.
 *
 * Read from both sides of the border: plain C types only.
 */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIME_MAX_CPUS 1024 /* that run; as many again are in guest mode and do nothing */

enum time_cost {
	TIME_HIT,	  /* an access to a line that the CPU has */
	TIME_LOCKED,	  /* an atomic operation or full barrier, beside the access */
	TIME_SHARED_MISS, /* a read of a line that nobody has changed since others read it */
	TIME_CLUSTER,	  /* a line comes from, or is taken from, a CPU of the same cluster ... */
	TIME_SOCKET,	  /* ... of the same socket ... */
	TIME_REMOTE,	  /* ... of another */
	TIME_OUTSIDE,	  /* of one operation: what it does beside the instrumented code */
	TIME_NR_COSTS
};
const char *time_cost_name(enum time_cost cost); /* "hit" ... */

struct time_machine {
	double ns[TIME_NR_COSTS];
	unsigned int cluster_cores; /* cores of a cluster ... */
	unsigned int socket_cores;  /* ... and of a socket */
	unsigned int
		socket_threads; /* CPUs of a socket; more sockets of the same where it is full */
};

/* What is run: @nr CPUs that do op() again and again. Of a KVM object, as programs are. */
struct time_program {
	const char *name;
	const char *strategy;
	bool rt; /* compiled with CONFIG_PREEMPT_RT */
	/* @layout: the program's; 0, or what is wrong. */
	const char *(*setup)(unsigned int nr, unsigned int layout);
	void (*op)(unsigned int n); /* by CPU n */
	void (*exit)(void);
	/* What reports call the cache line at @addr. */
	void (*name_line)(uintptr_t addr, char *buf, size_t size);
};
#define TIME_PROGRAM(p)                                           \
	static const struct time_program *const time_register_##p \
		__attribute__((used, section("irqsim_time"))) = &(p)
const struct time_program *time_program_find(const char *name, const char *strategy, bool rt);

/* From setup(): zeroed memory until the run has ended, once; or NULL. */
void *time_memory(size_t size);

struct time_options {
	const struct time_machine *machine;
	unsigned int cpus; /* 1 to TIME_MAX_CPUS */
	unsigned int layout;
	double duration_us; /* that are counted, after a fifth of it that is not */
	uint64_t seed;	    /* of when each CPU begins */
};

/* Where time goes. */
enum time_where {
	TIME_IN_OUTSIDE,
	TIME_IN_HITS,
	TIME_IN_ATOMICS,   /* and barriers */
	TIME_IN_TRANSFERS, /* cache lines on their way ... */
	TIME_IN_QUEUES,	   /* ... and waiting for their turn */
	TIME_IN_LOCKS,	   /* waiting until a lock is free */
	TIME_NR_WHERE
};
const char *time_where_name(enum time_where where);

#define TIME_HOTTEST 3
struct time_line {
	char name[64];
	double share; /* of all CPUs' time */
	uint64_t transfers;
};

struct time_result {
	uint64_t ops;		     /* that ended in the counted time */
	double per_second;	     /* of all CPUs */
	double mean_ns, p99_ns;	     /* of one; p99 within 1 % */
	double where[TIME_NR_WHERE]; /* shares of all CPUs' time */
	struct time_line hottest[TIME_HOTTEST];
	unsigned int nr_hottest;
	uint64_t heap_steps, line_lookups; /* of the simulator, over all @all_ops */
	uint64_t all_ops;
	char error[160]; /* not empty: nothing was run */
};

/* 0, or -1 with result->error. */
int time_run(const struct time_program *program, const struct time_options *options,
	     struct time_result *result);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One strategy on one set of traces: what it allocated, what that costs, whether it did right.
 */
#ifndef IRQSIM_ROUTING_RUN_H
#define IRQSIM_ROUTING_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sim/fault.h>
#include <sim/ops.h>

#include "model/profiles/profile.h"
#include "model/workload/trace.h"

struct port;

struct routing_setup {
	const struct trace *traces;
	unsigned int nr_traces;
	const struct profile *profile;
	uint64_t seed;
	bool fragment;
	double fragment_index;
	unsigned int fragment_order;
	bool faults[SIM_NR_FAULT_KINDS];
	struct sim_fault_attr fault_attr[SIM_NR_FAULT_KINDS];
	unsigned int wall_runs; /* timed runs; 0: no wall times */
	bool fail_sweep;
};

struct routing_row {
	const struct port *port;
	unsigned long updates; /* successful ones */
	unsigned int routes_max;
	uint64_t ops[SIM_NR_OPS];      /* totals of kvm_set_irq_routing() */
	uint64_t last_ops[SIM_NR_OPS]; /* of the last update alone */
	uint64_t allocs, frees, user_copies;
	unsigned long enomem; /* updates that failed with -ENOMEM */
	uint64_t peak_bytes;
	uint64_t leaked; /* objects alive after every VM was closed */
	double model_p50, model_p99, model_max, model_sum; /* ns an update, failed ones included */
	double wall_median, wall_min, wall_max;		   /* ns an update, of wall_runs runs */
	unsigned long sweep_cases, sweep_faults;
	unsigned long mismatches; /* answers other than the recorded ones, but for -ENOMEM */
	unsigned long reports;	  /* defects that the checkers reported */
	double unusable_before;	  /* free memory's unusable index at the asked order */
	uint64_t *digests;	  /* of the table after every DIGEST_EVERY-th update */
	unsigned long nr_digests;
	char problem[256]; /* the first thing that was wrong, or "" */
};

#define DIGEST_EVERY 64

/*
 * routing_run - measure @port on @setup
 * Memory is fresh (and aged as asked) for each run, so that equal setups give equal rows.
 * 0, or -1 with one line in row->problem where a trace cannot be replayed at all.
 */
int routing_run(const struct port *port, const struct routing_setup *setup,
		struct routing_row *row);
void routing_row_free(struct routing_row *row);

/*
 * routing_sweep - make each allocation of each update of @setup fail in turn; adds to
 * row->sweep_cases and sweep_faults
 */
int routing_sweep(const struct port *port, const struct routing_setup *setup,
		  struct routing_row *row);

/* Fresh simulated memory for @port, aged and with faults off; routing_run.c */
int routing_fresh_memory(const struct port *port, const struct routing_setup *setup);

#endif

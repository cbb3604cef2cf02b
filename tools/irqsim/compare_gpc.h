/* SPDX-License-Identifier: GPL-2.0-only */
/* irqsim compare gpc, in parts: options and runs, what is shown. */
#ifndef IRQSIM_COMPARE_GPC_H
#define IRQSIM_COMPARE_GPC_H

#include <stdbool.h>

#include <sim/time.h>

#include "model/profiles/machine.h"

#define GPC_MAX_VCPUS_LIST 64

enum { GPC_RWLOCK, GPC_SRCU, GPC_NR_STRATEGIES };
extern const char *const gpc_strategies[GPC_NR_STRATEGIES];
enum { GPC_SPREAD, GPC_PACKED, GPC_NR_LAYOUTS }; /* as model/gpc/delivery.c numbers them */
extern const char *const gpc_layouts[GPC_NR_LAYOUTS];

struct gpc_options {
	unsigned int vcpus[GPC_MAX_VCPUS_LIST], nr_vcpus;
	bool strategy[GPC_NR_STRATEGIES], layout[GPC_NR_LAYOUTS];
	double duration_us;
	uint64_t seed;
	const char *profile_name, *json, *plot;
};

struct gpc_row {
	unsigned int layout, strategy, vcpus;
	struct time_result r;
	const struct machine_cell *cell; /* NULL: nothing was published */
	double error;			 /* of the modelled rate, as a share of the published */
};

struct gpc_comparison {
	const struct gpc_options *o;
	const struct machine_profile *profile;
	struct gpc_row *rows;
	unsigned int nr_rows;
};

void gpc_print(const struct gpc_comparison *c);
int gpc_print_json(const struct gpc_comparison *c);
int gpc_plot(const struct gpc_comparison *c);

int compare_gpc(int argc, char **argv);

#endif

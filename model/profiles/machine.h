/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine profiles, for virtual time: what cache lines cost at which distance, how CPUs lie, and
 * what was measured on the machine. Each number is fitted (to published cells marked so) or cited.
 */
#ifndef PROFILES_MACHINE_H
#define PROFILES_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include <sim/time.h>

#include "profile.h"

#define MACHINE_NR_PLACES  3 /* cluster_cores, socket_cores, socket_threads */
#define MACHINE_MAX_FITTED 4 /* numbers, and cells that they are fitted to */

/* A measured cell: layout, strategy and vCPUs. */
struct machine_cell {
	char layout[16], strategy[16];
	unsigned int vcpus;
	double mps; /* millions a second */
	bool fitted;
};

struct machine_profile {
	char *name, *description, *cells_source;
	struct time_machine machine;
	struct cost costs[TIME_NR_COSTS]; /* where the numbers are from */
	struct cost places[MACHINE_NR_PLACES];
	struct machine_cell *cells;
	unsigned int nr_cells;
	unsigned int nr_fitted; /* numbers */
};

const char *machine_place_name(unsigned int place);

/*
 * As profile_read(). At most MACHINE_MAX_FITTED numbers are fitted, to at most as many cells;
 * "assumed" counts as fitted.
 */
int machine_read(const char *name, struct machine_profile *p, char *err, size_t err_size);
void machine_free(struct machine_profile *p);

/* NULL: nothing was measured there. */
const struct machine_cell *machine_cell(const struct machine_profile *p, const char *layout,
					const char *strategy, unsigned int vcpus);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* irqsim compare vfio, in parts: options, runs, what is shown. */
#ifndef IRQSIM_COMPARE_VFIO_H
#define IRQSIM_COMPARE_VFIO_H

#include <stdbool.h>

#include <port.h>
#include <sim/ops.h>

#include "model/profiles/profile.h"

#define VFIO_MAX_VFS	 64
#define VFIO_MAX_VECTORS 2048	/* of an MSI-X table (PCI 3.0, 6.8.2) */
#define VFIO_MAX_RATE	 100000 /* affinity changes a second; beyond any irqbalance (assumed) */

enum vfio_rows { ROW_PER_VECTOR, ROW_SKIP_UNCHANGED, ROW_DEFERRED, NR_VFIO_ROWS };
extern const char *const vfio_row_names[NR_VFIO_ROWS];

struct vfio_options {
	bool rows[NR_VFIO_ROWS];
	unsigned int vfs, vectors, vcpus, wall_runs;
	unsigned int irqbalance; /* affinity changes a second; 0: none */
	const char *routing, *profile_name, *json, *plot;
	bool wall, real;
};

/* The median of all runs, the fastest, the slowest. */
struct vfio_wall {
	double median, min, max;
};

/* What an operation came to: enabling one device, or all changes of affinity. */
struct vfio_cell {
	unsigned int irqfds; /* of the VM, after it */
	unsigned long commits, ioctls, allocs;
	uint64_t ops[SIM_NR_OPS];
	double model_ms;
	struct vfio_wall wall_us;
	uint64_t digest; /* of the routing table, after it */
};

struct vfio_row {
	enum vfio_rows strategy;
	struct vfio_cell cells[VFIO_MAX_VFS];
	struct vfio_cell total; /* of these */
	struct vfio_cell balance;
	unsigned int moves;	   /* in balance */
	struct vfio_wall plain_ms; /* all devices, with nothing posted; median 0: not measured */
	struct vfio_wall real_ms;  /* the same on the machine's own kernel */
	char problem[200];
};

struct vfio_result {
	const struct vfio_options *o;
	const struct profile *profile;
	struct vfio_row *rows;
	unsigned int nr_rows;
	char kernel[80];   /* whose real_ms it is */
	char no_real[120]; /* why there is none */
};

/* 0, or EXIT_USAGE with a message. Exits on --help. */
int vfio_parse(struct vfio_options *o, int argc, char **argv);

/* Fill @row; its problem says what was wrong with the strategy. 0, or EXIT_USAGE with a message. */
int vfio_run(const struct vfio_options *o, const struct profile *p, struct vfio_row *row);
/* Fill plain_ms and real_ms of all rows that differ in what the VMM calls. 0, or EXIT_USAGE. */
int vfio_run_plain(struct vfio_result *r);
struct vfio_wall vfio_spread(double *values, unsigned int nr); /* sorts them */

void vfio_print(const struct vfio_result *r);
int vfio_print_json(const struct vfio_result *r);
int vfio_plot(const struct vfio_result *r);

/*
 * What was published for a device, or NULL; "fitted" or "predicted"; ms published for all devices
 * together, or 0.
 */
const struct published *vfio_published(const struct vfio_result *r, const struct vfio_row *row,
				       unsigned int vf);
const char *vfio_kind(const struct published *p);
double vfio_published_total(const struct vfio_result *r, const struct vfio_row *row);
const struct vfio_row *vfio_row_of(const struct vfio_result *r, enum vfio_rows strategy);

int compare_vfio(int argc, char **argv);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* irqsim compare vfio, in parts: options, runs, what is shown. */
#ifndef IRQSIM_COMPARE_VFIO_H
#define IRQSIM_COMPARE_VFIO_H

#include <stdbool.h>

#include <port.h>
#include <sim/ops.h>

#include "model/profiles/profile.h"

#define VFIO_MAX_VFS	 64
#define VFIO_MAX_VECTORS 2048 /* of an MSI-X table (PCI 3.0, 6.8.2) */

enum vfio_rows { ROW_PER_VECTOR, ROW_SKIP_UNCHANGED, ROW_DEFERRED, NR_VFIO_ROWS };
extern const char *const vfio_row_names[NR_VFIO_ROWS];

struct vfio_options {
	bool rows[NR_VFIO_ROWS];
	unsigned int vfs, vectors, vcpus, wall_runs;
	const char *routing, *profile_name, *json, *plot;
	bool wall, real;
};

/* One device of one strategy. */
struct vfio_cell {
	unsigned int irqfds; /* of the VM, after it */
	unsigned long commits, ioctls;
	uint64_t ops[SIM_NR_OPS];
	double model_ms;
	double wall_us, wall_min, wall_max; /* the median of all runs */
};

struct vfio_row {
	enum vfio_rows strategy;
	struct vfio_cell cells[VFIO_MAX_VFS];
	double real_ms; /* all devices on the machine's own kernel, the median; < 0: not measured */
	char problem[200];
};

struct vfio_result {
	const struct vfio_options *o;
	const struct profile *profile;
	struct vfio_row *rows;
	unsigned int nr_rows;
	char kernel[80]; /* of real_ms */
};

/* 0, or EXIT_USAGE with a message. Exits on --help. */
int vfio_parse(struct vfio_options *o, int argc, char **argv);

/* Fill @row; its problem says what was wrong with the strategy. 0, or EXIT_USAGE with a message. */
int vfio_run(const struct vfio_options *o, const struct profile *p, struct vfio_row *row);
/* The same on /dev/kvm. 0, or EXIT_USAGE with a message. */
int vfio_run_real(const struct vfio_options *o, struct vfio_row *row);

void vfio_print(const struct vfio_result *r);
int vfio_print_json(const struct vfio_result *r);
int vfio_plot(const struct vfio_result *r);

/* What was published for a device, or NULL; and "fitted", "predicted" or "" where nothing was. */
const struct published *vfio_published(const struct vfio_result *r, const struct vfio_row *row,
				       unsigned int vf);
const char *vfio_kind(const struct published *p);

int compare_vfio(int argc, char **argv);

#endif

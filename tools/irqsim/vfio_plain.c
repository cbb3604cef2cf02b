// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enabling all devices where no device is behind the irqfds, so that nothing is posted: the same
 * calls to a simulated kernel and, where there is one, to the machine's own. Nothing is fitted to
 * these times.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sim/mm.h>

#include "builtins.h"
#include "vfio_host.h"

#define OTHER_FDS 64 /* that this process has open besides (assumed enough) */

/* All devices, timed. @h is zeroed but for its backend. 0 or -errno. */
static int enable_all(struct vfio_host *h, const struct vfio_options *o, enum vfio_rows row,
		      double *ms)
{
	double us = 0;
	unsigned int n;
	int ret = vfio_host_begin(h, o);

	for (n = 0; !ret && n < o->vfs; n++) {
		ret = vfio_host_enable(h, o, row, &us);
		*ms += us / 1e3;
	}
	vfio_host_end(h);
	return ret;
}

static int run_simulated(struct vfio_host *h, const struct vfio_options *o, enum vfio_rows row,
			 double *ms)
{
	const struct port *port = port_find("strategy", o->routing);

	port->ops->reset();
	sim_mm_reset();
	memset(h, 0, sizeof(*h));
	backend_port_init(&h->b, port);
	h->b.producer_add = NULL;
	h->b.producer_remove = NULL;
	return enable_all(h, o, row, ms);
}

static int run_real(struct vfio_host *h, const struct vfio_options *o, enum vfio_rows row,
		    double *ms)
{
	memset(h, 0, sizeof(*h));
	backend_real_init(&h->b);
	return enable_all(h, o, row, ms);
}

/* Two eventfds for each vector are more than most shells allow at first. */
static void raise_fd_limit(const struct vfio_options *o)
{
	rlim_t wanted = 2 * o->vfs * o->vectors + o->vcpus + OTHER_FDS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Without devices there are no entries to skip. */
static bool has_plain(const struct vfio_row *row)
{
	return row->strategy != ROW_SKIP_UNCHANGED;
}

/* Is there a kernel to ask? */
static bool look_for_kvm(struct vfio_result *r)
{
	struct utsname name;
	int fd;

	if (!r->o->real) {
		snprintf(r->no_real, sizeof(r->no_real), "not asked (--no-real)");
		return false;
	}
	fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		snprintf(r->no_real, sizeof(r->no_real), "none here (%s)", strerror(errno));
		return false;
	}
	close(fd);
	raise_fd_limit(r->o);
	if (!uname(&name))
		snprintf(r->kernel, sizeof(r->kernel), "%.64s", name.release);
	return true;
}

/* One run of one row: times[0] simulated, times[1] real. That it refuses is told, and no error. */
static int time_row(struct vfio_result *r, enum vfio_rows row, bool *real, double *times[2],
		    unsigned int run)
{
	struct vfio_host *h = calloc(1, sizeof(*h));
	int ret = h ? run_simulated(h, r->o, row, &times[0][run]) : -ENOMEM, refused;

	if (!ret && *real) {
		refused = run_real(h, r->o, row, &times[1][run]);
		if (refused) {
			snprintf(r->no_real, sizeof(r->no_real), "refused (%s)",
				 strerror(-refused));
			*real = false;
		}
	}
	free(h);
	return ret;
}

/* The rows take turns, so that what else the machine does is no row's alone. */
static int time_rows(struct vfio_result *r, bool *real, double *ms)
{
	unsigned int i, run, runs = r->o->wall_runs;
	double *times[NR_VFIO_ROWS][2];
	int ret = 0;

	for (i = 0; i < r->nr_rows; i++) {
		times[i][0] = ms + 2 * i * runs;
		times[i][1] = times[i][0] + runs;
	}
	for (run = 0; !ret && run < runs; run++)
		for (i = 0; !ret && i < r->nr_rows; i++)
			if (has_plain(&r->rows[i]))
				ret = time_row(r, r->rows[i].strategy, real, times[i], run);
	for (i = 0; !ret && i < r->nr_rows; i++) {
		if (!has_plain(&r->rows[i]))
			continue;
		r->rows[i].plain_ms = vfio_spread(times[i][0], runs);
		if (*real)
			r->rows[i].real_ms = vfio_spread(times[i][1], runs);
	}
	return ret;
}

int vfio_run_plain(struct vfio_result *r)
{
	double *ms = calloc((size_t)2 * r->nr_rows * r->o->wall_runs, sizeof(*ms));
	bool real = look_for_kvm(r);
	int ret;

	sim_count_walks = false;
	ret = ms ? time_rows(r, &real, ms) : -ENOMEM;
	sim_count_walks = true;
	free(ms);
	return ret ? usage_error("compare vfio: timed runs: %s", strerror(-ret)) : 0;
}

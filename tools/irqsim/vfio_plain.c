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

/* All runs of one row. That the real kernel refuses is told, and no error. 0 or -errno. */
static int time_row(struct vfio_result *r, struct vfio_row *row, bool *real, double *ms)
{
	unsigned int run, runs = r->o->wall_runs;
	struct vfio_host *h = calloc(1, sizeof(*h));
	int ret = h ? 0 : -ENOMEM;

	for (run = 0; !ret && run < runs; run++) {
		ret = run_simulated(h, r->o, row->strategy, &ms[run]);
		if (ret || !*real)
			continue;
		ret = run_real(h, r->o, row->strategy, &ms[runs + run]);
		if (!ret)
			continue;
		snprintf(r->no_real, sizeof(r->no_real), "refused (%s)", strerror(-ret));
		*real = false;
		ret = 0;
	}
	free(h);
	if (ret)
		return ret;
	row->plain_ms = vfio_spread(ms, runs);
	if (*real)
		row->real_ms = vfio_spread(ms + runs, runs);
	return 0;
}

int vfio_run_plain(struct vfio_result *r)
{
	bool real = look_for_kvm(r);
	unsigned int i;
	int ret = 0;

	sim_count_walks = false;
	for (i = 0; !ret && i < r->nr_rows; i++) {
		struct vfio_row *row = &r->rows[i];
		double *ms;

		/* Without devices there are no entries to skip. */
		if (row->strategy == ROW_SKIP_UNCHANGED)
			continue;
		ms = calloc(2 * r->o->wall_runs, sizeof(*ms));
		ret = ms ? time_row(r, row, &real, ms) : -ENOMEM;
		free(ms);
	}
	sim_count_walks = true;
	return ret ? usage_error("compare vfio: timed runs: %s", strerror(-ret)) : 0;
}

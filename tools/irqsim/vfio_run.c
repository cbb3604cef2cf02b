// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enabling device after device, on a simulated KVM with everything counted and timed, or on the
 * machine's own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sim/mm.h>
#include <sim/report.h>

#include "builtins.h"
#include "compare_vfio.h"
#include "model/vmm/backend.h"
#include "model/vmm/vfio_msix.h"

struct host {
	struct backend b;
	int kvm, vm;
	int *vcpus;
	unsigned int nr_vcpus;
	struct msi_routes routes;
	struct vfio_device *devices;
	unsigned int nr_devices;
	struct msi_message *messages;
};

static double ms_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) * 1e3 +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e6;
}

static void host_end(struct host *h)
{
	while (h->nr_devices)
		vfio_device_free(&h->devices[--h->nr_devices]);
	while (h->nr_vcpus)
		h->b.close(&h->b, h->vcpus[--h->nr_vcpus]);
	if (h->vm >= 0)
		h->b.close(&h->b, h->vm);
	if (h->kvm >= 0)
		h->b.close(&h->b, h->kvm);
	free(h->vcpus);
	free(h->devices);
	free(h->messages);
}

static int make_vm(struct host *h, const struct vfio_options *o)
{
	struct backend *b = &h->b;
	int fd;

	h->kvm = b->open_kvm(b);
	if (h->kvm < 0)
		return h->kvm;
	h->vm = (int)b->ioctl(b, h->kvm, KVM_CREATE_VM, 0);
	if (h->vm < 0)
		return h->vm;
	fd = (int)b->ioctl(b, h->vm, KVM_CREATE_IRQCHIP, 0);
	if (fd < 0)
		return fd;
	for (; h->nr_vcpus < o->vcpus; h->nr_vcpus++) {
		fd = (int)b->ioctl(b, h->vm, KVM_CREATE_VCPU, h->nr_vcpus);
		if (fd < 0)
			return fd;
		h->vcpus[h->nr_vcpus] = fd;
	}
	return msi_routes_init(&h->routes, b, h->vm, true);
}

/* Physical destination, fixed delivery, edge; vectors from 0x30 on, as a guest hands them out. */
static void make_messages(struct host *h, const struct vfio_options *o)
{
	unsigned int i;

	for (i = 0; i < o->vectors; i++)
		h->messages[i] = (struct msi_message){ 0xfee00000 | (uint64_t)(i % o->vcpus) << 12,
						       0x30 + i % 0xc0 };
}

static int host_begin(struct host *h, const struct vfio_options *o)
{
	int ret;

	h->kvm = h->vm = -1;
	h->vcpus = calloc(o->vcpus, sizeof(*h->vcpus));
	h->devices = calloc(o->vfs, sizeof(*h->devices));
	h->messages = calloc(o->vectors, sizeof(*h->messages));
	ret = h->vcpus && h->devices && h->messages ? make_vm(h, o) : -ENOMEM;
	if (!ret)
		make_messages(h, o);
	return ret;
}

/* The next device; how long it took. Fewer vectors than it has: an error. */
static int enable_next(struct host *h, const struct vfio_options *o, enum vfio_strategy s,
		       double *ms)
{
	struct vfio_device *d = &h->devices[h->nr_devices];
	struct timespec start;
	int ret;

	ret = vfio_device_init(d, &h->routes, s, h->nr_devices * o->vectors, h->messages,
			       o->vectors);
	if (ret)
		return ret;
	h->nr_devices++;
	clock_gettime(CLOCK_MONOTONIC, &start);
	ret = vfio_msix_enable(d);
	*ms = ms_since(&start);
	return ret < 0 ? ret : 0;
}

static enum vfio_strategy vmm_of(enum vfio_rows row)
{
	return row == ROW_DEFERRED ? VFIO_DEFERRED : VFIO_PER_VECTOR;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ---- simulated ---- */

static void sum_ops(uint64_t *out)
{
	int s, op;

	for (op = 0; op < SIM_NR_OPS; op++)
		for (out[op] = 0, s = 0; s < SIM_NR_SECTIONS; s++)
			out[op] += sim_counts.n[s][op];
}

static void account(struct vfio_cell *c, const struct profile *p, const uint64_t *before)
{
	int op;

	sum_ops(c->ops);
	for (op = 0; op < SIM_NR_OPS; op++)
		c->ops[op] -= before[op];
	c->model_ms = profile_ns(p, c->ops) / 1e6;
}

/* Every vector has a route, an irqfd and a posted entry that say what the guest asked for. */
static void check_device(struct host *h, unsigned int n, struct vfio_row *row)
{
	const struct vfio_device *d = &h->devices[n];
	struct port_route route[PORT_ROUTES_PER_GSI];
	struct port_irte irte;
	unsigned int i;

	for (i = 0; i < d->nr && !row->problem[0]; i++) {
		const struct vfio_vector *v = &d->vectors[i];
		int nr = v->virq < 0 ? 0 : h->b.ops->map_gsi(h->vm, v->virq, route);

		h->b.ops->irte(d->first_irq + i, &irte);
		if (nr != 1 || route[0].words[2] != v->message.data ||
		    route[0].words[0] != (uint32_t)v->message.address)
			snprintf(row->problem, sizeof(row->problem),
				 "device %u, vector %u: its route is not what it asked for", n, i);
		else if (!irte.posted || irte.vector != v->message.data)
			snprintf(row->problem, sizeof(row->problem),
				 "device %u, vector %u: its interrupts are not posted", n, i);
	}
}

static int simulate(const struct vfio_options *o, const struct port *port, const struct profile *p,
		    struct vfio_row *row, double *wall_us, unsigned int run)
{
	struct host *h = calloc(1, sizeof(*h));
	uint64_t before[SIM_NR_OPS];
	unsigned int n;
	double ms;
	int ret;

	if (!h)
		return -ENOMEM;
	backend_port_init(&h->b, port);
	ret = host_begin(h, o);
	for (n = 0; !ret && n < o->vfs; n++) {
		struct vfio_cell *c = &row->cells[n];
		unsigned long commits = h->routes.commits;

		sum_ops(before);
		ret = enable_next(h, o, vmm_of(row->strategy), &ms);
		if (ret)
			break;
		wall_us[n * o->wall_runs + run] = ms * 1e3;
		if (run)
			continue;
		account(c, p, before);
		c->irqfds = (n + 1) * o->vectors;
		c->commits = h->routes.commits - commits;
		c->ioctls = c->ops[SIM_OP_IOCTL];
		check_device(h, n, row);
	}
	host_end(h);
	free(h);
	return ret;
}

static void finish_wall(const struct vfio_options *o, struct vfio_row *row, double *wall_us)
{
	unsigned int n;

	for (n = 0; n < o->vfs; n++) {
		double *w = &wall_us[n * o->wall_runs];

		qsort(w, o->wall_runs, sizeof(*w), by_value);
		row->cells[n].wall_us = w[o->wall_runs / 2];
		row->cells[n].wall_min = w[0];
		row->cells[n].wall_max = w[o->wall_runs - 1];
	}
}

int vfio_run(const struct vfio_options *o, const struct profile *p, struct vfio_row *row)
{
	unsigned long reports = sim_report_defects();
	unsigned int run, runs = o->wall ? o->wall_runs : 1;
	double *wall_us = calloc((size_t)o->vfs * o->wall_runs, sizeof(*wall_us));
	const struct port *port;
	char name[80];
	int ret = 0;

	/* What a kernel does at an update is its own; the other two rows are of one that skips nothing. */
	snprintf(name, sizeof(name), "%.60s%s", o->routing,
		 row->strategy == ROW_SKIP_UNCHANGED ? "" : "+always");
	port = port_find(NULL, name);
	if (!port || !wall_us) {
		free(wall_us);
		return usage_error("compare vfio: expected %s", port ? "memory for the wall times"
								     : "a KVM object of that name");
	}
	sim_init();
	for (run = 0; !ret && run < runs; run++) {
		port->ops->reset();
		sim_mm_reset();
		ret = simulate(o, port, p, row, wall_us, run);
	}
	if (o->wall)
		finish_wall(o, row, wall_us);
	free(wall_us);
	if (ret)
		return usage_error("compare vfio: %s: %s", vfio_row_names[row->strategy],
				   strerror(-ret));
	if (sim_report_defects() != reports && !row->problem[0])
		snprintf(row->problem, sizeof(row->problem), "a checker reported it");
	return 0;
}

/* ---- real ---- */

int vfio_run_real(const struct vfio_options *o, struct vfio_row *row)
{
	double *total = calloc(o->wall_runs, sizeof(*total)), ms;
	struct host *h = calloc(1, sizeof(*h));
	unsigned int run, n;
	int ret = total && h ? 0 : -ENOMEM;

	for (run = 0; !ret && run < o->wall_runs; run++) {
		memset(h, 0, sizeof(*h));
		backend_real_init(&h->b);
		ret = host_begin(h, o);
		for (n = 0; !ret && n < o->vfs; n++) {
			ret = enable_next(h, o, vmm_of(row->strategy), &ms);
			total[run] += ms;
		}
		host_end(h);
	}
	if (!ret) {
		qsort(total, o->wall_runs, sizeof(*total), by_value);
		row->real_ms = total[o->wall_runs / 2];
	}
	free(h);
	free(total);
	return ret ? usage_error("/dev/kvm: %s (without --real it is not needed)", strerror(-ret))
		   : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enabling device after device on a simulated KVM, with everything counted, timed and checked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/mm.h>
#include <sim/report.h>

#include "builtins.h"
#include "vfio_host.h"

#define MAX_MOVES 1000 /* simulated in a run; a second of more is taken from these */

/* Wall times by operation (devices, affinity changes, all devices) and run. */
struct wall {
	double *us;
	unsigned int runs;
};

/* The first run is counted and checked, the others are timed. */
struct run {
	const struct vfio_options *o;
	const struct profile *p;
	struct vfio_row *row;
	struct wall *wall;
	int nr; /* of the timed run, or -1 */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct vfio_wall vfio_spread(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), by_value);
	return (struct vfio_wall){ values[nr / 2], values[0], values[nr - 1] };
}

static void sum_ops(uint64_t *out)
{
	int s, op;

	for (op = 0; op < SIM_NR_OPS; op++)
		for (out[op] = 0, s = 0; s < SIM_NR_SECTIONS; s++)
			out[op] += sim_counts.n[s][op];
}

/* ---- what has to hold after each device ---- */

static struct port_event last;
static unsigned int nr_events;

static void on_event(void *arg, int vm_fd, const struct port_event *ev)
{
	(void)arg, (void)vm_fd;
	last = *ev;
	nr_events++;
}

/* What is wrong with a vector, or NULL: its route, its irqfd, its posted entry. */
static const char *vector_problem(struct vfio_host *h, struct vfio_device *d, unsigned int i)
{
	const struct vfio_vector *v = &d->vectors[i];
	struct port_route route[PORT_ROUTES_PER_GSI];
	struct port_irte irte;

	if (v->virq < 0 || h->b.ops->map_gsi(h->vm, v->virq, route) != 1 ||
	    route[0].words[2] != v->message.data ||
	    route[0].words[0] != (uint32_t)v->message.address)
		return "its route is not what it asked for";
	nr_events = 0;
	if (vfio_device_interrupt(d, i) || nr_events != 1 || last.gsi != (uint32_t)v->virq ||
	    last.route.words[2] != v->message.data)
		return "its eventfd does not inject its message";
	h->b.ops->irte(d->first_irq + i, &irte);
	if (!irte.posted || irte.vector != (v->message.data & 0xff) ||
	    irte.vcpu_id != (v->message.address >> 12 & 0xff))
		return "its interrupts are not posted where they should go";
	return NULL;
}

/* Of all devices: a later one may have broken an earlier one. */
static void check_devices(struct vfio_host *h, struct vfio_row *row)
{
	unsigned int n, i;

	h->b.ops->set_event_sink(on_event, NULL);
	for (n = 0; n < h->nr_devices; n++)
		for (i = 0; i < h->devices[n].nr && !row->problem[0]; i++) {
			const char *problem = vector_problem(h, &h->devices[n], i);

			if (problem)
				snprintf(row->problem, sizeof(row->problem),
					 "device %u, vector %u, with %u devices: %s", n + 1, i,
					 h->nr_devices, problem);
		}
	h->b.ops->set_event_sink(NULL, NULL);
}

/* ---- runs ---- */

static void account(struct vfio_host *h, struct vfio_cell *c, const struct profile *p,
		    const uint64_t *before, unsigned long commits)
{
	int op;

	sum_ops(c->ops);
	for (op = 0; op < SIM_NR_OPS; op++)
		c->ops[op] -= before[op];
	c->model_ms = profile_ns(p, c->ops) / 1e6;
	c->commits = h->routes.commits - commits;
	c->ioctls = c->ops[SIM_OP_IOCTL];
	c->allocs = c->ops[SIM_OP_KMALLOC] + c->ops[SIM_OP_PAGE_ALLOC] + c->ops[SIM_OP_VMALLOC];
	h->b.ops->routing_digest(h->vm, &c->digest);
}

static void note_time(struct run *r, unsigned int op, double us)
{
	if (r->nr >= 0)
		r->wall->us[op * r->wall->runs + r->nr] = us;
}

static int enable_all(struct run *r, struct vfio_host *h)
{
	uint64_t before[SIM_NR_OPS];
	unsigned int n;
	double us;
	int ret;

	for (n = 0; n < r->o->vfs; n++) {
		struct vfio_cell *c = &r->row->cells[n];
		unsigned long commits = h->routes.commits;

		sum_ops(before);
		ret = vfio_host_enable(h, r->o, r->row->strategy, &us);
		if (ret)
			return ret;
		note_time(r, n, us);
		if (r->nr >= 0)
			continue;
		account(h, c, r->p, before, commits);
		c->irqfds = (n + 1) * r->o->vectors;
		check_devices(h, r->row);
	}
	return 0;
}

static int balance(struct run *r, struct vfio_host *h)
{
	unsigned long commits = h->routes.commits;
	struct vfio_row *row = r->row;
	uint64_t before[SIM_NR_OPS];
	double us;
	int ret;

	row->moves = r->o->irqbalance < MAX_MOVES ? r->o->irqbalance : MAX_MOVES;
	sum_ops(before);
	ret = vfio_host_balance(h, r->o, row->moves, &us);
	note_time(r, r->o->vfs, us);
	if (ret || r->nr >= 0)
		return ret;
	account(h, &row->balance, r->p, before, commits);
	check_devices(h, row);
	return 0;
}

static int simulate(struct run *r, const struct port *port)
{
	struct vfio_host *h = calloc(1, sizeof(*h));
	struct sim_mm_stats before, after;
	int ret;

	if (!h)
		return -ENOMEM;
	sim_mm_stats(&before);
	backend_port_init(&h->b, port);
	ret = vfio_host_begin(h, r->o);
	if (!ret)
		ret = enable_all(r, h);
	if (!ret && r->o->irqbalance)
		ret = balance(r, h);
	vfio_host_end(h);
	free(h);
	sim_mm_stats(&after);
	if (after.live_objects != before.live_objects && !r->row->problem[0])
		snprintf(r->row->problem, sizeof(r->row->problem), "%lu objects leaked",
			 (unsigned long)(after.live_objects - before.live_objects));
	return ret;
}

static int simulate_runs(struct run *r, const struct port *port)
{
	int ret = 0;

	for (r->nr = -1; !ret && r->nr < (r->o->wall ? (int)r->wall->runs : 0); r->nr++) {
		port->ops->reset();
		sim_mm_reset();
		sim_count_walks = r->nr < 0;
		ret = simulate(r, port);
	}
	sim_count_walks = true;
	return ret;
}

/* The sum of all devices, in counts and in the runs' times. */
static void finish(const struct vfio_options *o, struct vfio_row *row, struct wall *w)
{
	double *total = &w->us[(o->vfs + 1) * w->runs];
	unsigned int n, run;
	int op;

	for (n = 0; n < o->vfs; n++) {
		struct vfio_cell *c = &row->cells[n];

		row->total.commits += c->commits;
		row->total.ioctls += c->ioctls;
		row->total.allocs += c->allocs;
		row->total.model_ms += c->model_ms;
		for (op = 0; op < SIM_NR_OPS; op++)
			row->total.ops[op] += c->ops[op];
		for (run = 0; run < w->runs; run++)
			total[run] += w->us[n * w->runs + run];
		c->wall_us = vfio_spread(&w->us[n * w->runs], w->runs);
	}
	row->balance.wall_us = vfio_spread(&w->us[o->vfs * w->runs], w->runs);
	row->total.wall_us = vfio_spread(total, w->runs);
}

/* What a kernel does at an update is its own; the other two are of one that skips nothing. */
static const struct port *port_of(const struct vfio_options *o, enum vfio_rows row)
{
	char name[80];

	snprintf(name, sizeof(name), "%.60s%s", o->routing,
		 row == ROW_SKIP_UNCHANGED ? "" : "+always");
	return port_find(NULL, name);
}

int vfio_run(const struct vfio_options *o, const struct profile *p, struct vfio_row *row)
{
	unsigned long reports = sim_report_defects();
	const struct port *port = port_of(o, row->strategy);
	struct wall w = { .runs = o->wall_runs };
	struct run r = { .o = o, .p = p, .row = row, .wall = &w };
	int ret;

	w.us = calloc((size_t)(o->vfs + 2) * w.runs, sizeof(*w.us));
	if (!port || !w.us) {
		free(w.us);
		return usage_error("compare vfio: expected %s", port ? "memory for the wall times"
								     : "a KVM object of that name");
	}
	ret = simulate_runs(&r, port);
	finish(o, row, &w);
	free(w.us);
	if (ret)
		return usage_error("compare vfio: %s: %s", vfio_row_names[row->strategy],
				   strerror(-ret));
	if (sim_report_defects() != reports && !row->problem[0])
		snprintf(row->problem, sizeof(row->problem), "a checker reported it");
	return 0;
}

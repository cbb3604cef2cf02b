// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a strategy on traces: once with everything counted, then for wall times alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>

#include "model/vmm/backend.h"
#include "model/workload/replay.h"
#include "routing_run.h"

struct measure {
	const struct port *port;
	const struct routing_setup *setup;
	struct routing_row *row;
	bool account; /* the first run: counts and model times; else wall times only */
	struct sim_counts before;
	struct timespec start;
	double wall_ns;
	unsigned long calls;
	double *model; /* of each call */
	unsigned long model_room;
};

static double ns_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) * 1e9 + (double)(now.tv_nsec - start->tv_nsec);
}

static void account_ops(struct measure *m)
{
	const uint64_t *now = sim_counts.n[SIM_SECTION_ROUTING];
	const uint64_t *then = m->before.n[SIM_SECTION_ROUTING];
	const uint64_t *entry = sim_counts.n[SIM_SECTION_ENTRY];
	const uint64_t *entry_then = m->before.n[SIM_SECTION_ENTRY];
	uint64_t *ops = m->row->last_ops;
	int op;

	for (op = 0; op < SIM_NR_OPS; op++) {
		ops[op] = now[op] - then[op];
		m->row->ops[op] += ops[op];
	}
	for (op = SIM_OP_KMALLOC; op <= SIM_OP_VMALLOC; op++)
		if (op == SIM_OP_KMALLOC || op == SIM_OP_PAGE_ALLOC || op == SIM_OP_VMALLOC)
			m->row->user_copies += entry[op] - entry_then[op];
	m->model[m->calls] = profile_ns(m->setup->profile, ops);
}

static void note_digest(struct measure *m, int vm_fd)
{
	struct routing_row *row = m->row;

	if (m->calls % DIGEST_EVERY == 0)
		m->port->ops->routing_digest(vm_fd, &row->digests[row->nr_digests++]);
}

static int before_update(void *arg, int vm_fd, const struct trace_rec *rec)
{
	struct measure *m = arg;

	(void)vm_fd;
	(void)rec;
	if (m->account)
		m->before = sim_counts;
	/* Faults are for updates: a VM that cannot be made has nothing to compare. */
	sim_fault_enable(true);
	clock_gettime(CLOCK_MONOTONIC, &m->start);

	return 0;
}

static int after_update(void *arg, int vm_fd, const struct trace_rec *rec, long ret)
{
	struct measure *m = arg;

	m->wall_ns += ns_since(&m->start);
	sim_fault_enable(false);
	if (m->account) {
		account_ops(m);
		if (ret == -ENOMEM)
			m->row->enomem++;
		if (rec->u.table->nr > m->row->routes_max)
			m->row->routes_max = rec->u.table->nr;
		note_digest(m, vm_fd);
	}
	m->calls++;

	return 0;
}

int routing_fresh_memory(const struct port *port, const struct routing_setup *setup)
{
	port->ops->reset();
	sim_fault_clear();
	sim_fault_seed(setup->seed);
	sim_mm_reset();

	if (!setup->fragment)
		return 0;
	return sim_mm_age(setup->fragment_index, setup->fragment_order, setup->seed);
}

static void set_faults(const struct routing_setup *setup)
{
	int kind;

	for (kind = 0; kind < SIM_NR_FAULT_KINDS; kind++)
		if (setup->faults[kind])
			sim_fault_set(kind, &setup->fault_attr[kind]);
}

static void note_mismatches(struct routing_row *row, const struct trace *trace,
			    const struct replay_result *res)
{
	unsigned long i, shown = res->mismatches;

	if (shown > REPLAY_FIRST_MISMATCHES)
		shown = REPLAY_FIRST_MISMATCHES;
	row->mismatches += res->mismatches;
	for (i = 0; i < shown; i++) {
		const struct replay_mismatch *mm = &res->first[i];

		if (mm->got == -ENOMEM || row->problem[0])
			continue;
		snprintf(row->problem, sizeof(row->problem), "%s:%u: %s: expected %ld, got %ld",
			 trace->path, mm->line, trace->names[mm->name].name, mm->expected, mm->got);
	}
}

static int run_once(struct measure *m)
{
	const struct routing_setup *s = m->setup;
	struct replay_hooks hooks = { before_update, after_update, m };
	struct replay_result res;
	struct backend b;
	unsigned int i;
	int ret = 0;

	if (routing_fresh_memory(m->port, s))
		return -1;
	if (m->account && s->fragment)
		m->row->unusable_before = sim_mm_unusable_index(s->fragment_order);
	sim_mm_peak_reset();
	set_faults(s);
	sim_fault_enable(false);
	m->wall_ns = 0;
	m->calls = 0;

	backend_port_init(&b, m->port);
	for (i = 0; !ret && i < s->nr_traces; i++) {
		ret = replay_run(&s->traces[i], &b, &res, &hooks);
		if (ret)
			snprintf(m->row->problem, sizeof(m->row->problem), "%s", res.err);
		if (!ret && m->account) {
			m->row->updates += res.updates;
			note_mismatches(m->row, &s->traces[i], &res);
		}
		replay_result_free(&res);
	}
	sim_fault_clear();
	sim_fault_enable(true);

	return ret;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the smallest value that at least the @q-th part of all does not exceed. */
static double quantile(const double *sorted, unsigned long n, double q)
{
	unsigned long rank = (unsigned long)(q * (double)n);

	if ((double)rank < q * (double)n)
		rank++;
	return n ? sorted[rank ? rank - 1 : 0] : 0;
}

static void finish_model(struct measure *m)
{
	struct routing_row *row = m->row;
	unsigned long i;

	for (i = 0; i < m->calls; i++)
		row->model_sum += m->model[i];
	qsort(m->model, m->calls, sizeof(*m->model), by_value);
	row->model_p50 = quantile(m->model, m->calls, 0.50);
	row->model_p99 = quantile(m->model, m->calls, 0.99);
	row->model_max = quantile(m->model, m->calls, 1.0);
}

static void finish_counts(struct measure *m, uint64_t live_before)
{
	struct routing_row *row = m->row;
	struct sim_mm_stats stats;

	sim_mm_stats(&stats);
	row->leaked = stats.live_objects - live_before;
	row->peak_bytes = stats.routing_peak_bytes;
	row->allocs =
		row->ops[SIM_OP_KMALLOC] + row->ops[SIM_OP_PAGE_ALLOC] + row->ops[SIM_OP_VMALLOC];
	row->frees = row->ops[SIM_OP_KFREE] + row->ops[SIM_OP_PAGE_FREE] + row->ops[SIM_OP_VFREE];
}

static int wall_runs(struct measure *m)
{
	unsigned int i, n = m->setup->wall_runs;
	double *ns = calloc(n ? n : 1, sizeof(*ns));
	int ret = 0;

	if (!ns)
		return -1;
	m->account = false;
	for (i = 0; !ret && i < n; i++) {
		ret = run_once(m);
		ns[i] = m->calls ? m->wall_ns / (double)m->calls : 0;
	}
	if (n) {
		qsort(ns, n, sizeof(*ns), by_value);
		m->row->wall_min = ns[0];
		m->row->wall_median = ns[n / 2];
		m->row->wall_max = ns[n - 1];
	}
	free(ns);

	return ret;
}

static unsigned long count_updates(const struct routing_setup *s)
{
	unsigned long n = 0;
	unsigned int i;
	size_t r;

	for (i = 0; i < s->nr_traces; i++)
		for (r = 0; r < s->traces[i].nr_recs; r++)
			n += s->traces[i].recs[r].kind == TRACE_SET_GSI_ROUTING;
	return n;
}

int routing_run(const struct port *port, const struct routing_setup *setup, struct routing_row *row)
{
	struct measure m = { .port = port, .setup = setup, .row = row, .account = true };
	unsigned long n = count_updates(setup), reports = sim_report_defects();
	struct sim_mm_stats stats;
	int ret = -1;

	*row = (struct routing_row){ .port = port };
	m.model = calloc(n + 1, sizeof(*m.model));
	row->digests = calloc(n / DIGEST_EVERY + 2, sizeof(*row->digests));
	if (!m.model || !row->digests) {
		snprintf(row->problem, sizeof(row->problem), "expected memory for %lu updates", n);
		goto out;
	}

	/* What ageing allocates is alive before and after. */
	if (routing_fresh_memory(port, setup)) {
		snprintf(row->problem, sizeof(row->problem), "memory cannot be aged as asked");
		goto out;
	}
	sim_mm_stats(&stats);
	ret = run_once(&m);
	if (ret)
		goto out;
	finish_counts(&m, stats.live_objects);
	finish_model(&m);
	row->reports = sim_report_defects() - reports;
	ret = wall_runs(&m);
	if (!ret && setup->fail_sweep)
		ret = routing_sweep(port, setup, row);
out:
	free(m.model);
	return ret;
}

void routing_row_free(struct routing_row *row)
{
	free(row->digests);
	row->digests = NULL;
}

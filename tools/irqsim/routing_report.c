// SPDX-License-Identifier: GPL-2.0-only
/*
 * What irqsim compare routing shows: a table for people, the same as JSON.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <port.h>

#include "compare_routing.h"
#include "output.h"
#include "profile_json.h"

/* The published figure that a row can be held against, or NULL: one size, memory as the host had
 * it. */
static const struct published *published_of(const struct routing_result *r,
					    const struct routing_row *row)
{
	if (r->o->nr_routes != 1 || r->o->setup.fragment)
		return NULL;
	return profile_published(r->o->setup.profile, "routing", row->port->name, r->o->routes[0]);
}

static const char *kind_of(const struct routing_result *r, const struct routing_row *row)
{
	const struct published *p = published_of(r, row);

	return p && p->fitted ? "fitted" : "predicted";
}

/* ---- table ---- */

static void print_traffic(const struct routing_result *r)
{
	const struct routing_setup *s = &r->o->setup;
	unsigned int i;

	for (i = 0; i < s->nr_traces && i < 4; i++) {
		const struct trace *t = &s->traces[i];

		printf("%s: %zu updates of up to %u routes (highest GSI %u), %zu of them equal to "
		       "the one before\n",
		       t->path, t->nr_commits, t->routes_max, t->gsi_max, t->nr_unchanged);
	}
	if (s->nr_traces > 4)
		printf("... and %u more\n", s->nr_traces - 4);
	if (s->fragment)
		printf("memory aged to an unusable free space index of %.3f for order %u\n",
		       r->rows[0].unusable_before, s->fragment_order);
	putchar('\n');
}

static int name_width(const struct routing_result *r)
{
	size_t width = 12;
	unsigned int i;

	for (i = 0; i < r->nr_rows; i++)
		if (strlen(r->rows[i].port->name) > width)
			width = strlen(r->rows[i].port->name);
	return (int)width;
}

static void print_row(const struct routing_result *r, const struct routing_row *row)
{
	double n = row->updates + row->enomem ? (double)(row->updates + row->enomem) : 1;

	printf("%-*s %8.1f %8.1f %7lu %7lu %6lu %9.1f %6lu  %9.2f %9.2f %9.2f  %-9s", name_width(r),
	       row->port->name, (double)row->allocs / n, (double)row->frees / n,
	       (unsigned long)row->ops[SIM_OP_VMALLOC_FALLBACK],
	       (unsigned long)row->ops[SIM_OP_HIGH_ORDER_FAIL], row->enomem,
	       (double)row->peak_bytes / 1024, (unsigned long)row->leaked, row->model_p50 / 1e3,
	       row->model_p99 / 1e3, row->model_max / 1e3, kind_of(r, row));
	if (r->o->wall)
		printf(" %9.2f (%.2f-%.2f)", row->wall_median / 1e3, row->wall_min / 1e3,
		       row->wall_max / 1e3);
	if (r->o->setup.fail_sweep)
		printf("  %lu/%lu", row->sweep_faults, row->sweep_cases);
	putchar('\n');
}

static void print_head(const struct routing_result *r)
{
	printf("%-*s %17s %7s %7s %6s %9s %6s  %-29s  %-9s", name_width(r), "", "an update",
	       "vmalloc", "high-", "", "", "", "  modelled us an update", "");
	if (r->o->wall)
		printf(" wall us an update");
	printf("\n%-*s %8s %8s %7s %7s %6s %9s %6s  %9s %9s %9s  %-9s", name_width(r), "strategy",
	       "allocs", "frees", "fallb.", "order", "ENOMEM", "peak KiB", "leaked", "p50", "p99",
	       "max", "p50 is");
	if (r->o->wall)
		printf(" median (min-max)");
	if (r->o->setup.fail_sweep)
		printf("  sweep defects/cases");
	putchar('\n');
}

static void print_published(const struct routing_result *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_rows; i++) {
		const struct published *p = published_of(r, &r->rows[i]);

		if (p)
			printf("published: %s %.0f us, modelled %.1f us (%s; %s)\n",
			       r->rows[i].port->name, p->us, r->rows[i].model_p50 / 1e3,
			       kind_of(r, &r->rows[i]), p->source);
	}
}

static void print_costs(const struct profile *p, const struct routing_result *r)
{
	enum cost_kind kind;
	unsigned int i;
	int op, shown;

	printf("profile %s (%s); ns by operation:\n", p->name, p->description);
	for (kind = COST_FITTED; kind <= COST_ASSUMED; kind++) {
		printf("  %-8s", cost_kind_name(kind));
		for (op = shown = 0; op < SIM_NR_OPS; op++) {
			uint64_t used = 0;

			for (i = 0; i < r->nr_rows; i++)
				used += r->rows[i].ops[op];
			if (p->costs[op].kind == kind && used && p->costs[op].ns > 0)
				printf("%s %s %.4g", shown++ ? "," : "", sim_op_name(op),
				       p->costs[op].ns);
		}
		puts(shown ? "" : " none");
	}
}

static void print_left_out(const struct routing_result *r)
{
	const struct routing_setup *s = &r->o->setup;
	unsigned int i;
	size_t n;

	for (i = 0; i < s->nr_traces; i++) {
		const struct trace *t = &s->traces[i];
		const char *sep = ":";

		for (n = 0; n < t->nr_names; n++) {
			if (t->names[n].kind < TRACE_IRQFD || t->names[n].kind == TRACE_CLOSE_VM)
				continue;
			if (*sep == ':')
				printf("%s, not replayed", t->path);
			printf("%s %s%s %lu", sep,
			       t->names[n].kind == TRACE_UNKNOWN ? "unknown " : "",
			       t->names[n].name, t->names[n].count);
			sep = ",";
		}
		if (*sep != ':')
			putchar('\n');
	}
}

static void print_problems(const struct routing_result *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_rows; i++) {
		const struct routing_row *row = &r->rows[i];

		if (!routing_row_bad(row))
			continue;
		printf("DEFECT in %s:%s%s", row->port->name, row->problem[0] ? " " : "",
		       row->problem);
		if (row->leaked)
			printf(" %lu objects leaked;", (unsigned long)row->leaked);
		if (row->sweep_faults)
			printf(" %lu faults in the sweep;", row->sweep_faults);
		if (row->reports)
			printf(" %lu reports;", row->reports);
		putchar('\n');
	}
}

void routing_print(const struct routing_result *r)
{
	unsigned int i;

	print_traffic(r);
	print_head(r);
	for (i = 0; i < r->nr_rows; i++)
		print_row(r, &r->rows[i]);
	putchar('\n');
	print_published(r);
	print_costs(r->o->setup.profile, r);
	puts("not simulated: TLB misses on vmalloc'ed entries, reclaim, NUMA; they could only add "
	     "to "
	     "the cost of a fallback");
	print_left_out(r);
	print_problems(r);
	fflush(stdout);
}

/* ---- JSON ---- */

static void set_int(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

/* Tenths of a nanosecond: what a sum of doubles is good for, and the same on every machine. */
static void set_ns(json_t *o, const char *key, double ns)
{
	json_object_set_new(o, key, json_real(round(ns * 10) / 10));
}

static json_t *row_json(const struct routing_result *r, const struct routing_row *row)
{
	const struct published *p = published_of(r, row);
	json_t *o = json_object();

	json_object_set_new(o, "strategy", json_string(row->port->name));
	json_object_set_new(o, "kernel", json_string(row->port->ops->release));
	set_int(o, "updates", row->updates);
	set_int(o, "routes_max", row->routes_max);
	set_int(o, "allocs", row->allocs);
	set_int(o, "frees", row->frees);
	set_int(o, "user_copies", row->user_copies);
	set_int(o, "vmalloc_fallbacks", row->ops[SIM_OP_VMALLOC_FALLBACK]);
	set_int(o, "high_order_failures", row->ops[SIM_OP_HIGH_ORDER_FAIL]);
	set_int(o, "enomem", row->enomem);
	set_int(o, "peak_bytes", row->peak_bytes);
	set_int(o, "leaked", row->leaked);
	set_int(o, "grace_periods", row->ops[SIM_OP_GRACE_PERIOD]);
	set_ns(o, "model_ns_p50", row->model_p50);
	set_ns(o, "model_ns_p99", row->model_p99);
	set_ns(o, "model_ns_max", row->model_max);
	json_object_set_new(o, "kind", json_string(kind_of(r, row)));
	if (p)
		set_ns(o, "published_ns", p->us * 1e3);
	if (r->o->wall) {
		set_ns(o, "wall_ns_per_update", row->wall_median);
		set_ns(o, "wall_ns_min", row->wall_min);
		set_ns(o, "wall_ns_max", row->wall_max);
	}
	set_int(o, "sweep_cases", row->sweep_cases);
	set_int(o, "sweep_faults", row->sweep_faults);
	set_int(o, "reports", row->reports);
	set_int(o, "mismatches", row->mismatches);
	json_object_set_new(o, "last_update_ops", ops_json(row->last_ops));
	if (row->problem[0])
		json_object_set_new(o, "problem", json_string(row->problem));

	return o;
}

static json_t *traces_json(const struct routing_setup *s)
{
	json_t *list = json_array();
	unsigned int i;
	size_t n;

	for (i = 0; i < s->nr_traces; i++) {
		const struct trace *t = &s->traces[i];
		json_t *o = json_object(), *left = json_object(), *unknown = json_object();

		json_object_set_new(o, "trace", json_string(t->path));
		set_int(o, "commits", t->nr_commits);
		set_int(o, "unchanged", t->nr_unchanged);
		for (n = 0; n < t->nr_names; n++) {
			if (t->names[n].kind == TRACE_UNKNOWN)
				set_int(unknown, t->names[n].name, t->names[n].count);
			else if (t->names[n].kind >= TRACE_IRQFD &&
				 t->names[n].kind != TRACE_CLOSE_VM)
				set_int(left, t->names[n].name, t->names[n].count);
		}
		json_object_set_new(o, "not_replayed", left);
		json_object_set_new(o, "unknown", unknown);
		json_array_append_new(list, o);
	}
	return list;
}

int routing_print_json(const struct routing_result *r)
{
	const struct routing_setup *s = &r->o->setup;
	json_t *all = json_object(), *rows = json_array(), *fragment;
	unsigned int i;

	json_object_set_new(all, "subject", json_string("routing"));
	json_object_set_new(all, "profile", json_string(s->profile->name));
	set_int(all, "seed", s->seed);
	if (s->fragment) {
		fragment = json_object();
		json_object_set_new(fragment, "asked", json_real(s->fragment_index));
		json_object_set_new(fragment, "order", json_integer(s->fragment_order));
		json_object_set_new(fragment, "unusable_index",
				    json_real(r->rows[0].unusable_before));
		json_object_set_new(all, "fragment", fragment);
	}
	json_object_set_new(all, "traffic", traces_json(s));
	for (i = 0; i < r->nr_rows; i++)
		json_array_append_new(rows, row_json(r, &r->rows[i]));
	json_object_set_new(all, "rows", rows);
	json_object_set_new(all, "costs", costs_json(s->profile));

	return json_output(r->o->json, all);
}

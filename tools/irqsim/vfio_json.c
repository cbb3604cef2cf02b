// SPDX-License-Identifier: GPL-2.0-only
/* The result of irqsim compare vfio as JSON. */
#include <math.h>

#include "builtins.h"
#include "compare_vfio.h"
#include "output.h"
#include "profile_json.h"

static void set_int(json_t *o, const char *key, uint64_t value)
{
	json_object_set_new(o, key, json_integer((json_int_t)value));
}

/* A millionth is below what any of these times is good for. */
static json_t *rounded(double value)
{
	return json_real(round(value * 1e6) / 1e6);
}

static void set_real(json_t *o, const char *key, double value)
{
	json_object_set_new(o, key, rounded(value));
}

static void set_wall(json_t *o, const char *key, bool known, double value)
{
	json_object_set_new(o, key, known ? rounded(value) : json_null());
}

static json_t *spread_json(const struct vfio_wall *w)
{
	json_t *o = json_object();

	if (!(w->median > 0)) {
		json_decref(o);
		return json_null();
	}
	set_real(o, "median", w->median);
	set_real(o, "min", w->min);
	set_real(o, "max", w->max);
	return o;
}

/* What rows, totals and irqbalance have in common; those of the published table first. */
static void set_counts(json_t *o, const struct vfio_cell *c)
{
	set_int(o, "ioctls", c->ioctls);
	set_int(o, "irte_writes", c->ops[SIM_OP_IRTE]);
	set_int(o, "allocs", c->allocs);
}

static json_t *cell_json(const struct vfio_result *r, const struct vfio_row *row, unsigned int n)
{
	const struct published *p = vfio_published(r, row, n + 1);
	const struct vfio_cell *c = &row->cells[n];
	json_t *o = json_object();

	json_object_set_new(o, "strategy", json_string(vfio_row_names[row->strategy]));
	set_int(o, "vf", n + 1);
	set_int(o, "irqfds", c->irqfds);
	set_int(o, "commits", c->commits);
	set_int(o, "irqfd_updates", c->ops[SIM_OP_IRQFD_UPDATE]);
	set_real(o, "model_ms", c->model_ms);
	set_wall(o, "wall_us", r->o->wall, c->wall_us.median);
	json_object_set_new(o, "published_ms", p ? rounded(p->us / 1e3) : json_null());
	json_object_set_new(o, "kind", json_string(vfio_kind(p)));
	set_counts(o, c);
	set_wall(o, "wall_us_min", r->o->wall, c->wall_us.min);
	set_wall(o, "wall_us_max", r->o->wall, c->wall_us.max);
	json_object_set_new(o, "ops", ops_json(c->ops));
	return o;
}

static json_t *total_json(const struct vfio_result *r, const struct vfio_row *row)
{
	double was = vfio_published_total(r, row);
	const struct vfio_cell *c = &row->total;
	json_t *o = json_object();

	json_object_set_new(o, "strategy", json_string(vfio_row_names[row->strategy]));
	set_int(o, "commits", c->commits);
	set_int(o, "irqfd_updates", c->ops[SIM_OP_IRQFD_UPDATE]);
	set_real(o, "model_ms", c->model_ms);
	set_wall(o, "wall_us", r->o->wall, c->wall_us.median);
	json_object_set_new(o, "published_ms", was > 0 ? rounded(was) : json_null());
	set_counts(o, c);
	if (row->problem[0])
		json_object_set_new(o, "problem", json_string(row->problem));
	return o;
}

static json_t *plain_json(const struct vfio_row *row)
{
	json_t *o = json_object();

	json_object_set_new(o, "strategy", json_string(vfio_row_names[row->strategy]));
	json_object_set_new(o, "simulated_ms", spread_json(&row->plain_ms));
	json_object_set_new(o, "real_ms", spread_json(&row->real_ms));
	return o;
}

/* For one change, on the average. */
static json_t *balance_json(const struct vfio_result *r, const struct vfio_row *row)
{
	const struct vfio_cell *c = &row->balance;
	double ms = c->model_ms / row->moves;
	json_t *o = json_object();

	json_object_set_new(o, "strategy", json_string(vfio_row_names[row->strategy]));
	set_int(o, "changes", row->moves);
	set_int(o, "commits", c->commits);
	set_int(o, "irqfd_updates", c->ops[SIM_OP_IRQFD_UPDATE]);
	set_counts(o, c);
	set_real(o, "model_us_each", ms * 1e3);
	set_real(o, "model_ms_per_s", ms * r->o->irqbalance);
	set_wall(o, "wall_us_each", r->o->wall, c->wall_us.median / row->moves);
	return o;
}

static json_t *each_row(const struct vfio_result *r,
			json_t *(*json)(const struct vfio_result *r, const struct vfio_row *row))
{
	json_t *all = json_array();
	unsigned int i;

	for (i = 0; i < r->nr_rows; i++)
		json_array_append_new(all, json(r, &r->rows[i]));
	return all;
}

static json_t *wall_json(const struct vfio_result *r)
{
	json_t *o = json_object(), *rows = json_array();
	unsigned int i;

	if (r->kernel[0])
		json_object_set_new(o, "kernel", json_string(r->kernel));
	if (r->no_real[0])
		json_object_set_new(o, "no_real", json_string(r->no_real));
	for (i = 0; i < r->nr_rows; i++)
		if (r->rows[i].plain_ms.median > 0)
			json_array_append_new(rows, plain_json(&r->rows[i]));
	json_object_set_new(o, "rows", rows);
	return o;
}

int vfio_print_json(const struct vfio_result *r)
{
	json_t *all = json_object(), *rows = json_array();
	unsigned int i, n;

	json_object_set_new(all, "subject", json_string("vfio"));
	json_object_set_new(all, "profile", json_string(r->profile->name));
	json_object_set_new(all, "routing", json_string(r->o->routing));
	set_int(all, "vfs", r->o->vfs);
	set_int(all, "vectors", r->o->vectors);
	set_int(all, "vcpus", r->o->vcpus);
	for (i = 0; i < r->nr_rows; i++)
		for (n = 0; n < r->o->vfs; n++)
			json_array_append_new(rows, cell_json(r, &r->rows[i], n));
	json_object_set_new(all, "rows", rows);
	json_object_set_new(all, "totals", each_row(r, total_json));
	if (r->o->wall)
		json_object_set_new(all, "plain", wall_json(r));
	if (r->o->irqbalance) {
		set_int(all, "irqbalance_per_s", r->o->irqbalance);
		json_object_set_new(all, "irqbalance", each_row(r, balance_json));
	}
	json_object_set_new(all, "costs", costs_json(r->profile));
	return json_output(r->o->json, all);
}

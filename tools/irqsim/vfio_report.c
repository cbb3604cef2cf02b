// SPDX-License-Identifier: GPL-2.0-only
/*
 * What irqsim compare vfio shows: a table for people, the same as JSON, and a figure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins.h"
#include "compare_vfio.h"
#include "output.h"

const struct published *vfio_published(const struct vfio_result *r, const struct vfio_row *row,
				       unsigned int vf)
{
	const struct vfio_options *o = r->o;

	/* What was measured: 65 vectors, 128 vCPUs. */
	if (o->vectors != 65 || o->vcpus != 128)
		return NULL;
	return profile_published(r->profile, "vfio", vfio_row_names[row->strategy], vf);
}

const char *vfio_kind(const struct published *p)
{
	return !p ? "" : p->fitted ? "fitted" : "predicted";
}

static double total_model(const struct vfio_result *r, const struct vfio_row *row)
{
	double sum = 0;
	unsigned int n;

	for (n = 0; n < r->o->vfs; n++)
		sum += row->cells[n].model_ms;
	return sum;
}

static double total_wall(const struct vfio_result *r, const struct vfio_row *row)
{
	double sum = 0;
	unsigned int n;

	for (n = 0; n < r->o->vfs; n++)
		sum += row->cells[n].wall_us;
	return sum / 1e3;
}

/* ---- table ---- */

static void print_head(const struct vfio_result *r)
{
	unsigned int i;

	printf("%3s %6s", "VF", "irqfds");
	for (i = 0; i < r->nr_rows; i++)
		printf(" | %-37s", vfio_row_names[r->rows[i].strategy]);
	printf("\n%3s %6s", "", "");
	for (i = 0; i < r->nr_rows; i++)
		printf(" | %7s %9s %19s", "commits", "model ms", "published ms");
	putchar('\n');
}

static void print_cell(const struct vfio_result *r, const struct vfio_row *row, unsigned int n)
{
	const struct vfio_cell *c = &row->cells[n];
	const struct published *p = vfio_published(r, row, n + 1);

	printf(" | %7lu %9.2f", c->commits, c->model_ms);
	if (p && p->fitted)
		printf(" %6.0f %12s", p->us / 1e3, "fitted");
	else if (p)
		printf(" %6.0f %+5.0f%% %+5.1f", p->us / 1e3, 100 * (c->model_ms * 1e3 / p->us - 1),
		       c->model_ms - p->us / 1e3);
	else
		printf(" %19s", "-");
}

static double published_total(const struct vfio_result *r, const struct vfio_row *row)
{
	const struct published *p;
	double sum = 0;
	unsigned int n;

	for (n = 0; n < r->o->vfs; n++) {
		p = vfio_published(r, row, n + 1);
		if (!p)
			return 0;
		sum += p->us / 1e3;
	}
	return sum;
}

static void print_totals(const struct vfio_result *r)
{
	unsigned int i, n;

	printf("%10s", "total");
	for (i = 0; i < r->nr_rows; i++) {
		const struct vfio_row *row = &r->rows[i];
		double model = total_model(r, row), was = published_total(r, row);
		unsigned long commits = 0;

		for (n = 0; n < r->o->vfs; n++)
			commits += row->cells[n].commits;
		printf(" | %7lu %9.1f", commits, model);
		if (was > 0)
			printf(" %6.0f %+5.0f%% %5s", was, 100 * (model / was - 1), "");
		else
			printf(" %19s", "-");
	}
	putchar('\n');
}

static void print_counts(const struct vfio_result *r)
{
	static const enum sim_op shown[] = { SIM_OP_IOCTL,	  SIM_OP_ROUTE, SIM_OP_KMALLOC,
					     SIM_OP_IRQFD_UPDATE, SIM_OP_IRTE,	SIM_OP_IRQFD_SCAN };
	unsigned int i, n, k;

	printf("\n%-15s %9s %9s %9s %13s %13s %13s   (all devices)\n", "", "ioctls", "routes",
	       "kmallocs", "irqfd updates", "IRTE writes", "irqfd scans");
	for (i = 0; i < r->nr_rows; i++) {
		printf("%-15s", vfio_row_names[r->rows[i].strategy]);
		for (k = 0; k < sizeof(shown) / sizeof(shown[0]); k++) {
			unsigned long sum = 0;

			for (n = 0; n < r->o->vfs; n++)
				sum += r->rows[i].cells[n].ops[shown[k]];
			printf(" %*lu", k < 3 ? 9 : 13, sum);
		}
		putchar('\n');
	}
}

static const struct vfio_row *row_of(const struct vfio_result *r, enum vfio_rows strategy)
{
	unsigned int i;

	for (i = 0; i < r->nr_rows; i++)
		if (r->rows[i].strategy == strategy)
			return &r->rows[i];
	return NULL;
}

/* Nothing in this one is fitted: the same calls, timed. */
static void print_wall(const struct vfio_result *r)
{
	const struct vfio_row *each = row_of(r, ROW_PER_VECTOR), *one = row_of(r, ROW_DEFERRED);
	unsigned int i;

	if (!r->o->wall)
		return;
	printf("\n%-15s %14s", "wall ms, total", "simulated");
	if (r->o->real)
		printf("   /dev/kvm of Linux %s", r->kernel);
	putchar('\n');
	for (i = 0; i < r->nr_rows; i++) {
		printf("%-15s %14.2f", vfio_row_names[r->rows[i].strategy],
		       total_wall(r, &r->rows[i]));
		if (r->rows[i].real_ms >= 0)
			printf("   %10.2f", r->rows[i].real_ms);
		putchar('\n');
	}
	if (each && one) {
		printf("%-15s %14.1f", "ratio", total_wall(r, each) / total_wall(r, one));
		if (one->real_ms > 0)
			printf("   %10.1f", each->real_ms / one->real_ms);
		printf("   (per-vector to deferred)\n");
	}
}

static void print_costs(const struct vfio_result *r)
{
	const struct profile *p = r->profile;
	enum cost_kind kind;
	int op, shown;

	printf("\nprofile %s (%s); ns by operation:\n", p->name, p->description);
	for (kind = COST_FITTED; kind <= COST_ASSUMED; kind++) {
		printf("  %-8s", cost_kind_name(kind));
		for (op = shown = 0; op < SIM_NR_OPS; op++)
			if (p->costs[op].kind == kind && p->costs[op].ns > 0)
				printf("%s %s %.4g", shown++ ? "," : "", sim_op_name(op),
				       p->costs[op].ns);
		puts(shown ? "" : " none");
	}
}

void vfio_print(const struct vfio_result *r)
{
	unsigned int i, n;

	printf("%u devices of %u vectors, %u vCPUs, routing %s\n\n", r->o->vfs, r->o->vectors,
	       r->o->vcpus, r->o->routing);
	print_head(r);
	for (n = 0; n < r->o->vfs; n++) {
		printf("%3u %6u", n + 1, (n + 1) * r->o->vectors);
		for (i = 0; i < r->nr_rows; i++)
			print_cell(r, &r->rows[i], n);
		putchar('\n');
	}
	print_totals(r);
	print_counts(r);
	print_wall(r);
	print_costs(r);
	for (i = 0; i < r->nr_rows; i++)
		if (r->rows[i].problem[0])
			printf("%s: %s\n", vfio_row_names[r->rows[i].strategy], r->rows[i].problem);
}

/* ---- JSON ---- */

int vfio_print_json(const struct vfio_result *r)
{
	json_t *rows = json_array();
	unsigned int i, n;

	for (i = 0; i < r->nr_rows; i++)
		for (n = 0; n < r->o->vfs; n++) {
			const struct vfio_row *row = &r->rows[i];
			const struct vfio_cell *c = &row->cells[n];
			const struct published *p = vfio_published(r, row, n + 1);
			json_t *j = json_pack(
				"{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:f}", "strategy",
				vfio_row_names[row->strategy], "vf", (json_int_t)n + 1, "irqfds",
				(json_int_t)c->irqfds, "commits", (json_int_t)c->commits, "ioctls",
				(json_int_t)c->ioctls, "irqfd_updates",
				(json_int_t)c->ops[SIM_OP_IRQFD_UPDATE], "irte_writes",
				(json_int_t)c->ops[SIM_OP_IRTE], "model_ms", c->model_ms);

			if (r->o->wall)
				json_object_set_new(j, "wall_us", json_real(c->wall_us));
			if (p)
				json_object_set_new(j, "published_ms", json_real(p->us / 1e3));
			json_object_set_new(j, "kind", json_string(p ? vfio_kind(p) : "predicted"));
			json_array_append_new(rows, j);
		}
	return json_output(r->o->json, rows);
}

/* ---- figure ---- */

static void plot_data(const struct vfio_result *r, FILE *out)
{
	unsigned int i, n;

	for (i = 0; i < r->nr_rows; i++) {
		fprintf(out, "$d%u << EOD\n", i);
		for (n = 0; n < r->o->vfs; n++) {
			const struct published *p = vfio_published(r, &r->rows[i], n + 1);

			fprintf(out, "%u %.4f %.4f\n", n + 1, r->rows[i].cells[n].model_ms,
				p ? p->us / 1e3 : NAN);
		}
		fputs("EOD\n", out);
	}
}

static void plot_script(FILE *out, const void *arg)
{
	const struct vfio_result *r = arg;
	unsigned int i;

	plot_data(r, out);
	fputs("set terminal svg size 800,500\n"
	      "set xlabel 'device'\nset ylabel 'ms to enable its MSI-X'\nset yrange [0:]\n"
	      "set key top left\nset grid\nset xtics 1\nplot ",
	      out);
	for (i = 0; i < r->nr_rows; i++) {
		const char *name = vfio_row_names[r->rows[i].strategy];

		fprintf(out, "%s$d%u using 1:2 with lines lw 2 lc %u title '%s, modelled'",
			i ? ", " : "", i, i + 1, name);
		if (vfio_published(r, &r->rows[i], 1))
			fprintf(out,
				", $d%u using 1:3 with points pt 7 lc %u title '%s, published'", i,
				i + 1, name);
	}
	fputc('\n', out);
}

int vfio_plot(const struct vfio_result *r)
{
	return plot_output(r->o->plot, plot_script, r);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What irqsim compare gpc shows: table, JSON, figure.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare_gpc.h"
#include "output.h"

static const char *kind_of(const struct gpc_row *row)
{
	if (!row->cell)
		return "";
	return row->cell->fitted ? "fitted" : "predicted";
}

static void print_row(const struct gpc_row *row)
{
	const struct time_result *r = &row->r;
	double lines =
		r->where[TIME_IN_TRANSFERS] + r->where[TIME_IN_QUEUES] + r->where[TIME_IN_LOCKS];

	printf("%-6s %-6s %5u %9.2f %9.0f %9.0f %6.0f", gpc_layouts[row->layout],
	       gpc_strategies[row->strategy], row->vcpus, r->per_second / 1e6, r->mean_ns,
	       r->p99_ns, 100 * lines);
	if (row->cell)
		printf(" %9.2f %+6.1f %-9s", row->cell->mps, 100 * row->error, kind_of(row));
	else
		printf(" %9s %6s %-9s", "", "", "");
	if (r->nr_hottest)
		printf(" %.0f%% %s", 100 * r->hottest[0].share, r->hottest[0].name);
	putchar('\n');
}

/* The three hottest lines of each layout and strategy, where there are most vCPUs. */
static void print_hottest(const struct gpc_comparison *c)
{
	unsigned int i, n;

	puts("\nHottest cache lines, and where the time of all senders goes:");
	for (i = 0; i < c->nr_rows; i++) {
		const struct gpc_row *row = &c->rows[i];
		const struct time_result *r = &row->r;

		if (i + 1 < c->nr_rows && c->rows[i + 1].strategy == row->strategy &&
		    c->rows[i + 1].layout == row->layout)
			continue;
		printf("  %s, %s, %u vCPUs:", gpc_layouts[row->layout],
		       gpc_strategies[row->strategy], row->vcpus);
		for (n = 0; n < r->nr_hottest; n++)
			printf(" %s %.1f%%%s", r->hottest[n].name, 100 * r->hottest[n].share,
			       n + 1 < r->nr_hottest ? "," : "");
		fputs("\n   ", stdout);
		for (n = 0; n < TIME_NR_WHERE; n++)
			printf(" %s %.1f%%", time_where_name(n), 100 * r->where[n]);
		putchar('\n');
	}
}

static void print_errors(const struct gpc_comparison *c)
{
	double sum = 0, most = 0;
	unsigned int i, n = 0;

	for (i = 0; i < c->nr_rows; i++) {
		const struct gpc_row *row = &c->rows[i];

		if (!row->cell || row->cell->fitted)
			continue;
		n++;
		sum += fabs(row->error);
		most = fmax(most, fabs(row->error));
	}
	if (n)
		printf("\n%u cells predicted: off by %.1f %% on average, %.1f %% at most.\n", n,
		       100 * sum / n, 100 * most);
}

static void print_number(const char *name, const char *unit, const struct cost *c)
{
	printf("  %-17s %7g%s %-7s %s\n", name, c->ns, unit, cost_kind_name(c->kind), c->source);
}

static void print_profile(const struct machine_profile *p)
{
	unsigned int i;

	printf("\nProfile %s: %s. %u numbers are fitted.\n", p->name,
	       p->description ? p->description : "", p->nr_fitted);
	for (i = 0; i < TIME_NR_COSTS; i++)
		print_number(time_cost_name(i), " ns", &p->costs[i]);
	for (i = 0; i < MACHINE_NR_PLACES; i++)
		print_number(machine_place_name(i), "   ", &p->places[i]);
	if (p->nr_cells && p->cells_source)
		printf("Published: %s.\n", p->cells_source);
}

void gpc_print(const struct gpc_comparison *c)
{
	unsigned int i;

	printf("Event channels delivered to vCPUs in guest mode, a sender for each: virtual time, "
	       "profile %s\n\n",
	       c->profile->name);
	printf("%-6s %-6s %5s %9s %9s %9s %6s %9s %6s %-9s %s\n", "layout", "scheme", "vCPUs",
	       "M/s", "mean ns", "p99 ns", "lines%", "published", "error%", "", "hottest line");
	for (i = 0; i < c->nr_rows; i++)
		print_row(&c->rows[i]);
	print_hottest(c);
	print_errors(c);
	print_profile(c->profile);
}

/* ---- JSON ---- */

static json_t *row_json(const struct gpc_row *row)
{
	const struct time_result *r = &row->r;
	json_t *lines = json_array(), *where = json_object(), *j;
	unsigned int i;

	for (i = 0; i < r->nr_hottest; i++)
		json_array_append_new(lines, json_pack("{s:s,s:f,s:I}", "name", r->hottest[i].name,
						       "share", r->hottest[i].share, "transfers",
						       (json_int_t)r->hottest[i].transfers));
	for (i = 0; i < TIME_NR_WHERE; i++)
		json_object_set_new(where, time_where_name(i), json_real(r->where[i]));
	j = json_pack("{s:s,s:s,s:I,s:f,s:f,s:f,s:o,s:o}", "strategy",
		      gpc_strategies[row->strategy], "layout", gpc_layouts[row->layout], "vcpus",
		      (json_int_t)row->vcpus, "deliveries_per_sec", r->per_second, "mean_ns",
		      r->mean_ns, "p99_ns", r->p99_ns, "hottest", lines, "where", where);
	if (row->cell) {
		json_object_set_new(j, "published", json_real(row->cell->mps * 1e6));
		json_object_set_new(j, "kind", json_string(kind_of(row)));
		json_object_set_new(j, "error", json_real(row->error));
	}
	return j;
}

int gpc_print_json(const struct gpc_comparison *c)
{
	json_t *rows = json_array();
	unsigned int i;

	for (i = 0; i < c->nr_rows; i++)
		json_array_append_new(rows, row_json(&c->rows[i]));
	return json_output(c->o->json, rows);
}

/* ---- figure ---- */

static bool same_curve(const struct gpc_row *a, const struct gpc_row *b)
{
	return a->layout == b->layout && a->strategy == b->strategy;
}

/* Each curve's points, and the published ones. The number of curves. */
static unsigned int plot_data(const struct gpc_comparison *c, FILE *out, unsigned int *first)
{
	unsigned int i, nr = 0;

	for (i = 0; i < c->nr_rows; i++) {
		const struct gpc_row *row = &c->rows[i];

		if (!i || !same_curve(row, row - 1)) {
			fprintf(out, "%s$d%u << EOD\n", i ? "EOD\n" : "", nr);
			first[nr++] = i;
		}
		fprintf(out, "%u %.4f %.4f\n", row->vcpus, row->r.per_second / 1e6,
			row->cell ? row->cell->mps : NAN);
	}
	fputs("EOD\n", out);
	return nr;
}

static bool has_published(const struct gpc_comparison *c, unsigned int i)
{
	const struct gpc_row *row = &c->rows[i];

	for (; i < c->nr_rows && same_curve(row, &c->rows[i]); i++)
		if (c->rows[i].cell)
			return true;
	return false;
}

static void plot_script(FILE *out, const void *arg)
{
	const struct gpc_comparison *c = arg;
	unsigned int first[GPC_NR_LAYOUTS * GPC_NR_STRATEGIES], i, nr = plot_data(c, out, first);

	fputs("set terminal svg size 800,500\nset logscale xy 2\n"
	      "set xlabel 'vCPUs'\nset ylabel 'millions of deliveries a second'\n"
	      "set key top left\nset grid\nplot ",
	      out);
	for (i = 0; i < nr; i++) {
		const struct gpc_row *row = &c->rows[first[i]];
		const char *layout = gpc_layouts[row->layout];
		const char *strategy = gpc_strategies[row->strategy];

		fprintf(out, "%s$d%u using 1:2 with lines lw 2 lc %u title '%s %s, modelled'",
			i ? ", " : "", i, i + 1, strategy, layout);
		if (has_published(c, first[i]))
			fprintf(out,
				", $d%u using 1:3 with points pt 7 lc %u title '%s %s, published'",
				i, i + 1, strategy, layout);
	}
	fputc('\n', out);
}

int gpc_plot(const struct gpc_comparison *c)
{
	return plot_output(c->o->plot, plot_script, c);
}

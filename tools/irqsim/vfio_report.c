// SPDX-License-Identifier: GPL-2.0-only
/*
 * What irqsim compare vfio prints: each device with what was published, the times of the same calls
 * alone, and what a guest's irqbalance costs.
 */
#include <math.h>
#include <stdio.h>

#include "builtins.h"
#include "compare_vfio.h"

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
	return p && p->fitted ? "fitted" : "predicted";
}

double vfio_published_total(const struct vfio_result *r, const struct vfio_row *row)
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

const struct vfio_row *vfio_row_of(const struct vfio_result *r, enum vfio_rows strategy)
{
	unsigned int i;

	for (i = 0; i < r->nr_rows; i++)
		if (r->rows[i].strategy == strategy)
			return &r->rows[i];
	return NULL;
}

/* ---- devices ---- */

static void print_head(const struct vfio_result *r)
{
	printf("%-14s %5s %6s %7s %6s %7s %7s %7s %8s %9s %15s", "strategy", "VF", "irqfds",
	       "commits", "ioctls", "irqfd", "IRTE", "allocs", "model", "published",
	       "model is off");
	printf(r->o->wall ? " %9s\n" : "\n", "wall us");
	printf("%-14s %5s %6s %7s %6s %7s %7s %7s %8s %9s %15s", "", "", "", "", "", "updates",
	       "writes", "", "ms", "ms", "by");
	printf(r->o->wall ? " %9s (min to max)\n" : "\n", "median");
}

static void print_counts(const struct vfio_cell *c)
{
	printf(" %7lu %6lu %7lu %7lu %7lu %8.2f", c->commits, c->ioctls,
	       (unsigned long)c->ops[SIM_OP_IRQFD_UPDATE], (unsigned long)c->ops[SIM_OP_IRTE],
	       c->allocs, c->model_ms);
}

/* No "-0". */
static double whole(double x)
{
	return round(x) + 0.0;
}

static void print_published(double model_ms, double ms, bool fitted)
{
	if (!(ms > 0))
		printf(" %9s %15s", "-", "");
	else if (fitted)
		printf(" %9.0f %15s", ms, "fitted to");
	else
		printf(" %9.0f %+6.1f (%+4.0f%%)", ms, whole(10 * (model_ms - ms)) / 10,
		       whole(100 * (model_ms / ms - 1)));
}

static void print_us(const struct vfio_result *r, const struct vfio_wall *w)
{
	if (r->o->wall)
		printf(" %9.0f (%.0f to %.0f)", w->median, w->min, w->max);
	putchar('\n');
}

static void print_row(const struct vfio_result *r, const struct vfio_row *row)
{
	const char *name = vfio_row_names[row->strategy];
	unsigned int n;

	for (n = 0; n < r->o->vfs; n++) {
		const struct published *p = vfio_published(r, row, n + 1);
		const struct vfio_cell *c = &row->cells[n];

		printf("%-14s %5u %6u", name, n + 1, c->irqfds);
		print_counts(c);
		print_published(c->model_ms, p ? p->us / 1e3 : 0, p && p->fitted);
		print_us(r, &c->wall_us);
	}
	printf("%-14s %5s %6s", name, "all", "");
	print_counts(&row->total);
	print_published(row->total.model_ms, vfio_published_total(r, row), false);
	print_us(r, &row->total.wall_us);
}

static void print_devices(const struct vfio_result *r)
{
	const struct vfio_options *o = r->o;
	unsigned int i;

	printf("Enabling the MSI-X of %u device%s, one after another: %u vectors each, %u vCPUs, "
	       "routing %s\n\n",
	       o->vfs, o->vfs > 1 ? "s" : "", o->vectors, o->vcpus, o->routing);
	print_head(r);
	for (i = 0; i < r->nr_rows; i++) {
		if (i)
			putchar('\n');
		print_row(r, &r->rows[i]);
	}
}

/* ---- the same calls alone ---- */

static void print_ms(const struct vfio_wall *w)
{
	char text[64] = "-";

	if (w->median > 0)
		snprintf(text, sizeof(text), "%.2f (%.2f to %.2f)", w->median, w->min, w->max);
	printf(" %28s", text);
}

static void print_plain(const struct vfio_result *r)
{
	const struct vfio_row *each = vfio_row_of(r, ROW_PER_VECTOR);
	const struct vfio_row *one = vfio_row_of(r, ROW_DEFERRED);
	unsigned int i;

	if (!r->o->wall || (!each && !one))
		return;
	printf("\nThe same calls with no device behind the irqfds, all %u; ms, median (min to max) "
	       "of %u runs; nothing is fitted\n\n%-14s %28s %28s\n",
	       r->o->vfs, r->o->wall_runs, "strategy", "simulated kernel", "/dev/kvm");
	for (i = 0; i < r->nr_rows; i++) {
		const struct vfio_row *row = &r->rows[i];

		if (!(row->plain_ms.median > 0))
			continue;
		printf("%-14s", vfio_row_names[row->strategy]);
		print_ms(&row->plain_ms);
		print_ms(&row->real_ms);
		putchar('\n');
	}
	if (each && one) {
		printf("%-14s %28.1f", "ratio, fastest", each->plain_ms.min / one->plain_ms.min);
		if (one->real_ms.median > 0)
			printf(" %28.1f", each->real_ms.min / one->real_ms.min);
		putchar('\n');
	}
	if (r->no_real[0])
		printf("/dev/kvm: %s. ", r->no_real);
	else
		printf("/dev/kvm: Linux %s. ", r->kernel);
	puts("Simulated: each new irqfd is looked for among all, as up to Linux 6.16.");
}

/* ---- irqbalance ---- */

static void print_balance(const struct vfio_result *r)
{
	unsigned int i;

	if (!r->o->irqbalance)
		return;
	printf("\nirqbalance, %u changes of affinity a second with all devices enabled: what one "
	       "costs KVM\n\n%-14s %7s %6s %7s %7s %7s %8s %13s",
	       r->o->irqbalance, "strategy", "commits", "ioctls", "irqfd", "IRTE", "allocs",
	       "model us", "model ms");
	printf(r->o->wall ? " %8s\n" : "\n", "wall us");
	printf("%-14s %7s %6s %7s %7s %7s %8s %13s\n", "", "", "", "updates", "writes", "", "",
	       "in a second");
	for (i = 0; i < r->nr_rows; i++) {
		const struct vfio_row *row = &r->rows[i];
		const struct vfio_cell *c = &row->balance;
		double n = row->moves;

		printf("%-14s %7.0f %6.0f %7.0f %7.0f %7.0f %8.1f %13.1f",
		       vfio_row_names[row->strategy], c->commits / n, c->ioctls / n,
		       c->ops[SIM_OP_IRQFD_UPDATE] / n, c->ops[SIM_OP_IRTE] / n, c->allocs / n,
		       c->model_ms * 1e3 / n, c->model_ms / n * r->o->irqbalance);
		if (r->o->wall)
			printf(" %8.1f", c->wall_us.median / n);
		putchar('\n');
	}
}

/* ---- what it was modelled with ---- */

static void print_sources(const struct vfio_result *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_rows; i++) {
		const struct published *p = vfio_published(r, &r->rows[i], 1);

		if (p && p->source)
			printf("published %s: %s\n", vfio_row_names[r->rows[i].strategy],
			       p->source);
	}
}

static void print_costs(const struct vfio_result *r)
{
	const struct profile *p = r->profile;
	enum cost_kind kind;
	int op, shown;

	puts("\nirqfd updates: irqfds that commits give their route anew. IRTE writes: interrupt "
	     "remapping entries written.");
	print_sources(r);
	printf("model ms: counts times the costs of profile %s (%s), in ns:\n", p->name,
	       p->description);
	for (kind = COST_FITTED; kind <= COST_ASSUMED; kind++) {
		printf("  %-8s", cost_kind_name(kind));
		for (op = shown = 0; op < SIM_NR_OPS; op++)
			if (p->costs[op].kind == kind && p->costs[op].ns > 0)
				printf("%s %s %.5g", shown++ ? "," : "", sim_op_name(op),
				       p->costs[op].ns);
		puts(shown ? "" : " none");
	}
	if (!(p->costs[SIM_OP_KMALLOC].ns > 0))
		puts("An allocation costs nothing by itself in this profile: --routing changes "
		     "counts and wall times only.");
}

void vfio_print(const struct vfio_result *r)
{
	unsigned int i;

	print_devices(r);
	print_plain(r);
	print_balance(r);
	print_costs(r);
	for (i = 0; i < r->nr_rows; i++)
		if (r->rows[i].problem[0])
			printf("%s: %s\n", vfio_row_names[r->rows[i].strategy], r->rows[i].problem);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The made workload: shape, spread of GSIs, how much each update changes, seeds, limits.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "synth.h"
#include "trace.h"

static void make(struct synth s, struct trace *t)
{
	char err[256];

	cr_assert_eq(synth_trace(&s, t, err, sizeof(err)), 0, "%s", err);
}

static uint32_t changed(const struct trace_table *a, const struct trace_table *b)
{
	uint32_t i, n = 0;

	cr_assert_eq(a->nr, b->nr);
	for (i = 0; i < a->nr; i++) {
		const struct kvm_irq_routing_entry *x = &a->entries[i], *y = &b->entries[i];

		cr_expect_eq(x->gsi, y->gsi);
		if (!memcmp(x, y, sizeof(*x)))
			continue;
		n++;
		/* Another CPU and another vector. */
		cr_expect_neq(x->u.msi.address_lo, y->u.msi.address_lo);
		cr_expect_neq(x->u.msi.data, y->u.msi.data);
	}
	return n;
}

static void check_entries(const struct trace_table *table)
{
	uint32_t i;

	cr_expect_eq(table->arg->nr, table->nr);
	cr_expect_eq(table->arg->flags, 0);
	for (i = 0; i < table->nr; i++) {
		const struct kvm_irq_routing_entry *e = &table->arg->entries[i];

		cr_expect_eq(e->type, KVM_IRQ_ROUTING_MSI);
		cr_expect_eq(e->flags, 0);
		cr_expect_eq(e->u.msi.address_lo & ~0xff000u, 0xfee00000u);
		cr_expect_eq(e->u.msi.address_hi, 0);
		cr_expect(e->u.msi.data >= 0x20 && e->u.msi.data < 0xec, "%x", e->u.msi.data);
		cr_expect(!i || e->gsi > e[-1].gsi, "GSIs grow");
	}
}

Test(trace_synth, shape)
{
	struct trace t;
	size_t i;

	make((struct synth){ .routes = 2000,
			     .updates = 50,
			     .gsi_max = SYNTH_GSI_MAX_NONE,
			     .change = 1,
			     .seed = 1 },
	     &t);
	cr_assert_eq(t.nr_recs, 52);
	cr_expect_eq(t.nr_commits, 50);
	cr_expect_eq(t.nr_unchanged, 0);
	cr_expect_eq(t.routes_max, 2000);
	cr_expect_eq(t.gsi_max, 1999);
	cr_expect_eq(t.nr_vms, 1);
	cr_expect_eq(t.recs[0].kind, TRACE_CREATE_VM);
	cr_expect_eq(t.recs[0].vm, -1);
	cr_expect_eq(t.recs[1].kind, TRACE_ENABLE_CAP);
	cr_expect_eq(t.recs[1].u.cap.cap, 121);
	cr_expect_eq(t.recs[1].u.cap.args[0], 24);
	for (i = 2; i < t.nr_recs; i++) {
		cr_expect_eq(t.recs[i].kind, TRACE_SET_GSI_ROUTING);
		cr_expect_eq(t.recs[i].vm, 0);
		cr_expect_eq(t.recs[i].line, i + 1);
		check_entries(t.recs[i].u.table);
		if (i > 2)
			cr_expect_eq(changed(t.recs[i - 1].u.table, t.recs[i].u.table), 1);
	}
	trace_free(&t);
}

Test(trace_synth, change)
{
	static const uint32_t changes[] = { 0, 1, 7, 63, 64, SYNTH_CHANGE_ALL };
	struct trace t;
	size_t i, k;

	for (k = 0; k < sizeof(changes) / sizeof(changes[0]); k++) {
		uint32_t expected = changes[k] == SYNTH_CHANGE_ALL ? 64 : changes[k];

		make((struct synth){ .routes = 64,
				     .updates = 20,
				     .gsi_max = SYNTH_GSI_MAX_NONE,
				     .change = changes[k],
				     .seed = 3 },
		     &t);
		for (i = 3; i < t.nr_recs; i++)
			cr_expect_eq(changed(t.recs[i - 1].u.table, t.recs[i].u.table), expected);
		cr_expect_eq(t.nr_unchanged, expected ? 0 : 19);
		trace_free(&t);
	}
}

/* Every route is moved sooner or later. */
Test(trace_synth, changes_go_round)
{
	bool moved[32] = { false };
	struct trace t;
	size_t i;
	int n = 0, k;

	make((struct synth){ .routes = 32,
			     .updates = 400,
			     .gsi_max = SYNTH_GSI_MAX_NONE,
			     .change = 1,
			     .seed = 9 },
	     &t);
	for (i = 3; i < t.nr_recs; i++)
		for (k = 0; k < 32; k++)
			if (memcmp(&t.recs[i - 1].u.table->entries[k],
				   &t.recs[i].u.table->entries[k],
				   sizeof(struct kvm_irq_routing_entry)))
				moved[k] = true;
	for (k = 0; k < 32; k++)
		n += moved[k];
	cr_expect_eq(n, 32, "%d", n);
	trace_free(&t);
}

Test(trace_synth, gsi_max)
{
	const struct trace_table *table;
	struct trace t;
	uint32_t i;

	make((struct synth){ .routes = 64, .updates = 1, .gsi_max = 4095, .change = 1 }, &t);
	table = t.recs[2].u.table;
	check_entries(table);
	cr_expect_eq(table->entries[0].gsi, 0);
	cr_expect_eq(table->entries[63].gsi, 4095);
	for (i = 0; i < 64; i++)
		cr_expect_eq(table->entries[i].gsi, i * 65);
	cr_expect_eq(t.gsi_max, 4095);
	trace_free(&t);

	make((struct synth){ .routes = 1, .updates = 1, .gsi_max = 17, .change = 1 }, &t);
	cr_expect_eq(t.recs[2].u.table->entries[0].gsi, 17);
	trace_free(&t);

	make((struct synth){ .routes = 4096, .updates = 2, .gsi_max = 4095, .change = 4096 }, &t);
	check_entries(t.recs[3].u.table);
	trace_free(&t);
}

static bool same(const struct synth *a, const struct synth *b)
{
	struct trace x, y;
	bool equal;

	make(*a, &x);
	make(*b, &y);
	equal = !memcmp(x.recs[9].u.table->entries, y.recs[9].u.table->entries,
			a->routes * sizeof(struct kvm_irq_routing_entry));
	trace_free(&x);
	trace_free(&y);
	return equal;
}

Test(trace_synth, seed)
{
	struct synth a = { .routes = 100, .updates = 10, .gsi_max = 200, .change = 5, .seed = 1 };
	struct synth b = a;

	cr_expect(same(&a, &b));
	b.seed = 2;
	cr_expect_not(same(&a, &b));
}

static void refused(struct synth s, const char *what)
{
	struct trace t;
	char err[256];

	cr_assert_eq(synth_trace(&s, &t, err, sizeof(err)), -1);
	cr_expect(strstr(err, what), "wanted '%s': %s", what, err);
}

Test(trace_synth, limits)
{
	const uint32_t none = SYNTH_GSI_MAX_NONE;

	refused((struct synth){ 0, 1, none, 0, 0 }, "routes from 1 to 4096, found 0");
	refused((struct synth){ 4097, 1, none, 1, 0 }, "routes from 1 to 4096, found 4097");
	refused((struct synth){ 10, 0, none, 1, 0 }, "updates from 1 to");
	refused((struct synth){ 4096, UINT32_MAX, none, 1, 0 }, "updates from 1 to 5461");
	refused((struct synth){ 10, 1, 8, 1, 0 }, "gsi-max from 9 to 4095 for 10 routes, found 8");
	refused((struct synth){ 10, 1, 4096, 1, 0 }, "gsi-max from 9 to 4095");
	refused((struct synth){ 10, 1, none, 11, 0 }, "at most 10 changed routes, found 11");
}

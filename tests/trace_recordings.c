// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bundled recordings: what is known of them from their makers' summary, and every table read
 * once more the plain way.
 */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace.h"
#include "trace_made.h"

/* Columns of the table in model/workload/traces/README.md, and the table sizes. */
struct facts {
	const char *path;
	size_t events, commits, unchanged, irqfds, msis, lines, ioeventfds;
	uint32_t nr_min, nr_max;
};

static const struct facts facts[] = {
	{ RECORDING("qemu-pc-on-c4-vu8x32-irqbalance"), 7633, 2126, 932, 3226, 8, 22, 2062, 38,
	  550 },
	{ RECORDING("qemu-q35-split-c4-irqbalance"), 1665, 594, 285, 708, 0, 2, 170, 24, 58 },
	{ RECORDING("qemu-pc-on-c2-d8"), 1598, 97, 50, 120, 116, 52, 1042, 38, 50 },
	{ RECORDING("kvmtool-c1-blk-net-rng"), 204, 37, 0, 0, 14, 8, 40, 38, 52 },
	{ RECORDING("setup-q35-split-c8-d24"), 230, 1, 0, 0, 0, 2, 14, 24, 24 },
	{ RECORDING("bios-pc-on"), 634, 1, 0, 0, 0, 468, 14, 38, 38 },
};

static void count_kinds(const struct trace *t, size_t kinds[TRACE_NR_KINDS], uint32_t *nr_min)
{
	size_t i;

	*nr_min = UINT32_MAX;
	for (i = 0; i < t->nr_recs; i++) {
		kinds[t->recs[i].kind]++;
		if (t->recs[i].kind == TRACE_SET_GSI_ROUTING && t->recs[i].u.table->nr < *nr_min)
			*nr_min = t->recs[i].u.table->nr;
	}
}

Test(trace_recordings, facts)
{
	struct trace t;
	char err[512];
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct facts *f = &facts[i];
		size_t kinds[TRACE_NR_KINDS] = { 0 };
		uint32_t nr_min;

		cr_assert_eq(trace_read(f->path, &t, err, sizeof(err)), 0, "%s", err);
		count_kinds(&t, kinds, &nr_min);
		cr_expect_eq(t.nr_recs, f->events, "%s: %zu records", f->path, t.nr_recs);
		cr_expect_eq(t.nr_commits, f->commits, "%s: %zu commits", f->path, t.nr_commits);
		cr_expect_eq(t.nr_unchanged, f->unchanged, "%s: %zu unchanged", f->path,
			     t.nr_unchanged);
		cr_expect_eq(nr_min, f->nr_min, "%s: nr_min %u", f->path, nr_min);
		cr_expect_eq(t.routes_max, f->nr_max, "%s: nr_max %u", f->path, t.routes_max);
		cr_expect_eq(kinds[TRACE_IRQFD], f->irqfds, "%s", f->path);
		cr_expect_eq(kinds[TRACE_SIGNAL_MSI], f->msis, "%s", f->path);
		cr_expect_eq(kinds[TRACE_IRQ_LINE], f->lines, "%s", f->path);
		cr_expect_eq(kinds[TRACE_IOEVENTFD], f->ioeventfds, "%s", f->path);
		cr_expect_eq(kinds[TRACE_UNKNOWN], 0, "%s has unknown names", f->path);
		cr_expect_eq(t.nr_vms, 1, "%s", f->path);
		trace_free(&t);
	}
}

Test(trace_recordings, names_add_up)
{
	struct trace t;
	char err[512];
	size_t i, sum = 0;

	cr_assert_eq(trace_read(RECORDING("qemu-pc-on-c2-d8"), &t, err, sizeof(err)), 0, "%s", err);
	for (i = 0; i < t.nr_names; i++)
		sum += t.names[i].count;
	cr_expect_eq(sum, t.nr_recs);
	trace_free(&t);
}

static void same_table(const struct trace_rec *rec, json_t *line)
{
	json_t *entries = json_object_get(line, "entries"), *entry, *word;
	const struct trace_table *table = rec->u.table;
	size_t i, j;

	cr_assert_eq(json_array_size(entries), table->nr, "line %u", rec->line);
	cr_assert_eq(table->arg->nr, table->nr);
	json_array_foreach(entries, i, entry)
	{
		const struct kvm_irq_routing_entry *e = &table->arg->entries[i];
		uint32_t words[11] = { e->gsi, e->type, e->flags };

		memcpy(words + 3, &e->u, sizeof(e->u));
		json_array_foreach(entry, j, word) if (words[j] != json_integer_value(word))
			cr_assert_fail("line %u, entry %zu, word %zu", rec->line, i, j);
		for (; j < 11; j++)
			cr_assert_eq(words[j], 0);
	}
}

/* The reader parses only what changed in a table; this parses all. */
Test(trace_recordings, tables_by_plain_parsing)
{
	const char *path = RECORDING("qemu-q35-split-c4-irqbalance");
	static char line[1 << 20];
	gzFile gz = gzopen(path, "rb");
	unsigned int compared = 0;
	struct trace t;
	char err[512];
	size_t i;

	cr_assert(gz);
	cr_assert_eq(trace_read(path, &t, err, sizeof(err)), 0, "%s", err);
	for (i = 0; i < t.nr_recs; i++) {
		json_t *root;

		cr_assert(gzgets(gz, line, sizeof(line)));
		if (t.recs[i].kind != TRACE_SET_GSI_ROUTING)
			continue;
		root = json_loads(line, 0, NULL);
		same_table(&t.recs[i], root);
		json_decref(root);
		compared++;
	}
	cr_expect_eq(compared, 594);
	gzclose(gz);
	trace_free(&t);
}

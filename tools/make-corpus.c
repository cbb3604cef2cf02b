// SPDX-License-Identifier: GPL-2.0-only
/*
 * make-corpus DIR TRACE... - write the seeds of fuzz_routing to DIR: the edge cases of
 * fuzz/edge_cases.c, and of each recorded trace the set-up, four windows of commits and the one
 * with the largest table. Same input, same files.
 *
 *	make-corpus fuzz/corpus/routing model/workload/traces/[a-z]*.jsonl.gz
 *	make-corpus --bench fuzz/corpus/bench-16	those of fuzz/bench_cases.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz/edge_cases.h"
#include "../model/workload/trace.h"

#define WINDOW_COMMITS 12 /* a seed is to be short: libFuzzer likes seeds that run fast */
#define WINDOW_CALLS   24
#define WINDOW_BYTES   1024 /* commits of large tables end a window earlier */
#define WINDOW_ROUTES  128  /* larger tables are in one seed of a trace */

static struct encode en;

static int write_seed(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;
	int bad;

	if (en.full) {
		fprintf(stderr, "make-corpus: %s: larger than %u bytes\n", name, ENCODE_MAX);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f) {
		fprintf(stderr, "make-corpus: cannot write %s\n", path);
		return 2;
	}
	bad = fwrite(en.bytes, 1, en.size, f) != en.size;
	bad |= fclose(f);
	if (bad)
		fprintf(stderr, "make-corpus: cannot write %s\n", path);
	return bad ? 2 : 0;
}

/* ---- a record as an instruction ---- */

static void put_msi(const struct kvm_msi *m)
{
	encode_op(&en, OP_MSI, 4);
	encode_u32(&en, m->address_lo);
	encode_u32(&en, m->address_hi);
	encode_u32(&en, m->data);
	encode_u32(&en, m->flags);
}

static void put_line(const struct trace_rec *r)
{
	if (r->u.irq_line.line.irq > 4094)
		return;
	encode_op(&en, OP_LINE,
		  (r->u.irq_line.line.level ? 4 : 0) | (r->u.irq_line.with_status ? 8 : 0));
	encode_num(&en, r->u.irq_line.line.irq);
}

static void put_table(const struct trace_table *t)
{
	encode_table(&en, t->entries, t->nr);
	encode_op(&en, OP_COMMIT, 0);
}

/* True: it is a call of the program. */
static bool put_record(const struct trace_rec *r)
{
	switch (r->kind) {
	case TRACE_SIGNAL_MSI:
		put_msi(&r->u.msi);
		return true;
	case TRACE_IRQ_LINE:
		put_line(r);
		return true;
	case TRACE_SET_GSI_ROUTING:
		put_table(r->u.table);
		return true;
	default:
		return false;
	}
}

/* The VM as the trace has it: irqchip, capabilities, its first vCPU. */
static void put_setup(const struct trace *t)
{
	bool vcpu = false;
	size_t i;

	encode_op(&en, OP_VM, 0);
	for (i = 0; i < t->nr_recs; i++) {
		const struct trace_rec *r = &t->recs[i];

		if (r->kind == TRACE_CREATE_IRQCHIP) {
			encode_op(&en, OP_CHIP, 0);
		} else if (r->kind == TRACE_ENABLE_CAP && r->u.cap.cap == KVM_CAP_SPLIT_IRQCHIP) {
			encode_op(&en, OP_CHIP, 8);
			encode_num(&en, r->u.cap.args[0] & 0xfff);
		} else if (r->kind == TRACE_ENABLE_CAP && r->u.cap.cap == KVM_CAP_X2APIC_API) {
			encode_op(&en, OP_CHIP, 12);
			encode_u8(&en, r->u.cap.args[0]);
		} else if (r->kind == TRACE_CREATE_VCPU && !vcpu) {
			vcpu = true;
			encode_op(&en, OP_VCPU, 0);
			encode_num(&en, r->u.vcpu_id & 0xfff);
		}
	}
}

/* ---- windows ---- */

static int window(const char *dir, const struct trace *t, const char *base, const char *what,
		  size_t first)
{
	unsigned int commits = 0, calls = 0;
	char name[512];
	size_t i, start;

	encode_start(&en);
	put_setup(t);
	start = en.size;
	for (i = first; i < t->nr_recs && commits < WINDOW_COMMITS && calls < WINDOW_CALLS; i++) {
		if (commits && en.size - start > WINDOW_BYTES)
			break;
		calls += put_record(&t->recs[i]);
		commits += t->recs[i].kind == TRACE_SET_GSI_ROUTING;
	}
	snprintf(name, sizeof(name), "%s-%s", base, what);

	return write_seed(dir, name);
}

static bool is_commit(const struct trace_rec *r)
{
	return r->kind == TRACE_SET_GSI_ROUTING && !r->ret;
}

/* The record of the @n-th commit, counted from 0. */
static size_t nth_commit(const struct trace *t, size_t n)
{
	size_t i;

	for (i = 0; i < t->nr_recs; i++)
		if (is_commit(&t->recs[i]) && !n--)
			break;
	return i;
}

static size_t largest(const struct trace *t)
{
	size_t i, at = 0;
	uint32_t nr = 0;

	for (i = 0; i < t->nr_recs; i++) {
		if (!is_commit(&t->recs[i]) || t->recs[i].u.table->nr <= nr)
			continue;
		nr = t->recs[i].u.table->nr;
		at = i;
	}
	return at;
}

static int seeds_of(const char *dir, const struct trace *t)
{
	const char *base = strrchr(t->path, '/');
	char name[256], what[32];
	size_t n;
	int ret = 0, part;

	snprintf(name, sizeof(name), "%s", base ? base + 1 : t->path);
	name[strcspn(name, ".")] = '\0';
	for (part = 0; part < 4 && !ret; part++) {
		n = t->nr_commits * part / 4;
		if (part && n == t->nr_commits * (part - 1) / 4)
			continue;
		if (part && t->recs[nth_commit(t, n)].u.table->nr > WINDOW_ROUTES)
			continue;
		snprintf(what, sizeof(what), "commit-%zu", n);
		ret = window(dir, t, name, what, nth_commit(t, n));
	}
	return ret ? ret : window(dir, t, name, "largest", largest(t));
}

static int seeds_of_file(const char *dir, const char *path)
{
	struct trace t;
	char err[512];
	int ret;

	if (trace_read(path, &t, err, sizeof(err))) {
		fprintf(stderr, "make-corpus: %s\n", err);
		return 2;
	}
	ret = seeds_of(dir, &t);
	trace_free(&t);

	return ret;
}

static int seeds_by_hand(const char *dir, const struct edge_case *cases, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		encode_start(&en);
		cases[i].make(&en, cases[i].n);
		ret = write_seed(dir, cases[i].name);
	}
	return ret;
}

int main(int argc, char **argv)
{
	int ret, i;

	if (argc == 3 && !strcmp(argv[1], "--bench"))
		return seeds_by_hand(argv[2], bench_cases, nr_bench_cases);
	if (argc < 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: make-corpus DIR TRACE... | --bench DIR\n");
		return 2;
	}
	ret = seeds_by_hand(argv[1], edge_cases, nr_edge_cases);
	for (i = 2; i < argc && !ret; i++)
		ret = seeds_of_file(argv[1], argv[i]);

	return ret;
}

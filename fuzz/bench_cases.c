// SPDX-License-Identifier: GPL-2.0-only
/*
 * Seeds to measure speed with (fuzz/bench): each a VM, a split irqchip and one to four commits of
 * at most 16 routes in all, as a VMM makes them for a device or two.
 */
#include "edge_cases.h"

enum { SPLIT24 = 4, X2APIC = 12 }; /* arguments of OP_CHIP for VM 0 */
enum { TYPE_MSI = 2, TYPE_SINT = 4, TYPE_XEN };

static void commit(struct encode *en)
{
	encode_op(en, OP_COMMIT, 0);
}

/* A route of two bytes: an MSI's destination and vector, a SINT, an event channel. */
static void add(struct encode *en, unsigned int type, uint32_t gsi, uint8_t first, uint8_t second)
{
	encode_op(en, OP_ADD, type);
	encode_num(en, gsi);
	encode_u8(en, first);
	encode_u8(en, second);
}

static void vm_with_msis(struct encode *en, uint32_t nr)
{
	encode_op(en, OP_VM, 0);
	encode_op(en, OP_CHIP, SPLIT24);
	add(en, TYPE_MSI, 24, 1, 0x31);
	if (nr == 1)
		return;
	encode_op(en, OP_REPEAT, 1);
	encode_num(en, nr - 1);
}

static void once(struct encode *en, uint32_t nr)
{
	vm_with_msis(en, nr);
	commit(en);
}

static void same_twice(struct encode *en, uint32_t nr)
{
	once(en, nr);
	commit(en);
}

/* An affinity change of one route at a time. */
static void affinity(struct encode *en, uint32_t nr)
{
	uint32_t i;

	once(en, nr);
	for (i = 1; (i + 1) * nr <= 16 && i < 4; i++) {
		encode_op(en, OP_MODIFY, MODIFY_DEST);
		encode_num(en, i % nr);
		encode_u8(en, i + 1);
		commit(en);
	}
}

/* One vector more with each commit. */
static void grow(struct encode *en, uint32_t nr)
{
	once(en, nr);
	encode_op(en, OP_COPY, 0);
	encode_num(en, 0);
	encode_op(en, OP_MODIFY, MODIFY_GSI);
	encode_num(en, nr);
	encode_num(en, 24 + nr);
	commit(en);
}

/* The second of two routes has a GSI that is taken. */
static void refused(struct encode *en, uint32_t nr)
{
	once(en, nr);
	encode_op(en, OP_COPY, 0);
	encode_num(en, 0);
	commit(en);
}

static void types(struct encode *en, uint32_t sint)
{
	vm_with_msis(en, 4);
	add(en, TYPE_SINT, 5, 0, sint);
	add(en, TYPE_XEN, 6, 7, 0);
	commit(en);
}

static void signal_and_line(struct encode *en, uint32_t nr)
{
	encode_op(en, OP_VM, 0);
	encode_op(en, OP_CHIP, SPLIT24);
	encode_op(en, OP_VCPU, 0);
	encode_num(en, 0);
	add(en, TYPE_MSI, 4, 1, 0x31);
	encode_op(en, OP_REPEAT, 1);
	encode_num(en, nr - 1);
	commit(en);
	encode_op(en, OP_MSI, 0);
	encode_u8(en, 0);
	encode_u8(en, 0x41);
	encode_op(en, OP_LINE, 4);
	encode_num(en, 4);
}

const struct edge_case bench_cases[] = {
	{ "once-1", once, 1 },
	{ "once-4", once, 4 },
	{ "once-8", once, 8 },
	{ "once-16", once, 16 },
	{ "same-twice-4", same_twice, 4 },
	{ "same-twice-8", same_twice, 8 },
	{ "affinity-2", affinity, 2 },
	{ "affinity-4", affinity, 4 },
	{ "affinity-8", affinity, 8 },
	{ "grow-3", grow, 3 },
	{ "refused-2", refused, 2 },
	{ "types", types, 2 },
	{ "signal-and-line-4", signal_and_line, 4 },
};
const unsigned int nr_bench_cases = sizeof(bench_cases) / sizeof(bench_cases[0]);

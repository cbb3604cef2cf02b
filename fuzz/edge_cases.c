// SPDX-License-Identifier: GPL-2.0-only
/*
 * Seeds made by hand: the borders that a mutation finds late or never.
 */
#include "edge_cases.h"

enum { KERNEL = 0, SPLIT24 = 4, X2APIC = 12 }; /* arguments of OP_CHIP for VM 0 */
enum { TYPE_CHIP = 1, TYPE_MSI, TYPE_ADAPTER, TYPE_SINT, TYPE_XEN };

static void vm(struct encode *en, unsigned int chip)
{
	encode_op(en, OP_VM, 0);
	encode_op(en, OP_CHIP, chip);
}

static void msi_at(struct encode *en, uint32_t gsi, uint8_t vector)
{
	encode_op(en, OP_ADD, TYPE_MSI);
	encode_num(en, gsi);
	encode_u8(en, 1);
	encode_u8(en, vector);
}

static void pin_at(struct encode *en, uint32_t gsi, unsigned int chip, unsigned int pin)
{
	encode_op(en, OP_ADD, TYPE_CHIP);
	encode_num(en, gsi);
	encode_u8(en, chip << 5 | pin);
}

static void commit(struct encode *en)
{
	encode_op(en, OP_COMMIT, 0);
}

/* GSIs 0 to n - 1. */
static void msis(struct encode *en, uint32_t n)
{
	msi_at(en, 0, 0x30);
	encode_op(en, OP_REPEAT, 1);
	encode_num(en, n - 1 < 4095 ? n - 1 : 4095);
	if (n == 4097) {
		encode_op(en, OP_REPEAT, 0);
		encode_num(en, 1);
	}
}

static void routes(struct encode *en, uint32_t n)
{
	vm(en, SPLIT24);
	msis(en, n);
	commit(en);
	commit(en);
	encode_op(en, OP_MODIFY, MODIFY_DATA);
	encode_num(en, (n - 1) % 4096);
	encode_u8(en, 0x99);
	commit(en);
}

/* The last route of n has a GSI that is taken. */
static void refused(struct encode *en, uint32_t n)
{
	routes(en, n);
	encode_op(en, OP_COPY, 0);
	encode_num(en, 0);
	commit(en);
	encode_op(en, OP_RESET, 2);
	encode_num(en, n);
	commit(en);
}

static void highest_gsi(struct encode *en, uint32_t gsi)
{
	vm(en, SPLIT24);
	msi_at(en, 7, 0x41);
	commit(en);
	encode_op(en, OP_ADD, TYPE_MSI | 8);
	encode_u8(en, EXT_GSI);
	encode_u32(en, gsi);
	encode_u8(en, 1);
	encode_u8(en, 0x42);
	commit(en);
	encode_op(en, OP_DELETE, 0);
	encode_num(en, 0);
	commit(en);
}

/* Sizes up and down, as an array kept for the next update sees them. */
static void sizes(struct encode *en, uint32_t n)
{
	routes(en, n);
	encode_op(en, OP_RESET, 2);
	encode_num(en, n / 2);
	commit(en);
	encode_op(en, OP_REPEAT, 1);
	encode_num(en, n / 2);
	commit(en);
	encode_op(en, OP_RESET, 0);
	commit(en);
	msis(en, n);
	commit(en);
}

/* Types that leave words of an entry untouched, after one that does not. */
static void types_in_turn(struct encode *en, uint32_t n)
{
	uint32_t i;

	vm(en, SPLIT24);
	msi_at(en, 3, 0x55);
	commit(en);
	commit(en);
	for (i = 0; i < n; i++) {
		encode_op(en, OP_MODIFY, MODIFY_ALL);
		encode_num(en, 0);
		encode_u8(en, i % 2 ? TYPE_MSI : i % 4 ? TYPE_XEN : TYPE_SINT);
		encode_num(en, 3);
		encode_u8(en, 1);
		encode_u8(en, i);
		commit(en);
	}
}

/* One GSI for a pin of each chip, in several orders; then one too many. */
static void shared_gsi(struct encode *en, uint32_t gsi)
{
	vm(en, KERNEL);
	pin_at(en, gsi, 0, 1);
	pin_at(en, gsi, 1, 2);
	pin_at(en, gsi, 2, 3);
	commit(en);
	encode_op(en, OP_LINE, 4 | 8);
	encode_num(en, gsi);
	encode_op(en, OP_RESET, 3);
	commit(en);
	encode_op(en, OP_LINE, 8);
	encode_num(en, gsi);
	pin_at(en, gsi, 2, 9);
	commit(en);
}

/* The same GSIs and routes, only a pin's last writer is another. */
static void pin_twice(struct encode *en, uint32_t n)
{
	vm(en, KERNEL);
	pin_at(en, 1, 2, 5);
	pin_at(en, n, 2, 5);
	commit(en);
	encode_op(en, OP_RESET, 3);
	commit(en);
	commit(en);
}

static void pc(struct encode *en, uint32_t line)
{
	vm(en, KERNEL);
	encode_op(en, OP_VCPU, 0);
	encode_num(en, 0);
	encode_op(en, OP_RESET, 1);
	commit(en);
	encode_op(en, OP_LINE, 4 | 8);
	encode_num(en, line);
	encode_op(en, OP_LINE, 0);
	encode_num(en, line);
	encode_op(en, OP_MSI, 0);
	encode_u8(en, 0);
	encode_u8(en, 0x31);
}

static void each_pointer(struct encode *en, uint32_t pointer)
{
	vm(en, SPLIT24);
	msis(en, 3);
	commit(en);
	encode_op(en, OP_COMMIT, 12);
	encode_u8(en, POINTER_BYTE + pointer);
	encode_op(en, OP_MSI, 8);
	encode_u8(en, POINTER_BYTE + pointer);
	encode_u8(en, 1);
	encode_u8(en, 0x31);
	encode_op(en, OP_LINE, 4 | 8);
	encode_num(en, 4095);
	encode_u32(en, 1);
	encode_u8(en, POINTER_BYTE + pointer);
	encode_op(en, OP_CAP, 12);
	encode_u8(en, POINTER_BYTE + pointer);
}

static void no_memory(struct encode *en, uint32_t n)
{
	uint32_t point;

	vm(en, SPLIT24);
	msis(en, n);
	for (point = 0; point < 12; point++) {
		encode_op(en, OP_FAIL, point);
		commit(en);
		encode_op(en, OP_MODIFY, MODIFY_DEST);
		encode_num(en, point);
		encode_u8(en, point + 2);
	}
}

static void no_memory_for_vms(struct encode *en, uint32_t n)
{
	uint32_t point;

	for (point = 0; point < n; point++) {
		encode_op(en, OP_FAIL, point);
		encode_op(en, OP_VM, 0);
		encode_op(en, OP_FAIL, point);
		encode_op(en, OP_CHIP, KERNEL);
		encode_op(en, OP_FAIL, point);
		encode_op(en, OP_VCPU, 0);
		encode_num(en, 0);
		encode_op(en, OP_CLOSE, 4);
		encode_op(en, OP_CLOSE, 0);
	}
}

/* A vCPU keeps its VM; the next VM takes the descriptor. */
static void close_order(struct encode *en, uint32_t n)
{
	routes(en, n);
	encode_op(en, OP_VCPU, 0);
	encode_num(en, 1);
	encode_op(en, OP_VCPU, 0);
	encode_num(en, 1);
	encode_op(en, OP_CLOSE, 0);
	encode_op(en, OP_VM, 1);
	encode_op(en, OP_CLOSE, 4);
	encode_op(en, OP_CHIP, 1);
	encode_op(en, OP_COMMIT, 1);
	encode_op(en, OP_RAW, 12);
	encode_u8(en, 7);
}

/* Destinations above 255, legal or not as the VM's format says. */
static void x2apic(struct encode *en, uint32_t high)
{
	vm(en, SPLIT24);
	msis(en, 2);
	encode_op(en, OP_MODIFY, MODIFY_HIGH);
	encode_num(en, 1);
	encode_u32(en, high);
	commit(en);
	encode_op(en, OP_CHIP, X2APIC);
	encode_u8(en, 1);
	commit(en);
	encode_op(en, OP_CHIP, X2APIC);
	encode_u8(en, 4);
}

/* A pin where there are none, flags, a type of another architecture, garbage in what is unused. */
static void odd_entries(struct encode *en, uint32_t ext)
{
	vm(en, SPLIT24);
	encode_op(en, OP_ADD, TYPE_MSI | 8);
	encode_u8(en, ext);
	encode_num(en, 9);
	encode_u32(en, 1);
	encode_u8(en, 1);
	encode_u8(en, 0x33);
	commit(en);
	encode_op(en, OP_ADD, TYPE_ADAPTER);
	encode_num(en, 10);
	commit(en);
	encode_op(en, OP_MODIFY, MODIFY_TYPE);
	encode_num(en, 1);
	encode_u8(en, TYPE_CHIP);
	commit(en);
	encode_op(en, OP_COMMIT, 8);
	encode_num(en, 1);
	encode_u8(en, 1);
	encode_op(en, OP_COMMIT, 8);
	encode_num(en, 2);
	encode_u8(en, 0x80);
}

static void every_raw(struct encode *en, uint32_t n)
{
	uint32_t i;

	vm(en, KERNEL);
	for (i = 0; i < n; i++) {
		encode_op(en, OP_RAW, i % 5 ? 13 : 0);
		encode_u8(en, i);
		encode_u8(en, 0);
	}
}

const struct edge_case edge_cases[] = {
	{ "routes-1", routes, 1 },
	{ "routes-15", routes, 15 },
	{ "routes-63-chunk-less-one", routes, 63 },
	{ "routes-64-chunk", routes, 64 },
	{ "routes-65-chunk-and-one", routes, 65 },
	{ "routes-128-two-chunks", routes, 128 },
	{ "routes-4095", routes, 4095 },
	{ "routes-4096-all", routes, 4096 },
	{ "routes-4097-too-many", routes, 4097 },
	{ "refused-second", refused, 1 },
	{ "refused-16th", refused, 15 },
	{ "refused-65th", refused, 64 },
	{ "gsi-4095-highest", highest_gsi, 4095 },
	{ "gsi-4096-too-high", highest_gsi, 4096 },
	{ "gsi-minus-1", highest_gsi, 0xffffffff },
	{ "sizes-4", sizes, 4 },
	{ "sizes-130", sizes, 130 },
	{ "types-in-turn", types_in_turn, 9 },
	{ "gsi-shared-by-chips", shared_gsi, 4 },
	{ "pin-of-two-gsis", pin_twice, 6 },
	{ "pc-line-4", pc, 4 },
	{ "pc-line-20", pc, 20 },
	{ "pointer-null", each_pointer, POINTER_NULL },
	{ "pointer-unmapped", each_pointer, POINTER_UNMAPPED },
	{ "pointer-kernel", each_pointer, POINTER_KERNEL },
	{ "pointer-wraps", each_pointer, POINTER_WRAPS },
	{ "pointer-cut", each_pointer, POINTER_CUT },
	{ "pointer-readonly", each_pointer, POINTER_READONLY },
	{ "no-memory-3", no_memory, 3 },
	{ "no-memory-200", no_memory, 200 },
	{ "no-memory-for-vms", no_memory_for_vms, 10 },
	{ "close-order", close_order, 4 },
	{ "x2apic-destination-256", x2apic, 0x100 },
	{ "x2apic-reserved-bits", x2apic, 1 },
	{ "odd-flags", odd_entries, EXT_FLAGS },
	{ "odd-pad", odd_entries, EXT_PAD },
	{ "odd-unused-words", odd_entries, EXT_PAD | EXT_FILL },
	{ "raw-ioctls", every_raw, 28 },
};
const unsigned int nr_edge_cases = sizeof(edge_cases) / sizeof(edge_cases[0]);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The language of fuzz_routing's inputs: what bytes mean, that any bytes mean something, and that
 * what is written is read back.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "../fuzz/edge_cases.h"

static union {
	struct kvm_irq_routing routing;
	char room[sizeof(struct kvm_irq_routing) +
		  PROGRAM_MAX_ROUTES * sizeof(struct kvm_irq_routing_entry)];
} table;

static struct program pr;
static struct call c;
static struct encode en;

static void start(const void *bytes, size_t size)
{
	program_start(&pr, bytes, size, &table.routing, PROGRAM_MAX_SENT);
}

#define START(text) start(text, sizeof(text) - 1)

Test(fuzz_program, empty_input_has_no_call)
{
	START("");
	cr_assert_not(program_next(&pr, &c));
}

Test(fuzz_program, vm_with_split_irqchip_and_one_message)
{
	/* VM 0; 24 pins split; MSI at GSI 5, destination 3, vector 0x41; commit */
	START("\x07\x48\x20\x05\x03\x41\x06");
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(c.cmd, KVM_CREATE_VM);
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(c.cmd, KVM_ENABLE_CAP);
	cr_assert_eq(c.u.cap.cap, KVM_CAP_SPLIT_IRQCHIP);
	cr_assert_eq(c.u.cap.args[0], 24);
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(c.cmd, KVM_SET_GSI_ROUTING);
	cr_assert_eq(table.routing.nr, 1);
	cr_assert_eq(table.routing.entries[0].gsi, 5);
	cr_assert_eq(table.routing.entries[0].type, KVM_IRQ_ROUTING_MSI);
	cr_assert_eq(table.routing.entries[0].u.msi.address_lo, 0xfee03000);
	cr_assert_eq(table.routing.entries[0].u.msi.data, 0x41);
	cr_assert_not(program_next(&pr, &c));
}

Test(fuzz_program, operand_cut_off_reads_as_zero)
{
	START("\x20");
	cr_assert_not(program_next(&pr, &c));
	cr_assert_eq(pr.nr, 1);
	cr_assert_eq(table.routing.entries[0].gsi, 0);
	cr_assert_eq(table.routing.entries[0].u.msi.address_lo, 0xfee00000);
}

Test(fuzz_program, repeat_makes_the_largest_table_that_kvm_takes)
{
	START("\x20\x00\x01\x10\x11\xff\xff\x06");
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(table.routing.nr, 4096);
	cr_assert_eq(table.routing.entries[4095].gsi, 4095);
	cr_assert_eq(table.routing.entries[4095].u.msi.data, 0x10 + 4095);
}

Test(fuzz_program, table_grows_no_further_than_its_room)
{
	START("\x20\x00\x01\x10\x11\xff\xff\x11\xff\xff\x06");
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(table.routing.nr, PROGRAM_MAX_ROUTES);
}

Test(fuzz_program, delete_as_qemu_fills_the_hole_with_the_last)
{
	START("\x20\x01\x00\x00\x20\x02\x00\x00\x20\x03\x00\x00\x02\x00\x06");
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(table.routing.nr, 2);
	cr_assert_eq(table.routing.entries[0].gsi, 3);
	cr_assert_eq(table.routing.entries[1].gsi, 2);
}

Test(fuzz_program, failure_belongs_to_the_next_call_only)
{
	START("\x2e\x06\x06");
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(c.fail_nth, 3);
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(c.fail_nth, 0);
}

Test(fuzz_program, count_beyond_the_table_shows_zeroes_not_an_earlier_program)
{
	START("\x20\x07\x01\x10\x11\x04\x06");
	cr_assert(program_next(&pr, &c));
	START("\x86\x05\x00");
	cr_assert(program_next(&pr, &c));
	cr_assert_eq(table.routing.nr, 5);
	for (int i = 0; i < 5; i++) {
		cr_assert_eq(table.routing.entries[i].gsi, 0);
		cr_assert_eq(table.routing.entries[i].type, 0);
	}
}

Test(fuzz_program, routes_sent_are_limited)
{
	program_start(&pr, (const uint8_t *)"\x20\x00\x01\x10\x11\x07\x06\x06\x06", 9,
		      &table.routing, 16);
	cr_assert(program_next(&pr, &c));
	cr_assert(program_next(&pr, &c));
	cr_assert_not(program_next(&pr, &c));
}

Test(fuzz_program, any_bytes_are_a_program_that_ends)
{
	uint8_t bytes[512];
	uint64_t state = 1;
	char text[256];
	unsigned int i, round, calls;

	for (round = 0; round < 2000; round++) {
		for (i = 0; i < sizeof(bytes); i++) {
			/* Knuth's MMIX constants */
			state = state * 6364136223846793005ULL + 1442695040888963407ULL;
			bytes[i] = state >> 56;
		}
		start(bytes, round % sizeof(bytes));
		for (calls = 0; program_next(&pr, &c); calls++) {
			call_text(&c, &table.routing, text, sizeof(text));
			cr_assert_lt(strlen(text), sizeof(text));
			cr_assert_lt(c.slot, PROGRAM_VMS + PROGRAM_VCPUS);
			cr_assert_leq(pr.nr, PROGRAM_MAX_ROUTES);
		}
		cr_assert_leq(calls, PROGRAM_MAX_CALLS);
		cr_assert_leq(pr.sent, PROGRAM_MAX_SENT);
	}
}

/* ---- what is written is read back ---- */

static void table_reads_back(const struct kvm_irq_routing_entry *e, uint32_t nr)
{
	encode_table(&en, e, nr);
	encode_op(&en, OP_COMMIT, 0);
	cr_assert_not(en.full);
	start(en.bytes, en.size);
	while (program_next(&pr, &c))
		;
	cr_assert_eq(table.routing.nr, nr);
	for (uint32_t i = 0; i < nr; i++)
		cr_assert_eq(memcmp(&table.routing.entries[i], &e[i], sizeof(*e)), 0, "entry %u",
			     i);
}

Test(fuzz_program, encoded_tables_read_back)
{
	static struct kvm_irq_routing_entry e[300];
	uint32_t i;

	for (i = 0; i < 300; i++) {
		e[i].gsi = i < 250 ? i : i * 1000;
		e[i].type = i % 7 == 6 ? 99 : i % 7;
		e[i].flags = i % 11 ? 0 : i;
		e[i].pad = i % 13 ? 0 : i;
		if (e[i].type == KVM_IRQ_ROUTING_MSI) {
			e[i].u.msi.address_lo = 0xfee00000 | i << (i % 2 ? 12 : 2);
			e[i].u.msi.data = i;
		} else if (e[i].type && e[i].type < 6 && e[i].type != 3) {
			e[i].u.pad[0] = i % 40;
			e[i].u.pad[1] = i % 17;
		}
		if (e[i].type == KVM_IRQ_ROUTING_XEN_EVTCHN)
			e[i].u.xen_evtchn.priority = i % 2 ? ~0u : i;
	}
	encode_start(&en);
	table_reads_back(e, 300);
	/* Another one from there: changed, shorter, longer, empty. */
	e[17].u.msi.data ^= 1;
	table_reads_back(e, 300);
	table_reads_back(e, 30);
	table_reads_back(e, 299);
	table_reads_back(e, 0);
}

Test(fuzz_program, edge_cases_are_programs)
{
	unsigned int i, calls;

	for (i = 0; i < nr_edge_cases; i++) {
		encode_start(&en);
		edge_cases[i].make(&en, edge_cases[i].n);
		cr_assert_not(en.full, "%s", edge_cases[i].name);
		start(en.bytes, en.size);
		for (calls = 0; program_next(&pr, &c); calls++)
			;
		cr_assert_geq(calls, 3, "%s: %u calls", edge_cases[i].name, calls);
	}
}

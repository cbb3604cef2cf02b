// SPDX-License-Identifier: GPL-2.0-only
/*
 * What fuzz_routing expects of a table, against answers known from the KVM API documentation.
 */
#include <criterion/criterion.h>

#include "../fuzz/expect_table.h"

static struct expect_table t;

static struct kvm_irq_routing_entry pin(uint32_t gsi, uint32_t chip, uint32_t pin)
{
	return (struct kvm_irq_routing_entry){ .gsi = gsi,
					       .type = KVM_IRQ_ROUTING_IRQCHIP,
					       .u.irqchip = { chip, pin } };
}

static struct kvm_irq_routing_entry msi(uint32_t gsi, uint32_t high)
{
	return (struct kvm_irq_routing_entry){
		.gsi = gsi,
		.type = KVM_IRQ_ROUTING_MSI,
		.u.msi = { .address_lo = 0xfee00000, .address_hi = high, .data = 0x41 },
	};
}

static bool set(const struct kvm_irq_routing_entry *e, uint32_t nr, enum expect_mode mode)
{
	return expect_table_set(&t, e, nr, mode, false);
}

Test(fuzz_expect, gsis_are_in_order_and_the_last_of_one_comes_first)
{
	struct kvm_irq_routing_entry e[] = { msi(70, 0), pin(3, 0, 1), pin(3, 2, 9), msi(1, 0) };

	cr_assert(set(e, 4, MODE_KERNEL));
	cr_assert_eq(t.nr, 4);
	cr_assert_eq(t.highest, 70);
	cr_assert_eq(t.routes[0].gsi, 1);
	cr_assert_eq(t.routes[1].words[0], 2);
	cr_assert_eq(t.routes[2].words[0], 0);
	cr_assert_eq(t.routes[3].gsi, 70);
	cr_assert_eq(t.pins[0 * PORT_NR_PINS + 1], 3);
	cr_assert_eq(t.pins[2 * PORT_NR_PINS + 9], 3);
	cr_assert_eq(t.pins[2 * PORT_NR_PINS + 8], -1);
}

Test(fuzz_expect, pic_slave_has_the_upper_half_of_16_inputs)
{
	struct kvm_irq_routing_entry e[] = { pin(12, 1, 4) };

	cr_assert(set(e, 1, MODE_KERNEL));
	cr_assert_eq(t.routes[0].words[1], 12);
	cr_assert_eq(t.pins[PORT_NR_PINS + 12], 12);
}

Test(fuzz_expect, only_different_chips_share_a_gsi)
{
	struct kvm_irq_routing_entry twice[] = { pin(3, 0, 1), pin(3, 0, 2) };
	struct kvm_irq_routing_entry mixed[] = { pin(3, 0, 1), msi(3, 0) };
	struct kvm_irq_routing_entry three[] = { pin(3, 0, 1), pin(3, 1, 1), pin(3, 2, 1) };

	cr_assert_not(set(twice, 2, MODE_KERNEL));
	cr_assert_not(set(mixed, 2, MODE_KERNEL));
	cr_assert(set(three, 3, MODE_KERNEL));
}

Test(fuzz_expect, a_refused_table_leaves_nothing_behind)
{
	struct kvm_irq_routing_entry twice[] = { msi(3, 0), msi(3, 0) };

	cr_assert_not(set(twice, 2, MODE_SPLIT));
	cr_assert(set(twice, 1, MODE_SPLIT));
	cr_assert_eq(t.nr, 1);
}

Test(fuzz_expect, borders)
{
	struct kvm_irq_routing_entry e;

	e = msi(4095, 0);
	cr_assert(set(&e, 1, MODE_SPLIT));
	e = msi(4096, 0);
	cr_assert_not(set(&e, 1, MODE_SPLIT));
	e = pin(0, 2, 23);
	cr_assert(set(&e, 1, MODE_KERNEL));
	cr_assert_not(set(&e, 1, MODE_SPLIT));
	e = pin(0, 2, 24);
	cr_assert_not(set(&e, 1, MODE_KERNEL));
	e = pin(0, 1, 8);
	cr_assert_not(set(&e, 1, MODE_KERNEL));
	e = pin(0, 3, 0);
	cr_assert_not(set(&e, 1, MODE_KERNEL));
}

Test(fuzz_expect, x2apic_format_reserves_low_bits_of_address_hi)
{
	struct kvm_irq_routing_entry e = msi(5, 1);

	cr_assert(expect_table_set(&t, &e, 1, MODE_SPLIT, false));
	cr_assert_not(expect_table_set(&t, &e, 1, MODE_SPLIT, true));
	e = msi(5, 0x100);
	cr_assert(expect_table_set(&t, &e, 1, MODE_SPLIT, true));
}

Test(fuzz_expect, a_pc_has_40_routes)
{
	expect_table_pc(&t);
	cr_assert_eq(t.nr, 40);
	cr_assert_eq(t.highest, 23);
	cr_assert_eq(t.pins[0 * PORT_NR_PINS + 7], 7);
	cr_assert_eq(t.pins[1 * PORT_NR_PINS + 15], 15);
	cr_assert_eq(t.pins[2 * PORT_NR_PINS + 23], 23);
}

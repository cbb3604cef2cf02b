// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IOAPIC, by the 82093AA's data sheet (Intel, order number 290566), and the way back of EOIs.
 */
#include <string.h>

#include "irq_vm.h"

#define PIN	20
#define RTC_PIN 8
#define VECTOR	0x51
#define STORM	10000 /* EOIs in a row, as api users see it in arch/x86/kvm/ioapic.c */

/* vCPU 0 takes the interrupt, ends it; its pins were scanned before. */
static void take_and_end(struct irq_test *t, int vector)
{
	cr_assert_eq(irq_take(t, 0), vector);
	irq_run(t, 0);
	irq_eoi(t, 0);
}

Test(irq_ioapic, a_level_is_sent_once_until_its_eoi)
{
	struct irq_test t = irq_make(FULL_CHIP, 1, true);

	irq_set_pin(&t, PIN, VECTOR | LEVEL);
	cr_expect_eq(irq_line(&t, PIN, 1), 1);
	cr_expect(irq_has(&t, 0, LAPIC_TMR, VECTOR));
	cr_expect_eq(irq_ioapic(&t).redirtbl[PIN].bits, (VECTOR | LEVEL | REMOTE_IRR));
	cr_expect_eq(irq_line(&t, PIN, 1), -1);

	take_and_end(&t, VECTOR);
	cr_expect(irq_has(&t, 0, LAPIC_IRR, VECTOR), "the pin is still up");
	cr_expect_eq(irq_ioapic(&t).redirtbl[PIN].bits, (VECTOR | LEVEL | REMOTE_IRR));
	irq_line(&t, PIN, 0);
	take_and_end(&t, VECTOR);
	cr_expect_eq(irq_ioapic(&t).redirtbl[PIN].bits, (VECTOR | LEVEL));
	cr_expect_eq(irq_take(&t, 0), -1);
	irq_end(&t);
}

/* The EOI bitmap is of the last scan: without one the IOAPIC hears of nothing. */
Test(irq_ioapic, an_eoi_before_the_scan_is_not_heard)
{
	struct irq_test t = irq_make(FULL_CHIP, 1, true);

	irq_set_pin(&t, PIN, VECTOR | LEVEL);
	irq_line(&t, PIN, 1);
	irq_line(&t, PIN, 0);
	cr_assert_eq(irq_take(&t, 0), VECTOR);
	irq_eoi(&t, 0);
	cr_expect_eq(irq_ioapic(&t).redirtbl[PIN].bits, (VECTOR | LEVEL | REMOTE_IRR));
	irq_end(&t);
}

Test(irq_ioapic, an_edge_needs_no_eoi)
{
	struct irq_test t = irq_make(FULL_CHIP, 1, true);

	irq_set_pin(&t, PIN, VECTOR);
	cr_expect_eq(irq_line(&t, PIN, 1), 1);
	cr_expect_eq(irq_line(&t, PIN, 1), 0, "coalesced: no edge between");
	cr_expect_eq(irq_line(&t, PIN, 0), 1);
	cr_expect_eq(irq_line(&t, PIN, 1), 1);
	cr_expect_not(irq_has(&t, 0, LAPIC_TMR, VECTOR));
	cr_expect_eq(irq_ioapic(&t).redirtbl[PIN].bits, VECTOR);
	irq_end(&t);
}

Test(irq_ioapic, masked_and_unmasked)
{
	struct irq_test t = irq_make(FULL_CHIP, 1, true);

	irq_set_pin(&t, PIN, VECTOR | LEVEL | MASKED);
	cr_expect_eq(irq_line(&t, PIN, 1), -1);
	cr_expect_eq(irq_take(&t, 0), -1);
	irq_set_pin(&t, PIN, VECTOR | LEVEL);
	cr_expect_eq(irq_take(&t, 0), VECTOR, "an image with a pending pin delivers it");
	irq_end(&t);
}

/* Nobody lowers it: after 10,000 EOIs in a row the next interrupt waits for the guest to run. */
Test(irq_ioapic, a_storm_is_slowed_down)
{
	struct irq_test t = irq_make(FULL_CHIP, 1, true);
	unsigned int i;

	irq_set_pin(&t, PIN, VECTOR | LEVEL);
	irq_run(&t, 0);
	irq_line(&t, PIN, 1);
	for (i = 1; i < STORM; i++) {
		cr_assert_eq(irq_take(&t, 0), VECTOR, "%u", i);
		irq_eoi(&t, 0);
	}
	cr_assert_eq(irq_take(&t, 0), VECTOR);
	irq_eoi(&t, 0);
	cr_expect_eq(irq_take(&t, 0), -1);
	irq_run(&t, 0);
	cr_expect_eq(irq_take(&t, 0), VECTOR);
	irq_end(&t);
}

/* The RTC's edges count ticks: one that comes before all took the last is told to be lost. */
Test(irq_ioapic, rtc_edges_are_coalesced_until_all_ended_the_last)
{
	struct irq_test t = irq_make(FULL_CHIP, 2, true);
	unsigned int i;

	irq_set_pin(&t, RTC_PIN, VECTOR | 0xffull << 56); /* to both */
	irq_set_pic(&t, 0, (struct kvm_pic_state){ .imr = 0xff });
	irq_set_pic(&t, 1, (struct kvm_pic_state){ .imr = 0xff });
	cr_expect_eq(irq_line(&t, RTC_PIN, 1), 2);
	for (i = 0; i < 2; i++) {
		irq_line(&t, RTC_PIN, 0);
		cr_expect_eq(irq_line(&t, RTC_PIN, 1), 0, "vCPU %u has not ended it", i);
		cr_assert_eq(irq_take(&t, i), VECTOR);
		irq_run(&t, i);
		irq_eoi(&t, i);
	}
	irq_line(&t, RTC_PIN, 0);
	cr_expect_eq(irq_line(&t, RTC_PIN, 1), 2);
	irq_end(&t);
}

/* With pins in user space, an EOI of one of them is an exit, once it was scanned for. */
Test(irq_ioapic, split_eoi_exits)
{
	struct irq_test t = irq_make(SPLIT_CHIP, 2, true);
	struct {
		uint32_t nr, flags;
		struct kvm_irq_routing_entry entries[2];
	} table = { .nr = 2 };

	table.entries[0] = (struct kvm_irq_routing_entry){ .gsi = 5, .type = KVM_IRQ_ROUTING_MSI };
	table.entries[0].u.msi.address_lo = 0xfee01000;
	table.entries[0].u.msi.data = VECTOR | LEVEL;
	table.entries[1] = (struct kvm_irq_routing_entry){ .gsi = 24, .type = KVM_IRQ_ROUTING_MSI };
	table.entries[1].u.msi.address_lo = 0xfee01000;
	table.entries[1].u.msi.data = (VECTOR + 1) | LEVEL; /* not of the 24 pins */
	cr_assert_eq(irq_vm(&t, KVM_SET_GSI_ROUTING, &table), 0);
	cr_expect_eq(irq_run(&t, 1), -1);

	irq_line(&t, 5, 1);
	cr_assert_eq(irq_take(&t, 1), VECTOR);
	irq_eoi(&t, 1);
	cr_expect_eq(irq_run(&t, 1), VECTOR);
	cr_expect_eq(irq_run(&t, 1), -1, "told once");

	irq_line(&t, 24, 1);
	cr_assert_eq(irq_take(&t, 1), VECTOR + 1);
	irq_eoi(&t, 1);
	cr_expect_eq(irq_run(&t, 1), -1);
	irq_end(&t);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The PIC pair, by the 8259A's data sheet (Intel, order number 231468). */
#include "irq_vm.h"

#define MASTER_BASE 0x20
#define SLAVE_BASE  0x28

/* Both initialised as a BIOS does; all pins open. */
static struct irq_test make(void)
{
	struct irq_test t = irq_make(FULL_CHIP, 1, true);

	irq_set_pic(&t, 0, (struct kvm_pic_state){ .irq_base = MASTER_BASE, .elcr_mask = 0xf8 });
	irq_set_pic(&t, 1, (struct kvm_pic_state){ .irq_base = SLAVE_BASE, .elcr_mask = 0xde });
	return t;
}

/* A non-specific EOI of the master, as its image has it afterwards. */
static void end_of(struct irq_test *t, unsigned int chip, unsigned int pin)
{
	struct kvm_pic_state s = irq_pic(t, chip);

	s.isr &= ~(1 << pin);
	irq_set_pic(t, chip, s);
}

Test(irq_pic, an_edge_is_taken_once)
{
	struct irq_test t = make();

	cr_expect_eq(irq_take(&t, 0), -1);
	cr_expect_eq(irq_line(&t, 4, 1), 1);
	cr_expect_eq(irq_line(&t, 4, 1), 1, "no edge, no change: not coalesced either");
	cr_expect_eq(irq_pic(&t, 0).irr, 1 << 4);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 4);
	cr_expect_eq(irq_pic(&t, 0).irr, 0);
	cr_expect_eq(irq_pic(&t, 0).isr, 1 << 4);
	cr_expect_eq(irq_take(&t, 0), -1, "the line is still up, but that is no edge");
	irq_line(&t, 4, 0);
	cr_expect_eq(irq_line(&t, 4, 1), 1);
	cr_expect_eq(irq_take(&t, 0), -1, "in service: its own priority waits");
	end_of(&t, 0, 4);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 4);
	irq_end(&t);
}

Test(irq_pic, a_level_stays)
{
	struct irq_test t = make();
	struct kvm_pic_state s = irq_pic(&t, 0);

	s.elcr = 1 << 5;
	irq_set_pic(&t, 0, s);
	cr_expect_eq(irq_line(&t, 5, 1), 1);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 5);
	cr_expect_eq(irq_pic(&t, 0).irr, 1 << 5, "the request follows the line");
	end_of(&t, 0, 5);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 5);
	irq_line(&t, 5, 0);
	end_of(&t, 0, 5);
	cr_expect_eq(irq_take(&t, 0), -1);
	irq_end(&t);
}

Test(irq_pic, priorities)
{
	struct irq_test t = make();
	struct kvm_pic_state s;

	irq_line(&t, 6, 1);
	irq_line(&t, 3, 1);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 3, "lower pin, higher priority");
	cr_expect_eq(irq_take(&t, 0), -1);
	irq_line(&t, 1, 1);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 1, "a higher one interrupts");
	end_of(&t, 0, 1);
	end_of(&t, 0, 3);

	/* Rotated: pin 6 is the highest, pin 5 the lowest. */
	s = irq_pic(&t, 0);
	s.priority_add = 6;
	irq_set_pic(&t, 0, s);
	irq_line(&t, 4, 1);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 6);
	irq_end(&t);
}

Test(irq_pic, masked)
{
	struct irq_test t = make();
	struct kvm_pic_state s = irq_pic(&t, 0);

	s.imr = 1 << 3;
	irq_set_pic(&t, 0, s);
	cr_expect_eq(irq_line(&t, 3, 1), -1);
	cr_expect_eq(irq_take(&t, 0), -1);
	s = irq_pic(&t, 0);
	cr_expect_eq(s.irr, 1 << 3, "it is remembered");
	s.imr = 0;
	irq_set_pic(&t, 0, s);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 3);
	irq_end(&t);
}

Test(irq_pic, the_slave_comes_by_the_cascade)
{
	struct irq_test t = make();

	irq_line(&t, 12, 1);
	irq_line(&t, 3, 1);
	cr_expect_eq(irq_take(&t, 0), SLAVE_BASE + 4, "pin 2 of the master is before pin 3");
	cr_expect_eq(irq_pic(&t, 0).isr, 1 << 2);
	cr_expect_eq(irq_pic(&t, 1).isr, 1 << 4);
	irq_line(&t, 9, 1);
	cr_expect_eq(irq_take(&t, 0), -1, "the master serves the slave already");
	end_of(&t, 0, 2);
	cr_expect_eq(irq_take(&t, 0), SLAVE_BASE + 1);
	irq_end(&t);
}

/* Special fully nested: the slave's better pins get through while one of its pins is served. */
Test(irq_pic, special_fully_nested)
{
	struct irq_test t = make();
	struct kvm_pic_state s = irq_pic(&t, 0);

	s.special_fully_nested_mode = 1;
	irq_set_pic(&t, 0, s);
	irq_line(&t, 12, 1);
	cr_expect_eq(irq_take(&t, 0), SLAVE_BASE + 4);
	irq_line(&t, 9, 1);
	cr_expect_eq(irq_take(&t, 0), SLAVE_BASE + 1);
	irq_end(&t);
}

Test(irq_pic, automatic_eoi)
{
	struct irq_test t = make();
	struct kvm_pic_state s = irq_pic(&t, 0);

	s.auto_eoi = 1;
	s.rotate_on_auto_eoi = 1;
	irq_set_pic(&t, 0, s);
	irq_line(&t, 3, 1);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 3);
	cr_expect_eq(irq_pic(&t, 0).isr, 0);
	cr_expect_eq(irq_pic(&t, 0).priority_add, 4, "what was served is last now");
	irq_end(&t);
}

/* LINT0 of the LAPIC is where the PIC's output arrives. */
Test(irq_pic, lint0_masked)
{
	struct irq_test t = make();

	irq_line(&t, 3, 1);
	irq_set_reg(&t, 0, LAPIC_LINT0, 0x10700);
	cr_expect_eq(irq_take(&t, 0), -1);
	irq_set_reg(&t, 0, LAPIC_LINT0, 0x00700);
	cr_expect_eq(irq_take(&t, 0), MASTER_BASE + 3);
	irq_end(&t);
}

// SPDX-License-Identifier: GPL-2.0-only
/* LAPICs: priorities, EOIs, and whom a destination means (Intel SDM vol. 3, chapter "APIC"). */
#include "irq_vm.h"

#define ADDRESS(dest) (0xfee00000 | (dest) << 12)
#define LOGICAL	      4
#define LOWEST	      0x100
#define SELF	      (1ull << 18)
#define ALL	      (2ull << 18)
#define OTHERS	      (3ull << 18)

Test(irq_lapic, priority_classes)
{
	struct irq_test t = irq_make(SPLIT_CHIP, 1, true);

	irq_msi(&t, ADDRESS(0), 0x41);
	irq_msi(&t, ADDRESS(0), 0x45);
	cr_expect_eq(irq_take(&t, 0), 0x45, "the highest first");
	cr_expect_eq(irq_reg(&t, 0, LAPIC_PPR), 0x40);
	cr_expect_eq(irq_take(&t, 0), -1, "one of the same class waits");
	irq_msi(&t, ADDRESS(0), 0x51);
	cr_expect_eq(irq_take(&t, 0), 0x51, "one of a higher class does not");
	cr_expect_eq(irq_reg(&t, 0, LAPIC_PPR), 0x50);
	irq_eoi(&t, 0);
	cr_expect_not(irq_has(&t, 0, LAPIC_ISR, 0x51), "an EOI ends the highest");
	cr_expect(irq_has(&t, 0, LAPIC_ISR, 0x45));
	irq_eoi(&t, 0);
	cr_expect_eq(irq_take(&t, 0), 0x41);
	irq_eoi(&t, 0);
	irq_eoi(&t, 0); /* of nothing */
	cr_expect_eq(irq_reg(&t, 0, LAPIC_PPR), 0);
	irq_end(&t);
}

Test(irq_lapic, task_priority)
{
	struct irq_test t = irq_make(SPLIT_CHIP, 1, true);

	cr_assert_eq(irq_wrmsr(&t, 0, 0x808, 0x4a), 1);
	cr_expect_eq(irq_reg(&t, 0, LAPIC_PPR), 0x4a);
	irq_msi(&t, ADDRESS(0), 0x4f);
	cr_expect_eq(irq_take(&t, 0), -1);
	irq_msi(&t, ADDRESS(0), 0x50);
	cr_expect_eq(irq_take(&t, 0), 0x50);
	irq_end(&t);
}

Test(irq_lapic, trigger_mode_of_the_last_message)
{
	struct irq_test t = irq_make(SPLIT_CHIP, 1, false);

	cr_expect_eq(irq_msi(&t, ADDRESS(0), 0x41 | LEVEL), 1);
	cr_expect(irq_has(&t, 0, LAPIC_TMR, 0x41));
	cr_expect_eq(irq_msi(&t, ADDRESS(0), 0x41), 1);
	cr_expect_not(irq_has(&t, 0, LAPIC_TMR, 0x41));
	irq_end(&t);
}

/* Which of four vCPUs have @vector, by bit; they have it no more afterwards. */
static unsigned int reached(struct irq_test *t, uint8_t vector)
{
	unsigned int i, who = 0;

	for (i = 0; i < t->nr_vcpus; i++) {
		if (!irq_has(t, i, LAPIC_IRR, vector))
			continue;
		who |= 1 << i;
		irq_set_reg(t, i, LAPIC_IRR + vector / 32 * 0x10, 0);
	}
	return who;
}

Test(irq_lapic, physical_and_flat)
{
	struct irq_test t = irq_make(FULL_CHIP, 4, false);
	static const struct {
		uint32_t address, data;
		unsigned int who;
		long ret;
	} sent[] = {
		{ ADDRESS(2), 0x41, 0x4, 1 },
		{ ADDRESS(7), 0x41, 0, 0 },
		{ ADDRESS(0xff), 0x41, 0xf, 4 },
		{ ADDRESS(0xa) | LOGICAL, 0x41, 0xa, 2 },
		{ ADDRESS(0xff) | LOGICAL, 0x41, 0xf, 4 },
		{ ADDRESS(0) | LOGICAL, 0x41, 0, 0 },
		/* hashed: 0x41 % 3 is 2, the third of vCPUs 0, 2 and 3 */
		{ ADDRESS(0xd) | LOGICAL, 0x41 | LOWEST, 0x8, 1 },
		{ ADDRESS(0xd) | LOGICAL, 0x42 | LOWEST, 0x1, 1 },
		/* a destination bit that nobody has, hashed to: lost */
		{ ADDRESS(0x11) | LOGICAL, 0x41 | LOWEST, 0, 0 },
		{ ADDRESS(0x11) | LOGICAL, 0x42 | LOWEST, 0x1, 1 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
		cr_expect_eq(irq_msi(&t, sent[i].address, sent[i].data), sent[i].ret, "%u", i);
		cr_expect_eq(reached(&t, sent[i].data), sent[i].who, "%u", i);
	}
	irq_end(&t);
}

/* Clusters of four: the upper half of the logical id is the cluster's. */
Test(irq_lapic, clusters)
{
	static const uint32_t ids[] = { 0x11, 0x12, 0x21, 0x28 };
	struct irq_test t = irq_make(FULL_CHIP, 4, false);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		irq_set_reg(&t, i, LAPIC_DFR, 0x0fffffff);
		irq_set_reg(&t, i, LAPIC_LDR, ids[i] << 24);
	}
	irq_msi(&t, ADDRESS(0x13) | LOGICAL, 0x41);
	cr_expect_eq(reached(&t, 0x41), 0x3);
	irq_msi(&t, ADDRESS(0x29) | LOGICAL, 0x41);
	cr_expect_eq(reached(&t, 0x41), 0xc);
	cr_expect_eq(irq_msi(&t, ADDRESS(0x33) | LOGICAL, 0x41), 0);
	/* One in another model: no map fits both, each is asked. */
	irq_set_reg(&t, 3, LAPIC_DFR, 0xffffffff);
	irq_msi(&t, ADDRESS(0x29) | LOGICAL, 0x41);
	cr_expect_eq(reached(&t, 0x41), 0xc);
	irq_msi(&t, ADDRESS(0x08) | LOGICAL, 0x41);
	cr_expect_eq(reached(&t, 0x41), 0x8);
	irq_end(&t);
}

Test(irq_lapic, x2apic_ids)
{
	struct kvm_enable_cap api = { .cap = KVM_CAP_X2APIC_API, .args = { 3 } };
	struct irq_test t = irq_make(FULL_CHIP, 3, true);
	struct kvm_msi msi = { .address_lo = ADDRESS(0xff), .data = 0x41 };

	cr_expect_eq(irq_vm(&t, KVM_SIGNAL_MSI, &msi), 3, "the quirk: 0xff is everybody");
	reached(&t, 0x41);
	cr_assert_eq(irq_vm(&t, KVM_ENABLE_CAP, &api), 0);
	cr_expect_eq(irq_vm(&t, KVM_SIGNAL_MSI, &msi), 0, "a vCPU's id, which is not there");
	msi.address_hi = 0xffffff00;
	cr_expect_eq(irq_vm(&t, KVM_SIGNAL_MSI, &msi), 3);
	cr_expect_eq(reached(&t, 0x41), 0x7);
	msi.address_hi = 0x100;
	cr_expect_eq(irq_vm(&t, KVM_SIGNAL_MSI, &msi), 0);
	/* Cluster 0, members 0 and 2. */
	msi = (struct kvm_msi){ .address_lo = ADDRESS(5) | LOGICAL, .data = 0x41 };
	cr_expect_eq(irq_vm(&t, KVM_SIGNAL_MSI, &msi), 2);
	cr_expect_eq(reached(&t, 0x41), 0x5);
	irq_end(&t);
}

Test(irq_lapic, shorthands)
{
	struct irq_test t = irq_make(SPLIT_CHIP, 3, true);

	cr_assert_eq(irq_wrmsr(&t, 1, MSR_ICR, 0x4041 | SELF), 1);
	cr_expect_eq(reached(&t, 0x41), 0x2);
	cr_assert_eq(irq_wrmsr(&t, 1, MSR_ICR, 0x4041 | ALL), 1);
	cr_expect_eq(reached(&t, 0x41), 0x7);
	cr_assert_eq(irq_wrmsr(&t, 1, MSR_ICR, 0x4041 | OTHERS), 1);
	cr_expect_eq(reached(&t, 0x41), 0x5);
	cr_assert_eq(irq_wrmsr(&t, 1, MSR_ICR, 0x4041 | 2ull << 32), 1);
	cr_expect_eq(reached(&t, 0x41), 0x4);
	cr_expect_eq(irq_wrmsr(&t, 1, MSR_ICR, 1 << 13), 0, "a reserved bit");
	irq_end(&t);
}

/* A LAPIC that is off takes nothing; off by software it still has its id. */
Test(irq_lapic, disabled)
{
	struct irq_test t = irq_make(FULL_CHIP, 2, false);

	irq_set_reg(&t, 1, LAPIC_SVR, 0xff);
	cr_expect_eq(irq_msi(&t, ADDRESS(1), 0x41), 0);
	cr_expect_eq(irq_msi(&t, ADDRESS(0xff), 0x41), 1);
	cr_expect_eq(reached(&t, 0x41), 0x1);
	cr_assert_eq(irq_wrmsr(&t, 0, MSR_BASE, 0xfee00100), 1);
	cr_expect_eq(irq_msi(&t, ADDRESS(0), 0x41), 0);
	cr_expect_eq(irq_msi(&t, ADDRESS(0xff), 0x41), 0);
	irq_end(&t);
}

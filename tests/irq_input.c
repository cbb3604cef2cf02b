// SPDX-License-Identifier: GPL-2.0-only
/*
 * What no guest and no VMM would send: the kernel's errno in the kernel's order
 * (Documentation/virt/kvm/api.rst), and garbage images that are taken as they are.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "irq_vm.h"

#define BAD ((void *)0x800000000000) /* behind user space, with 4-level page tables */

Test(irq_input, chips)
{
	struct kvm_irqchip chip = { .chip_id = 3 };
	struct irq_test t = irq_make(NO_CHIP, 0, false);

	cr_expect_eq(irq_vm(&t, KVM_GET_IRQCHIP, BAD), -EFAULT, "before it looks for a chip");
	cr_expect_eq(irq_vm(&t, KVM_SET_IRQCHIP, NULL), -EFAULT);
	cr_expect_eq(irq_vm(&t, KVM_GET_IRQCHIP, &chip), -ENXIO);
	cr_expect_eq(irq_vm(&t, KVM_SET_IRQCHIP, &chip), -ENXIO);
	cr_expect_eq(irq_vm(&t, KVM_CREATE_PIT2, BAD), -EFAULT);
	cr_assert_eq(irq_vm(&t, KVM_CREATE_IRQCHIP, NULL), 0);
	cr_expect_eq(irq_vm(&t, KVM_GET_IRQCHIP, &chip), -EINVAL);
	cr_expect_eq(irq_vm(&t, KVM_SET_IRQCHIP, &chip), -EINVAL);
	chip.chip_id = UINT32_MAX;
	cr_expect_eq(irq_vm(&t, KVM_SET_IRQCHIP, &chip), -EINVAL);
	irq_end(&t);

	t = irq_make(SPLIT_CHIP, 0, false);
	chip.chip_id = 0;
	cr_expect_eq(irq_vm(&t, KVM_GET_IRQCHIP, &chip), -ENXIO);
	irq_end(&t);
}

Test(irq_input, vcpu_without_a_lapic)
{
	struct irq_test t = irq_make(NO_CHIP, 1, false);
	struct kvm_mp_state mp = { .mp_state = KVM_MP_STATE_HALTED };
	struct kvm_lapic_state s = { 0 };

	cr_expect_eq(irq_vcpu(&t, 0, KVM_GET_LAPIC, &s), -EINVAL);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_LAPIC, &s), -EINVAL);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_LAPIC, BAD), -EINVAL, "before it reads the image");
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_MP_STATE, &mp), -EINVAL);
	cr_expect_eq(irq_wrmsr(&t, 0, MSR_EOI, 0), 0);
	cr_expect_eq(irq_take(&t, 0), -1);
	cr_expect_eq(irq_run(&t, 0), -1);
	irq_end(&t);
}

Test(irq_input, vcpu_ioctls)
{
	struct irq_test t = irq_make(FULL_CHIP, 1, true);
	struct kvm_enable_cap api = { .cap = KVM_CAP_X2APIC_API, .args = { 1 } };
	struct kvm_msrs many = { .nmsrs = 256 };
	struct kvm_cpuid2 cpuid = { .nent = 257 };
	struct kvm_lapic_state s = irq_lapic(&t, 0);
	struct kvm_sregs sregs;

	cr_expect_eq(irq_vcpu(&t, 0, KVM_GET_LAPIC, BAD), -EFAULT);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_LAPIC, BAD), -EFAULT);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_MSRS, BAD), -EFAULT);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_MSRS, &many), -E2BIG);
	many.nmsrs = 0;
	cr_expect_eq(irq_vcpu(&t, 0, KVM_GET_MSRS, &many), 0);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_CPUID2, &cpuid), -E2BIG);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_RUN, (void *)1), -EINVAL);
	cr_assert_eq(irq_vcpu(&t, 0, KVM_GET_SREGS, &sregs), 0);
	cr_expect_eq(sregs.apic_base, 0xfee00d00);
	sregs.apic_base = 0xfee00400; /* x2APIC without APIC */
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_SREGS, &sregs), -EINVAL);
	/* The image is of another id, which counts where ids have 32 bits. */
	cr_assert_eq(irq_vm(&t, KVM_ENABLE_CAP, &api), 0);
	memset(s.regs + LAPIC_ID, 7, 4);
	cr_expect_eq(irq_vcpu(&t, 0, KVM_SET_LAPIC, &s), -EINVAL);
	irq_end(&t);
}

static void set_random_images(struct irq_test *t)
{
	struct kvm_irqchip chip;
	struct kvm_lapic_state s;
	unsigned int i, k;

	for (i = 0; i < t->nr_vcpus; i++) {
		for (k = 0; k < sizeof(s.regs); k++)
			s.regs[k] = rand();
		cr_assert_eq(irq_vcpu(t, i, KVM_SET_LAPIC, &s), 0);
	}
	for (i = 0; i < 3; i++) {
		for (k = 0; k < sizeof(chip); k++)
			((unsigned char *)&chip)[k] = rand();
		chip.chip_id = i;
		cr_assert_eq(irq_vm(t, KVM_SET_IRQCHIP, &chip), 0);
	}
}

/* Whatever the images say: no crash, no report, and the state can be read. */
Test(irq_input, garbage_images)
{
	struct irq_test t = irq_make(FULL_CHIP, 3, false);
	unsigned int round, i;

	srand(1);
	for (round = 0; round < 300; round++) {
		set_random_images(&t);
		for (i = 0; i < 30; i++) {
			irq_line(&t, rand() % 30, rand() % 2);
			irq_msi(&t, rand(), rand());
			irq_take(&t, rand() % 3);
		}
		irq_run(&t, rand() % 3);
		irq_lapic(&t, round % 3);
		irq_ioapic(&t);
	}
	irq_end(&t);
}

// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "irq_vm.h"

static uint64_t live_objects(void)
{
	struct sim_mm_stats stats;

	sim_mm_stats(&stats);
	return stats.live_objects;
}

long irq_vm(struct irq_test *t, unsigned int cmd, void *arg)
{
	return t->ops->ioctl(t->vm, cmd, (unsigned long)arg);
}

long irq_vcpu(struct irq_test *t, unsigned int i, unsigned int cmd, void *arg)
{
	return t->ops->ioctl(t->vcpus[i], cmd, (unsigned long)arg);
}

static void set_x2apic(struct irq_test *t, unsigned int i)
{
	struct {
		uint32_t nent, padding;
		struct kvm_cpuid_entry2 entries[8];
	} cpuid = { .nent = 8 };

	cr_assert_eq(t->ops->ioctl(t->kvm, KVM_GET_SUPPORTED_CPUID, (unsigned long)&cpuid), 0);
	cr_assert_eq(irq_vcpu(t, i, KVM_SET_CPUID2, &cpuid), 0);
	cr_assert_eq(irq_wrmsr(t, i, MSR_BASE, 0xfee00c00 | (i ? 0 : 0x100)), 1);
}

struct irq_test irq_make(enum chip chip, unsigned int nr, bool x2apic)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	struct irq_test t = { 0 };
	long ret;

	sim_mm_set_checks(SIM_MM_CHECKS_ALL);
	sim_init();
	t.ops = port_find("strategy", "array")->ops;
	t.live_before = live_objects();
	t.kvm = t.ops->open_kvm();
	t.vm = t.ops->ioctl(t.kvm, KVM_CREATE_VM, 0);
	cr_assert_geq(t.vm, 0);
	if (chip == FULL_CHIP)
		cr_assert_eq(irq_vm(&t, KVM_CREATE_IRQCHIP, NULL), 0);
	if (chip == SPLIT_CHIP)
		cr_assert_eq(irq_vm(&t, KVM_ENABLE_CAP, &split), 0);
	while (t.nr_vcpus < nr) {
		unsigned int i = t.nr_vcpus++;

		ret = t.ops->ioctl(t.vm, KVM_CREATE_VCPU, i);
		cr_assert_geq(ret, 0);
		t.vcpus[i] = ret;
		if (chip == NO_CHIP)
			continue;
		if (x2apic)
			set_x2apic(&t, i);
		irq_set_reg(&t, i, LAPIC_SVR, 0x1ff);
		if (!x2apic)
			irq_set_reg(&t, i, LAPIC_LDR, 1u << (24 + i));
	}
	return t;
}

void irq_end(struct irq_test *t)
{
	while (t->nr_vcpus)
		cr_assert_eq(t->ops->close(t->vcpus[--t->nr_vcpus]), 0);
	cr_assert_eq(t->ops->close(t->vm), 0);
	cr_assert_eq(t->ops->close(t->kvm), 0);
	sim_mm_check();
	cr_expect_eq(live_objects(), t->live_before);
	cr_expect_eq(sim_report_defects(), 0);
}

int irq_line(struct irq_test *t, uint32_t gsi, uint32_t level)
{
	struct kvm_irq_level line = { .irq = gsi, .level = level };

	cr_assert_eq(irq_vm(t, KVM_IRQ_LINE_STATUS, &line), 0);
	return line.status;
}

long irq_msi(struct irq_test *t, uint32_t lo, uint32_t data)
{
	struct kvm_msi msi = { .address_lo = lo, .data = data };

	return irq_vm(t, KVM_SIGNAL_MSI, &msi);
}

struct kvm_lapic_state irq_lapic(struct irq_test *t, unsigned int i)
{
	struct kvm_lapic_state s;

	cr_assert_eq(irq_vcpu(t, i, KVM_GET_LAPIC, &s), 0);
	return s;
}

uint32_t irq_reg(struct irq_test *t, unsigned int i, unsigned int reg)
{
	struct kvm_lapic_state s = irq_lapic(t, i);
	uint32_t value;

	memcpy(&value, s.regs + reg, sizeof(value));
	return value;
}

void irq_set_reg(struct irq_test *t, unsigned int i, unsigned int reg, uint32_t value)
{
	struct kvm_lapic_state s = irq_lapic(t, i);

	memcpy(s.regs + reg, &value, sizeof(value));
	cr_assert_eq(irq_vcpu(t, i, KVM_SET_LAPIC, &s), 0);
}

bool irq_has(struct irq_test *t, unsigned int i, unsigned int base, uint8_t vector)
{
	return irq_reg(t, i, base + vector / 32 * 0x10) >> vector % 32 & 1;
}

int irq_take(struct irq_test *t, unsigned int i)
{
	return t->ops->vcpu_acknowledge(t->vcpus[i]);
}

long irq_wrmsr(struct irq_test *t, unsigned int i, uint32_t index, uint64_t value)
{
	struct {
		uint32_t nmsrs, pad;
		struct kvm_msr_entry entry;
	} msr = { .nmsrs = 1, .entry.index = index, .entry.data = value };

	return irq_vcpu(t, i, KVM_SET_MSRS, &msr);
}

void irq_eoi(struct irq_test *t, unsigned int i)
{
	cr_assert_eq(irq_wrmsr(t, i, MSR_EOI, 0), 1);
}

int irq_run(struct irq_test *t, unsigned int i)
{
	struct kvm_run *run = t->ops->vcpu_run_area(t->vcpus[i]);
	long ret = irq_vcpu(t, i, KVM_RUN, NULL);

	cr_assert_not_null(run);
	if (!ret && run->exit_reason == KVM_EXIT_IOAPIC_EOI)
		return run->eoi.vector;
	cr_assert_eq(ret, -EINTR);
	cr_assert_eq(run->exit_reason, KVM_EXIT_INTR);
	return -1;
}

static struct kvm_irqchip get_chip(struct irq_test *t, unsigned int id)
{
	struct kvm_irqchip chip = { .chip_id = id };

	cr_assert_eq(irq_vm(t, KVM_GET_IRQCHIP, &chip), 0);
	return chip;
}

struct kvm_ioapic_state irq_ioapic(struct irq_test *t)
{
	return get_chip(t, KVM_IRQCHIP_IOAPIC).chip.ioapic;
}

void irq_set_pin(struct irq_test *t, unsigned int pin, uint64_t redirection)
{
	struct kvm_irqchip chip = get_chip(t, KVM_IRQCHIP_IOAPIC);

	chip.chip.ioapic.redirtbl[pin].bits = redirection;
	cr_assert_eq(irq_vm(t, KVM_SET_IRQCHIP, &chip), 0);
}

struct kvm_pic_state irq_pic(struct irq_test *t, unsigned int chip)
{
	return get_chip(t, chip).chip.pic;
}

void irq_set_pic(struct irq_test *t, unsigned int chip, struct kvm_pic_state s)
{
	struct kvm_irqchip c = { .chip_id = chip, .chip.pic = s };

	cr_assert_eq(irq_vm(t, KVM_SET_IRQCHIP, &c), 0);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The named set-ups (tests/oracle/README.md): irqchip, capability, vCPUs, their LAPICs. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "case_step.h"

#define SPLIT_ROUTES	24 /* KVM_ENABLE_CAP(SPLIT_IRQCHIP, 24) */

/* LAPIC registers, by byte offset (Intel SDM vol. 3, table 11-1). */
#define APIC_LDR	0xd0
#define APIC_DFR	0xe0
#define APIC_SVR	0xf0
#define APIC_LVT_FIRST	0x320 /* timer, thermal, performance, LINT0, LINT1, error: 0x10 apart */
#define APIC_LVT_LAST	0x370
#define APIC_LVT_MASKED (1u << 16)
#define APIC_SVR_ON	0x1ff /* enabled, spurious vector 0xff */
#define APIC_BASE_ON	(1ull << 11)
#define APIC_BASE_X2	(1ull << 10)

static const struct case_setup setups[] = {
	{ .name = "none" },
	{ .name = "full0", .chip = CHIP_FULL },
	{ .name = "full1", .chip = CHIP_FULL, .nr_vcpus = 1 },
	{ .name = "full1e", .chip = CHIP_FULL, .nr_vcpus = 1, .enabled = true },
	{ .name = "full2e", .chip = CHIP_FULL, .nr_vcpus = 2, .enabled = true },
	{ .name = "full2x",
	  .chip = CHIP_FULL,
	  .nr_vcpus = 2,
	  .enabled = true,
	  .x2apic = true,
	  .api = 3 },
	{ .name = "full2x0", .chip = CHIP_FULL, .nr_vcpus = 2, .enabled = true, .x2apic = true },
	{ .name = "split0", .chip = CHIP_SPLIT },
	{ .name = "split1", .chip = CHIP_SPLIT, .nr_vcpus = 1 },
	{ .name = "split1e", .chip = CHIP_SPLIT, .nr_vcpus = 1, .enabled = true },
	{ .name = "vcpu_noirqchip", .nr_vcpus = 1 },
};

const struct case_setup *case_setup_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
		if (!strcmp(setups[i].name, name))
			return &setups[i];
	}
	return NULL;
}

static long vm_ioctl(struct case_vm *vm, unsigned int cmd, unsigned long arg)
{
	return vm->b->ioctl(vm->b, vm->vm, cmd, arg);
}

static long vcpu_ioctl(struct case_vm *vm, unsigned int i, unsigned int cmd, void *arg)
{
	return vm->b->ioctl(vm->b, vm->vcpus[i], cmd, (unsigned long)arg);
}

static long enable_cap(struct case_vm *vm, uint32_t nr, uint64_t arg)
{
	struct kvm_enable_cap cap = { .cap = nr, .args = { arg } };

	return vm_ioctl(vm, KVM_ENABLE_CAP, (unsigned long)&cap);
}

static long create_chip(struct case_vm *vm, const struct case_setup *setup, const char **what)
{
	long ret = 0;

	*what = "KVM_CREATE_IRQCHIP";
	if (setup->chip == CHIP_FULL)
		ret = vm_ioctl(vm, KVM_CREATE_IRQCHIP, 0);
	if (!ret && setup->chip == CHIP_SPLIT) {
		*what = "KVM_ENABLE_CAP(KVM_CAP_SPLIT_IRQCHIP)";
		ret = enable_cap(vm, KVM_CAP_SPLIT_IRQCHIP, SPLIT_ROUTES);
	}
	if (!ret && setup->api) {
		*what = "KVM_ENABLE_CAP(KVM_CAP_X2APIC_API)";
		ret = enable_cap(vm, KVM_CAP_X2APIC_API, setup->api);
	}
	return ret;
}

/* x2APIC mode can be switched on only where the CPUID says that there is such a thing. */
static long set_cpuid(struct case_vm *vm, unsigned int i, const char **what)
{
	const uint32_t max = 256; /* KVM_MAX_CPUID_ENTRIES */
	struct kvm_cpuid2 *cpuid = calloc(1, sizeof(*cpuid) + max * sizeof(cpuid->entries[0]));
	long ret = -ENOMEM;

	*what = "KVM_GET_SUPPORTED_CPUID";
	if (!cpuid)
		return ret;
	cpuid->nent = max;
	ret = vm->b->ioctl(vm->b, vm->kvm, KVM_GET_SUPPORTED_CPUID, (unsigned long)cpuid);
	if (!ret) {
		*what = "KVM_SET_CPUID2";
		ret = vcpu_ioctl(vm, i, KVM_SET_CPUID2, cpuid);
	}
	free(cpuid);
	return ret;
}

static long set_x2apic(struct case_vm *vm, unsigned int i, const char **what)
{
	struct kvm_sregs sregs;
	long ret = set_cpuid(vm, i, what);

	if (ret)
		return ret;
	*what = "KVM_GET_SREGS";
	ret = vcpu_ioctl(vm, i, KVM_GET_SREGS, &sregs);
	if (ret)
		return ret;
	*what = "KVM_SET_SREGS";
	sregs.apic_base |= APIC_BASE_ON | APIC_BASE_X2;
	return vcpu_ioctl(vm, i, KVM_SET_SREGS, &sregs);
}

static void lapic_put(struct kvm_lapic_state *lapic, unsigned int reg, uint32_t value)
{
	memcpy(lapic->regs + reg, &value, sizeof(value));
}

static long enable_lapic(struct case_vm *vm, unsigned int i, bool x2apic, const char **what)
{
	struct kvm_lapic_state lapic;
	unsigned int reg;
	long ret;

	*what = "KVM_GET_LAPIC";
	ret = vcpu_ioctl(vm, i, KVM_GET_LAPIC, &lapic);
	if (ret)
		return ret;
	lapic_put(&lapic, APIC_SVR, APIC_SVR_ON);
	for (reg = APIC_LVT_FIRST; reg <= APIC_LVT_LAST; reg += 0x10)
		lapic_put(&lapic, reg, APIC_LVT_MASKED);
	if (!x2apic) {
		lapic_put(&lapic, APIC_LDR, 1u << (24 + i));
		lapic_put(&lapic, APIC_DFR, ~0u);
	}
	*what = "KVM_SET_LAPIC";
	return vcpu_ioctl(vm, i, KVM_SET_LAPIC, &lapic);
}

int vm_get_lapic(struct case_vm *vm, unsigned int vcpu, struct kvm_lapic_state *lapic)
{
	return vcpu_ioctl(vm, vcpu, KVM_GET_LAPIC, lapic);
}

static long create_vcpu(struct case_vm *vm, unsigned int i, const struct case_setup *setup,
			const char **what)
{
	long ret;

	*what = "KVM_CREATE_VCPU";
	ret = vm_ioctl(vm, KVM_CREATE_VCPU, i);
	if (ret < 0)
		return ret;
	vm->vcpus[vm->nr_vcpus++] = ret;
	ret = setup->x2apic ? set_x2apic(vm, i, what) : 0;
	if (!ret && setup->enabled)
		ret = enable_lapic(vm, i, setup->x2apic, what);
	return ret;
}

int vm_open(struct case_vm *vm, struct backend *b, const struct case_setup *setup,
	    const char **what)
{
	unsigned int i;
	long ret;

	*vm = (struct case_vm){ .b = b, .kvm = -1, .vm = -1, .other_vm = -1 };
	fds_init(vm);
	*what = "opening KVM";
	ret = b->open_kvm(b);
	if (ret < 0)
		return ret;
	vm->kvm = ret;
	*what = "KVM_CREATE_VM";
	ret = b->ioctl(b, vm->kvm, KVM_CREATE_VM, 0);
	if (ret < 0)
		return ret;
	vm->vm = ret;
	ret = create_chip(vm, setup, what);
	for (i = 0; !ret && i < setup->nr_vcpus; i++)
		ret = create_vcpu(vm, i, setup, what);
	return ret;
}

static void close_fd(struct case_vm *vm, int *fd)
{
	if (*fd >= 0)
		vm->b->close(vm->b, *fd);
	*fd = -1;
}

void vm_close(struct case_vm *vm)
{
	fds_close(vm);
	while (vm->nr_vcpus)
		close_fd(vm, &vm->vcpus[--vm->nr_vcpus]);
	close_fd(vm, &vm->other_vm);
	close_fd(vm, &vm->vm);
	close_fd(vm, &vm->kvm);
}

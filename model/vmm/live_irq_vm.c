// SPDX-License-Identifier: GPL-2.0-only
/* One VM of a pair: set up, called, looked at. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "live_irq_vm.h"

#define SPLIT_PINS	 24
#define MAX_CPUID	 256	    /* KVM_MAX_CPUID_ENTRIES */
#define GUEST_PAGE	 0xfffff000 /* holds the reset vector */
#define GUEST_PAGE_SIZE	 4096
#define MSR_APIC_BASE	 0x1b
#define APIC_BASE_X2APIC 0xfee00c00 /* enabled, in x2APIC mode */
#define APIC_BASE_BSP	 0x100
#define LAPIC_LDR	 0xd0
#define LAPIC_SVR	 0xf0
#define LAPIC_SVR_ON	 0x1ff
#define RESET_VECTOR	 0xff0 /* in that page */

static long vm_ioctl(struct irq_vm *vm, unsigned int cmd, const void *arg)
{
	return vm->b->ioctl(vm->b, vm->vm, cmd, (unsigned long)arg);
}

static long vcpu_ioctl(struct irq_vm *vm, unsigned int i, unsigned int cmd, const void *arg)
{
	return vm->b->ioctl(vm->b, vm->vcpus[i], cmd, (unsigned long)arg);
}

static long enable_cap(struct irq_vm *vm, uint32_t nr, uint64_t arg)
{
	struct kvm_enable_cap cap = { .cap = nr, .args = { arg } };

	return vm_ioctl(vm, KVM_ENABLE_CAP, &cap);
}

/* out 0x10, al; jmp to it: each KVM_RUN ends at once. A simulated KVM has no guest to run. */
static long give_code(struct irq_vm *vm)
{
	static const unsigned char code[] = { 0xe6, 0x10, 0xeb, 0xfc };
	struct kvm_userspace_memory_region region = { .guest_phys_addr = GUEST_PAGE,
						      .memory_size = GUEST_PAGE_SIZE };

	if (vm->b->ops)
		return 0;
	vm->code = mmap(NULL, GUEST_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	if (vm->code == MAP_FAILED) {
		vm->code = NULL;
		return -ENOMEM;
	}
	memcpy((char *)vm->code + RESET_VECTOR, code, sizeof(code));
	region.userspace_addr = (unsigned long)vm->code;
	return vm_ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region);
}

struct kvm_cpuid2 *irq_supported_cpuid(struct backend *b, int kvm)
{
	struct kvm_cpuid2 *cpuid =
		calloc(1, sizeof(*cpuid) + MAX_CPUID * sizeof(cpuid->entries[0]));

	if (!cpuid)
		return NULL;
	cpuid->nent = MAX_CPUID;
	if (b->ioctl(b, kvm, KVM_GET_SUPPORTED_CPUID, (unsigned long)cpuid)) {
		free(cpuid);
		return NULL;
	}
	return cpuid;
}

static long set_x2apic(struct irq_vm *vm, unsigned int i, uint32_t id)
{
	struct {
		uint32_t nmsrs, pad;
		struct kvm_msr_entry entry;
	} msr = {
		.nmsrs = 1,
		.entry.index = MSR_APIC_BASE,
		.entry.data = APIC_BASE_X2APIC | (id ? 0 : APIC_BASE_BSP),
	};
	long ret = vcpu_ioctl(vm, i, KVM_SET_MSRS, &msr);

	return ret == 1 ? 0 : ret < 0 ? ret : -EINVAL;
}

static void lapic_put(struct kvm_lapic_state *lapic, unsigned int reg, uint32_t value)
{
	memcpy(lapic->regs + reg, &value, sizeof(value));
}

static long enable_lapic(struct irq_vm *vm, unsigned int i)
{
	struct kvm_lapic_state lapic;
	long ret = vcpu_ioctl(vm, i, KVM_GET_LAPIC, &lapic);

	if (ret)
		return ret;
	lapic_put(&lapic, LAPIC_SVR, LAPIC_SVR_ON);
	lapic_put(&lapic, LAPIC_LDR, 1u << (24 + i));
	return vcpu_ioctl(vm, i, KVM_SET_LAPIC, &lapic);
}

static long set_lapic_up(struct irq_vm *vm, unsigned int i, const struct irq_setup *setup,
			 const char **what)
{
	long ret = 0;

	*what = "x2APIC mode";
	if (setup->x2apic)
		ret = set_x2apic(vm, i, setup->ids[i]);
	if (ret || !setup->enabled)
		return ret;
	*what = "enabling a LAPIC";
	return enable_lapic(vm, i);
}

static long add_vcpu(struct irq_vm *vm, uint32_t id, const struct kvm_cpuid2 *cpuid,
		     const char **what)
{
	struct kvm_mp_state runnable = { .mp_state = KVM_MP_STATE_RUNNABLE };
	unsigned int i = vm->nr_vcpus;
	long ret;

	*what = "KVM_CREATE_VCPU";
	ret = vm->b->ioctl(vm->b, vm->vm, KVM_CREATE_VCPU, id);
	if (ret < 0)
		return ret;
	vm->vcpus[vm->nr_vcpus++] = ret;
	*what = "mapping a vCPU";
	vm->run[i] = vm->b->map_run(vm->b, vm->vcpus[i], vm->run_size);
	if (!vm->run[i])
		return -ENOMEM;
	*what = "KVM_SET_CPUID2";
	ret = vcpu_ioctl(vm, i, KVM_SET_CPUID2, cpuid);
	if (ret)
		return ret;
	*what = "KVM_SET_MP_STATE";
	return vcpu_ioctl(vm, i, KVM_SET_MP_STATE, &runnable);
}

static long set_up(struct irq_vm *vm, const struct irq_setup *setup, const char **what)
{
	unsigned int i;
	long ret;

	*what = "an irqchip";
	ret = setup->split ? enable_cap(vm, KVM_CAP_SPLIT_IRQCHIP, SPLIT_PINS)
			   : vm_ioctl(vm, KVM_CREATE_IRQCHIP, NULL);
	if (!ret && setup->api >= 0) {
		*what = "KVM_CAP_X2APIC_API";
		ret = enable_cap(vm, KVM_CAP_X2APIC_API, setup->api);
	}
	if (!ret) {
		*what = "memory";
		ret = give_code(vm);
	}
	for (i = 0; !ret && i < setup->nr_vcpus; i++)
		ret = add_vcpu(vm, setup->ids[i], setup->cpuid ?: vm->supported, what);
	for (i = 0; !ret && i < setup->nr_vcpus; i++)
		ret = set_lapic_up(vm, i, setup, what);
	return ret;
}

int irq_vm_open(struct irq_vm *vm, struct backend *b, const struct irq_setup *setup,
		const char **what)
{
	long ret;

	*vm = (struct irq_vm){ .b = b, .kvm = -1, .vm = -1 };
	*what = "opening KVM";
	ret = b->open_kvm(b);
	if (ret < 0)
		return ret;
	vm->kvm = ret;
	*what = "KVM_GET_VCPU_MMAP_SIZE";
	ret = b->ioctl(b, vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (ret < 0)
		return ret;
	vm->run_size = ret;
	if (!setup->cpuid) {
		*what = "KVM_GET_SUPPORTED_CPUID";
		vm->supported = irq_supported_cpuid(b, vm->kvm);
		if (!vm->supported)
			return -ENOMEM;
	}
	*what = "KVM_CREATE_VM";
	ret = b->ioctl(b, vm->kvm, KVM_CREATE_VM, 0);
	if (ret < 0)
		return ret;
	vm->vm = ret;
	return set_up(vm, setup, what);
}

void irq_vm_close(struct irq_vm *vm)
{
	while (vm->nr_vcpus) {
		unsigned int i = --vm->nr_vcpus;

		if (vm->run[i])
			vm->b->unmap_run(vm->b, vm->run[i], vm->run_size);
		vm->b->close(vm->b, vm->vcpus[i]);
	}
	if (vm->vm >= 0)
		vm->b->close(vm->b, vm->vm);
	if (vm->kvm >= 0)
		vm->b->close(vm->b, vm->kvm);
	if (vm->code)
		munmap(vm->code, GUEST_PAGE_SIZE);
	free(vm->supported);
}

/*
 * How it came back differs where there is no guest; but not that user space's IOAPIC is asked for.
 */
static void run(struct irq_vm *vm, unsigned int i, struct irq_answer *a)
{
	long ret = vcpu_ioctl(vm, i, KVM_RUN, NULL);

	if (!ret && vm->run[i]->exit_reason == KVM_EXIT_IOAPIC_EOI)
		a->eoi_exit = vm->run[i]->eoi.vector + 1;
	if (ret != -EINTR)
		a->ret = ret;
}

static void set_line(struct irq_vm *vm, const struct irq_call *c, struct irq_answer *a)
{
	struct kvm_irq_level line = c->u.line; /* answered in place */

	a->ret = vm_ioctl(vm, KVM_IRQ_LINE_STATUS, &line);
	a->status = line.status;
}

static void get_msr(struct irq_vm *vm, const struct irq_call *c, struct irq_answer *a)
{
	typeof(c->u.msr) msr = c->u.msr;

	a->ret = vcpu_ioctl(vm, c->vcpu, KVM_GET_MSRS, &msr);
	a->value = msr.entry.data;
}

void irq_vm_call(struct irq_vm *vm, const struct irq_call *c, struct irq_answer *a)
{
	*a = (struct irq_answer){ 0 };
	switch (c->kind) {
	case IRQ_LINE:
		set_line(vm, c, a);
		break;
	case IRQ_MSI:
		a->ret = vm_ioctl(vm, KVM_SIGNAL_MSI, &c->u.msi);
		break;
	case IRQ_ROUTES:
		a->ret = vm_ioctl(vm, KVM_SET_GSI_ROUTING, &c->u.routes);
		break;
	case IRQ_SET_CHIP:
		a->ret = vm_ioctl(vm, KVM_SET_IRQCHIP, &c->u.chip);
		break;
	case IRQ_SET_LAPIC:
		a->ret = vcpu_ioctl(vm, c->vcpu, KVM_SET_LAPIC, &c->u.lapic);
		break;
	case IRQ_SET_MSR:
		a->ret = vcpu_ioctl(vm, c->vcpu, KVM_SET_MSRS, &c->u.msr);
		break;
	case IRQ_GET_MSR:
		get_msr(vm, c, a);
		break;
	case IRQ_RUN:
		run(vm, c->vcpu, a);
		break;
	case IRQ_NR_KINDS:
		break;
	}
}

int irq_vm_state(struct irq_vm *vm, bool chips, struct irq_state *s)
{
	unsigned int i;
	long ret = 0;

	memset(s, 0, sizeof(*s));
	for (i = 0; !ret && i < vm->nr_vcpus; i++)
		ret = vcpu_ioctl(vm, i, KVM_GET_LAPIC, &s->lapic[i]);
	for (i = 0; chips && !ret && i < 3; i++) {
		s->chip[i].chip_id = i;
		ret = vm_ioctl(vm, KVM_GET_IRQCHIP, &s->chip[i]);
	}
	return ret;
}

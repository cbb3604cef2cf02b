/* SPDX-License-Identifier: GPL-2.0-only */
/* One of the two VMs, and a call made on it. Inside model/vmm only. */
#ifndef VMM_LIVE_IRQ_VM_H
#define VMM_LIVE_IRQ_VM_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend.h"

#define IRQ_MAX_VCPUS  3
#define IRQ_MAX_ROUTES 8

struct irq_setup {
	bool split;
	int api; /* KVM_CAP_X2APIC_API flags, -1: not enabled */
	unsigned int nr_vcpus;
	uint32_t ids[IRQ_MAX_VCPUS];
	bool x2apic;  /* LAPICs begin in x2APIC mode */
	bool enabled; /* LAPICs begin enabled by software, logical ids are bits */
	bool tidy;    /* a guest that knows what it does: few images and routes from outside */
	const struct kvm_cpuid2 *cpuid; /* of each vCPU; NULL: all that KVM supports */
	bool runs;			/* KVM_RUN is made: no events that would stop the guest */
};

enum irq_call_kind {
	IRQ_LINE,
	IRQ_MSI,
	IRQ_ROUTES,
	IRQ_SET_CHIP,
	IRQ_SET_LAPIC,
	IRQ_SET_MSR,
	IRQ_GET_MSR,
	IRQ_RUN,
	IRQ_NR_KINDS
};

struct irq_call {
	enum irq_call_kind kind;
	unsigned int vcpu;
	union {
		struct kvm_irq_level line;
		struct kvm_msi msi;
		struct { /* laid out as struct kvm_irq_routing */
			uint32_t nr, flags;
			struct kvm_irq_routing_entry entries[IRQ_MAX_ROUTES];
		} routes;
		struct kvm_irqchip chip;
		struct kvm_lapic_state lapic;
		struct { /* struct kvm_msrs */
			uint32_t nmsrs, pad;
			struct kvm_msr_entry entry;
		} msr;
	} u;
};

struct irq_answer {
	long ret;
	int status;
	uint64_t value;	       /* IRQ_GET_MSR */
	unsigned int eoi_exit; /* IRQ_RUN: vector + 1, 0: none */
};

struct irq_vm {
	struct backend *b;
	int kvm, vm, vcpus[IRQ_MAX_VCPUS];
	unsigned int nr_vcpus;
	struct kvm_run *run[IRQ_MAX_VCPUS];
	size_t run_size;
	struct kvm_cpuid2 *supported; /* what was asked for, where the set-up has none */
	void *code;		      /* the guest's only page, on a real kernel */
};

struct irq_state {
	struct kvm_lapic_state lapic[IRQ_MAX_VCPUS];
	struct kvm_irqchip chip[3]; /* zero in a split VM */
};

/* All that KVM supports, to be freed. NULL: it cannot be read. */
struct kvm_cpuid2 *irq_supported_cpuid(struct backend *b, int kvm);

/* 0 or -errno, with the call that failed in @what. irq_vm_close() is needed in both cases. */
int irq_vm_open(struct irq_vm *vm, struct backend *b, const struct irq_setup *setup,
		const char **what);
void irq_vm_close(struct irq_vm *vm);
void irq_vm_call(struct irq_vm *vm, const struct irq_call *c, struct irq_answer *a);
int irq_vm_state(struct irq_vm *vm, bool chips, struct irq_state *s); /* 0 or -errno */

#endif

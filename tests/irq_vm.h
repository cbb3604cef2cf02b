/* SPDX-License-Identifier: GPL-2.0-only */
/* A VM with controllers and vCPUs, for the tests of how interrupts travel. */
#ifndef IRQ_VM_H
#define IRQ_VM_H

#include <linux/kvm.h>

#include <criterion/criterion.h>
#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>
#include <sim/task.h>

#define MAX_VCPUS   4

/* LAPIC registers (Intel SDM vol. 3, table "Local APIC Register Address Map"). */
#define LAPIC_ID    0x20
#define LAPIC_TPR   0x80
#define LAPIC_PPR   0xa0
#define LAPIC_LDR   0xd0
#define LAPIC_DFR   0xe0
#define LAPIC_SVR   0xf0
#define LAPIC_ISR   0x100
#define LAPIC_TMR   0x180
#define LAPIC_IRR   0x200
#define LAPIC_LINT0 0x350

#define MSR_BASE    0x1b
#define MSR_EOI	    0x80b
#define MSR_ICR	    0x830
#define LEVEL	    (1u << 15) /* of a redirection entry or of a message's data */
#define REMOTE_IRR  (1u << 14)
#define MASKED	    (1u << 16)

enum chip { NO_CHIP, FULL_CHIP, SPLIT_CHIP };

struct irq_test {
	const struct port_ops *ops;
	int kvm, vm, vcpus[MAX_VCPUS];
	unsigned int nr_vcpus;
	uint64_t live_before;
};

/*
 * irq_make - a VM of strategy "array" with @nr vCPUs of ids 0, 1 ...; LAPICs enabled by software,
 * with logical id 1 << n; @x2apic: in x2APIC mode irq_end - it goes away: nothing is leaked,
 * nothing was reported
 */
struct irq_test irq_make(enum chip chip, unsigned int nr, bool x2apic);
void irq_end(struct irq_test *t);

long irq_vm(struct irq_test *t, unsigned int cmd, void *arg);
long irq_vcpu(struct irq_test *t, unsigned int i, unsigned int cmd, void *arg);
int irq_line(struct irq_test *t, uint32_t gsi, uint32_t level); /* the status */
long irq_msi(struct irq_test *t, uint32_t lo, uint32_t data);

struct kvm_lapic_state irq_lapic(struct irq_test *t, unsigned int i);
uint32_t irq_reg(struct irq_test *t, unsigned int i, unsigned int reg);
void irq_set_reg(struct irq_test *t, unsigned int i, unsigned int reg, uint32_t value);
bool irq_has(struct irq_test *t, unsigned int i, unsigned int base, uint8_t vector);
int irq_take(struct irq_test *t, unsigned int i); /* the processor acknowledges: vector or -1 */
long irq_wrmsr(struct irq_test *t, unsigned int i, uint32_t index, uint64_t value);
void irq_eoi(struct irq_test *t, unsigned int i);
/* KVM_RUN: scans the pins. The vector of an exit for user space's IOAPIC, or -1. */
int irq_run(struct irq_test *t, unsigned int i);

struct kvm_ioapic_state irq_ioapic(struct irq_test *t);
void irq_set_pin(struct irq_test *t, unsigned int pin, uint64_t redirection);
struct kvm_pic_state irq_pic(struct irq_test *t, unsigned int chip);
void irq_set_pic(struct irq_test *t, unsigned int chip, struct kvm_pic_state s);

#endif

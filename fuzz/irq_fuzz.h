/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fuzz_irqchip, fuzz_msi and fuzz_irqfd have in common: bytes as numbers, and VMs that have to
 * leave nothing behind. What is missing at an input's end reads as 0.
 */
#ifndef FUZZ_IRQ_FUZZ_H
#define FUZZ_IRQ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/vmm/live_irq_vm.h"

/* LAPIC registers (Intel SDM vol. 3, table "Local APIC Register Address Map"). */
#define LAPIC_ID  0x20
#define LAPIC_LDR 0xd0
#define LAPIC_DFR 0xe0
#define LAPIC_SVR 0xf0
#define LAPIC_ISR 0x100
#define LAPIC_TMR 0x180
#define LAPIC_IRR 0x200

struct bytes {
	const uint8_t *p, *end;
};

uint8_t next_u8(struct bytes *b);
uint32_t next_u32(struct bytes *b);
/* As many bytes as there are; the rest of @to stays as it is. */
void next_bytes(struct bytes *b, void *to, size_t size);

#define IRQ_FUZZ_KVM_FD 0 /* of each KVM object, which has been opened once */

/* Bring the simulator up. */
void irq_fuzz_init(void);
/* The KVM object @n of those that there are, counted round. */
struct backend *irq_fuzz_backend(unsigned int n);
/* A VM of that kind, with the CPUID that KVM supports. */
void irq_fuzz_open_as(struct irq_vm *vm, struct backend *b, struct irq_setup *setup);
/* A VM as the next bytes say; the set-up goes to @setup. */
void irq_fuzz_open(struct irq_vm *vm, struct bytes *b, struct irq_setup *setup);
/* Close it: nothing may be left in memory, nothing may have been reported. */
void irq_fuzz_close(struct irq_vm *vm);
/* What is in memory now stays; all VMs of an input are closed: nothing else may be left. */
void irq_fuzz_settled(void);
void irq_fuzz_check_leaks(void);
/* Read that part of the state, of the vCPUs that there are; the chips' only of a VM that has them. */
void irq_fuzz_lapic(struct irq_vm *vm, unsigned int vcpu, struct irq_state *s);
void irq_fuzz_lapics(struct irq_vm *vm, struct irq_state *s);
void irq_fuzz_ioapic(struct irq_vm *vm, struct irq_state *s);
void irq_fuzz_pics(struct irq_vm *vm, struct irq_state *s);

uint32_t lapic_reg(const struct kvm_lapic_state *s, unsigned int reg);
bool lapic_has(const struct kvm_lapic_state *s, unsigned int base, uint8_t vector);

/* Print what is wrong, with the call in words, and abort. */
__attribute__((format(printf, 2, 3), noreturn)) void irq_fuzz_wrong(const struct irq_call *c,
								    const char *fmt, ...);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Local APICs, as far as a message's way to a vCPU goes: whom a destination means, and what a LAPIC
 * does with what reaches it. Registers and their bits: Intel SDM vol. 3, chapter "Advanced
 * Programmable Interrupt Controller".
 */
#ifndef __ARCH_X86_KVM_LAPIC_H
#define __ARCH_X86_KVM_LAPIC_H

#include <linux/kvm_host.h>

#define KVM_APIC_NO_SHORTHAND	0
#define KVM_APIC_SHORTHAND_MASK 0xc0000
#define KVM_XAPIC_BROADCAST	0xff
#define KVM_X2APIC_BROADCAST	0xffffffffu

#define KVM_APIC_NR_LVT		6 /* timer, thermal, performance, LINT0, LINT1, error */

/* Who took an edge that has to be acknowledged by all of them, with which vector. */
struct dest_map {
	DECLARE_BITMAP(map, KVM_MAX_VCPU_IDS);
	u8 vectors[KVM_MAX_VCPU_IDS];
};

/* Events that a vCPU takes before it runs on. */
#define KVM_LAPIC_INIT 0
#define KVM_LAPIC_SIPI 1

struct kvm_lapic {
	struct kvm_vcpu *vcpu;
	bool sw_enabled; /* bit 8 of SVR; the map is made of it */
	unsigned long pending_events;
	u8 sipi_vector;
	/* Of ISR: how many bits, and the highest one or -1 for not known. Saves looking. */
	unsigned int isr_count;
	int isr_highest;
	/* IRR is set by whoever has an interrupt, without a lock. */
	struct kvm_lapic_state state __aligned(16);
};

static inline u32 *kvm_lapic_reg(struct kvm_lapic *apic, unsigned int reg)
{
	return (u32 *)(apic->state.regs + reg);
}

static inline u32 kvm_lapic_get(struct kvm_lapic *apic, unsigned int reg)
{
	return READ_ONCE(*kvm_lapic_reg(apic, reg));
}

static inline void kvm_lapic_set(struct kvm_lapic *apic, unsigned int reg, u32 value)
{
	WRITE_ONCE(*kvm_lapic_reg(apic, reg), value);
}

static inline bool kvm_apic_x2apic_mode(struct kvm_lapic *apic)
{
	return apic->vcpu->arch.apic_base & X2APIC_ENABLE;
}

/* In x2APIC mode the id is the vCPU's and cannot be changed. */
static inline u32 kvm_apic_x2apic_id(struct kvm_lapic *apic)
{
	return apic->vcpu->vcpu_id;
}

static inline u32 kvm_apic_xapic_id(struct kvm_lapic *apic)
{
	return kvm_lapic_get(apic, APIC_ID) >> 24;
}

/* There is a LAPIC, and it is not disabled globally. */
static inline bool kvm_vcpu_apic_present(struct kvm_vcpu *vcpu)
{
	return vcpu->arch.apic && (vcpu->arch.apic_base & MSR_IA32_APICBASE_ENABLE);
}

static inline bool kvm_lowest_prio_delivery(const struct kvm_lapic_irq *irq)
{
	return irq->delivery_mode == APIC_DM_LOWEST || irq->msi_redir_hint;
}

/*
 * Hand @irq to @vcpu's LAPIC; note in @dest_map, if there is one, that it was taken. 1, or 0 where
 * the LAPIC drops it.
 */
int kvm_lapic_accept(struct kvm_vcpu *vcpu, const struct kvm_lapic_irq *irq,
		     struct dest_map *dest_map);

/* Is @vcpu, which has a LAPIC, meant by that destination? @source: NULL for a device's message. */
bool kvm_lapic_match_dest(struct kvm_vcpu *vcpu, struct kvm_lapic *source, u32 shorthand, u32 dest,
			  u16 dest_mode);

/*
 * Deliver by the destination map: no walk over all vCPUs. False where the map cannot tell; then
 * nothing was done. @irq goes to nobody: 0.
 */
bool kvm_lapic_deliver_fast(struct kvm *kvm, struct kvm_lapic *source,
			    const struct kvm_lapic_irq *irq, int *delivered,
			    struct dest_map *dest_map);

/* Of @nr vCPUs that could take it, the one that vector hashing chooses: its bit in @bitmap. */
int kvm_lapic_hash(u8 vector, unsigned int nr, const unsigned long *bitmap, unsigned int size);

/* Requested and not acknowledged yet? */
bool kvm_lapic_pending_eoi(struct kvm_vcpu *vcpu, u8 vector);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * LAPIC registers one by one, in x2APIC mode: MSRs 0x800 to 0x8ff (Intel SDM vol. 3, "x2APIC
 * Register Address Space"). In xAPIC mode a guest writes memory, and there is no guest here.
 */
#include "model.h"

#define X2APIC_MSR_FIRST  0x800
#define APIC_SELF_IPI_REG 0x3f0

/* Writable bits of the local vector table (Intel SDM vol. 3, figure "Local Vector Table"). */
#define LVT_BITS	  (APIC_LVT_MASKED | APIC_SEND_PENDING | APIC_VECTOR_MASK)
#define LVT_LINT_BITS                                                            \
	(LVT_BITS | APIC_MODE_MASK | APIC_INPUT_POLARITY | APIC_LVT_REMOTE_IRR | \
	 APIC_LVT_LEVEL_TRIGGER)
#define LVT_TIMER_PERIODIC BIT(17)
#define SPIV_BITS	   0x3ff
#define ICR_RESERVED	   (GENMASK_ULL(31, 20) | GENMASK_ULL(17, 16) | BIT_ULL(13))

static void send_ipi(struct kvm_lapic *apic, u32 low, u32 dest)
{
	struct kvm_lapic_irq irq = {
		.vector = low & APIC_VECTOR_MASK,
		.delivery_mode = low & APIC_MODE_MASK,
		.dest_mode = low & APIC_DEST_LOGICAL,
		.level = low & APIC_INT_ASSERT,
		.trig_mode = low & APIC_INT_LEVELTRIG,
		.shorthand = low & KVM_APIC_SHORTHAND_MASK,
		.dest_id = dest,
	};

	kvm_irq_delivery_to_apic(apic->vcpu->kvm, apic, &irq, NULL);
}

static bool write_icr(struct kvm_lapic *apic, u64 value)
{
	if (value & ICR_RESERVED)
		return false;
	value &= ~(u64)APIC_ICR_BUSY;
	send_ipi(apic, value, value >> 32);
	kvm_lapic_set(apic, APIC_ICR, value);
	kvm_lapic_set(apic, LAPIC_X2_ICR_HIGH, value >> 32);

	return true;
}

static void write_spiv(struct kvm_lapic *apic, u32 value)
{
	u32 bits = SPIV_BITS;
	unsigned int reg;

	if (kvm_lapic_get(apic, APIC_LVR) & APIC_LVR_DIRECTED_EOI)
		bits |= APIC_SPIV_DIRECTED_EOI;
	model_lapic_set_spiv(apic, value & bits);
	if (value & APIC_SPIV_APIC_ENABLED)
		return;
	for (reg = APIC_LVTT; reg <= APIC_LVTERR; reg += 0x10)
		kvm_lapic_set(apic, reg, kvm_lapic_get(apic, reg) | APIC_LVT_MASKED);
}

static void write_lvt(struct kvm_lapic *apic, unsigned int reg, u32 value)
{
	static const u32 bits[KVM_APIC_NR_LVT] = {
		LVT_BITS | LVT_TIMER_PERIODIC,
		LVT_BITS | APIC_MODE_MASK,
		LVT_BITS | APIC_MODE_MASK,
		LVT_LINT_BITS,
		LVT_LINT_BITS,
		LVT_BITS,
	};

	if (!apic->sw_enabled)
		value |= APIC_LVT_MASKED;
	kvm_lapic_set(apic, reg, value & bits[(reg - APIC_LVTT) / 0x10]);
}

static bool write_reg(struct kvm_lapic *apic, unsigned int reg, u32 value)
{
	switch (reg) {
	case APIC_TASKPRI:
		kvm_lapic_set(apic, reg, value & 0xff);
		model_lapic_update_ppr(apic);
		return true;
	case APIC_EOI:
		model_lapic_eoi(apic);
		return true;
	case APIC_SPIV:
		write_spiv(apic, value);
		return true;
	case APIC_LVTT ... APIC_LVTERR:
		if (reg % 0x10)
			return false;
		write_lvt(apic, reg, value);
		return true;
	case APIC_TMICT:
		kvm_lapic_set(apic, reg, value);
		return true;
	case APIC_TDCR:
		kvm_lapic_set(apic, reg, value & 0xb);
		return true;
	case APIC_ESR:
		return !value;
	case APIC_SELF_IPI_REG:
		if (value & ~APIC_VECTOR_MASK)
			return false;
		send_ipi(apic, APIC_DEST_SELF | value, 0);
		return true;
	}

	return false;
}

bool model_x2apic_write(struct kvm_vcpu *vcpu, u32 msr, u64 value)
{
	struct kvm_lapic *apic = vcpu->arch.apic;
	unsigned int reg = (msr - X2APIC_MSR_FIRST) << 4;
	bool ok;

	if (!apic || !kvm_apic_x2apic_mode(apic))
		return false;
	if (reg == APIC_ICR)
		return write_icr(apic, value);
	if (value >> 32)
		return false;
	ok = write_reg(apic, reg, value);
	model_map_update(vcpu->kvm);

	return ok;
}

static bool readable(unsigned int reg)
{
	switch (reg) {
	case APIC_ID:
	case APIC_LVR:
	case APIC_TASKPRI:
	case APIC_PROCPRI:
	case APIC_LDR:
	case APIC_SPIV:
	case APIC_ISR ... APIC_IRR + 0x70:
	case APIC_ESR:
	case APIC_LVTT ... APIC_LVTERR:
	case APIC_TMICT:
	case APIC_TMCCT:
	case APIC_TDCR:
		return true;
	}

	return false;
}

bool model_x2apic_read(struct kvm_vcpu *vcpu, u32 msr, u64 *value)
{
	struct kvm_lapic *apic = vcpu->arch.apic;
	unsigned int reg = (msr - X2APIC_MSR_FIRST) << 4;

	if (!apic || !kvm_apic_x2apic_mode(apic))
		return false;
	if (reg == APIC_ICR) {
		*value = kvm_lapic_get(apic, APIC_ICR) | (u64)kvm_lapic_get(apic, LAPIC_X2_ICR_HIGH)
								 << 32;
		return true;
	}
	if (!readable(reg))
		return false;
	if (reg == APIC_PROCPRI)
		model_lapic_update_ppr(apic);
	*value = kvm_lapic_get(apic, reg);

	return true;
}

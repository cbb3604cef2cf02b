// SPDX-License-Identifier: GPL-2.0-only
/*
 * A LAPIC from birth to death, its base register, and its whole state as an image
 * (Documentation/virt/kvm/api.rst, KVM_GET_LAPIC and KVM_SET_LAPIC).
 */
#include <linux/slab.h>

#include "model.h"

#define APIC_VERSION_NUMBER 0x14 /* an integrated APIC (Intel SDM, "Local APIC Version Register") */
#define APIC_LVT_FIRST	    APIC_LVTT
#define APIC_RESET_SPIV	    0xff

int model_lapic_create(struct kvm_vcpu *vcpu)
{
	struct kvm_lapic *apic;

	if (!irqchip_in_kernel(vcpu->kvm))
		return 0;
	apic = kzalloc(sizeof(*apic), GFP_KERNEL_ACCOUNT);
	if (!apic)
		return -ENOMEM;
	apic->vcpu = vcpu;
	vcpu->arch.apic = apic;

	return 0;
}

void model_lapic_destroy(struct kvm_vcpu *vcpu)
{
	kfree(vcpu->arch.apic);
	vcpu->arch.apic = NULL;
}

static void set_xapic_id(struct kvm_lapic *apic)
{
	kvm_lapic_set(apic, APIC_ID, (u32)apic->vcpu->vcpu_id << 24);
	model_map_changed(apic->vcpu->kvm);
}

static void set_x2apic_id(struct kvm_lapic *apic)
{
	kvm_lapic_set(apic, APIC_ID, kvm_apic_x2apic_id(apic));
	kvm_lapic_set(apic, APIC_LDR, model_lapic_x2apic_ldr(kvm_apic_x2apic_id(apic)));
	model_map_changed(apic->vcpu->kvm);
}

void model_lapic_set_spiv(struct kvm_lapic *apic, u32 value)
{
	bool on = value & APIC_SPIV_APIC_ENABLED;

	kvm_lapic_set(apic, APIC_SPIV, value);
	if (on == apic->sw_enabled)
		return;
	apic->sw_enabled = on;
	model_map_changed(apic->vcpu->kvm);
}

void model_lapic_set_version(struct kvm_vcpu *vcpu)
{
	u32 version = APIC_VERSION_NUMBER | (KVM_APIC_NR_LVT - 1) << 16;

	if (!vcpu->arch.apic)
		return;
	/* The IOAPIC of the kernel has no EOI register to direct an EOI to. */
	if (model_vcpu_has_x2apic(vcpu) && !irqchip_full(vcpu->kvm))
		version |= APIC_LVR_DIRECTED_EOI;
	kvm_lapic_set(vcpu->arch.apic, APIC_LVR, version);
}

/* ---- IA32_APIC_BASE ---- */

static void change_base(struct kvm_vcpu *vcpu, u64 value)
{
	struct kvm_lapic *apic = vcpu->arch.apic;
	u64 changed = vcpu->arch.apic_base ^ value;

	vcpu->arch.apic_base = value;
	if (!apic)
		return;
	if (changed & MSR_IA32_APICBASE_ENABLE) {
		if (value & MSR_IA32_APICBASE_ENABLE)
			set_xapic_id(apic);
		else
			model_map_changed(vcpu->kvm);
	}
	if (!(changed & X2APIC_ENABLE))
		return;
	if (value & X2APIC_ENABLE)
		set_x2apic_id(apic);
	else if (value & MSR_IA32_APICBASE_ENABLE)
		set_xapic_id(apic);
}

bool model_lapic_set_base(struct kvm_vcpu *vcpu, u64 value)
{
	u64 reserved = GENMASK_ULL(63, vcpu->arch.maxphyaddr) | 0x2ff;

	if (!model_vcpu_has_x2apic(vcpu))
		reserved |= X2APIC_ENABLE;
	/* x2APIC without APIC is no mode. */
	if (value & reserved ||
	    (value & (X2APIC_ENABLE | MSR_IA32_APICBASE_ENABLE)) == X2APIC_ENABLE)
		return false;

	change_base(vcpu, value);
	if (vcpu->arch.apic)
		model_map_update(vcpu->kvm);

	return true;
}

/* ---- reset ---- */

static bool is_bsp(struct kvm_vcpu *vcpu)
{
	return vcpu->vcpu_id == vcpu->kvm->arch.bsp_vcpu_id;
}

static void reset_vectors(struct kvm_lapic *apic)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		kvm_lapic_set(apic, APIC_IRR + i * 0x10, 0);
		kvm_lapic_set(apic, APIC_ISR + i * 0x10, 0);
		kvm_lapic_set(apic, APIC_TMR + i * 0x10, 0);
	}
}

/* Values: Intel SDM vol. 3, "Local APIC State After Power-Up or Reset" and "After INIT". */
static void reset_registers(struct kvm_lapic *apic)
{
	unsigned int i;

	for (i = 0; i < KVM_APIC_NR_LVT; i++)
		kvm_lapic_set(apic, APIC_LVT_FIRST + i * 0x10, APIC_LVT_MASKED);
	/*
	 * The PIC works from the start, as a BIOS would leave it (KVM_X86_QUIRK_LINT0_REENABLED).
	 */
	if (is_bsp(apic->vcpu))
		kvm_lapic_set(apic, APIC_LVT0, APIC_DM_EXTINT);
	kvm_lapic_set(apic, APIC_DFR, APIC_DFR_FLAT);
	model_lapic_set_spiv(apic, APIC_RESET_SPIV);
	kvm_lapic_set(apic, APIC_TASKPRI, 0);
	kvm_lapic_set(apic, APIC_ESR, 0);
	kvm_lapic_set(apic, APIC_ICR, 0);
	if (!kvm_apic_x2apic_mode(apic)) {
		kvm_lapic_set(apic, APIC_LDR, 0);
		kvm_lapic_set(apic, APIC_ICR2, 0);
	} else {
		kvm_lapic_set(apic, LAPIC_X2_ICR_HIGH, 0);
	}
	kvm_lapic_set(apic, APIC_TDCR, 0);
	kvm_lapic_set(apic, APIC_TMICT, 0);
	reset_vectors(apic);
	model_lapic_count_isr(apic);
}

void model_lapic_reset(struct kvm_vcpu *vcpu, bool init)
{
	struct kvm_lapic *apic = vcpu->arch.apic;

	if (!init)
		change_base(vcpu, APIC_DEFAULT_PHYS_BASE | MSR_IA32_APICBASE_ENABLE |
					  (is_bsp(vcpu) ? MSR_IA32_APICBASE_BSP : 0));
	if (!apic)
		return;

	if (!init)
		set_xapic_id(apic);
	model_lapic_set_version(vcpu);
	reset_registers(apic);
	model_map_changed(vcpu->kvm); /* DFR and LDR are in it */
	model_lapic_update_ppr(apic);
	vcpu->arch.apic_arb_prio = 0;
	model_map_update(vcpu->kvm);
}

/* ---- images ---- */

static u32 *image_reg(struct kvm_lapic_state *s, unsigned int reg)
{
	return (u32 *)(s->regs + reg);
}

int model_lapic_get(struct kvm_vcpu *vcpu, struct kvm_lapic_state *out)
{
	struct kvm_lapic *apic = vcpu->arch.apic;

	memcpy(out, &apic->state, sizeof(*out));
	*image_reg(out, APIC_TMCCT) = 0;
	if (!kvm_apic_x2apic_mode(apic))
		return 0;
	*image_reg(out, APIC_ICR2) = *image_reg(out, LAPIC_X2_ICR_HIGH);
	/* Where 32-bit ids are not agreed on, they are shown as xAPICs have them: what fits. */
	if (!vcpu->kvm->arch.x2apic_format)
		*image_reg(out, APIC_ID) = kvm_apic_x2apic_id(apic) << 24;

	return 0;
}

static int fix_x2apic_image(struct kvm_lapic *apic, struct kvm_lapic_state *s)
{
	u32 id = kvm_apic_x2apic_id(apic);

	if (!kvm_apic_x2apic_mode(apic))
		return 0;
	if (apic->vcpu->kvm->arch.x2apic_format && *image_reg(s, APIC_ID) != id)
		return -EINVAL;
	*image_reg(s, APIC_ID) = id;
	*image_reg(s, LAPIC_X2_ICR_HIGH) = *image_reg(s, APIC_ICR2);
	*image_reg(s, APIC_LDR) = model_lapic_x2apic_ldr(id);

	return 0;
}

int model_lapic_set(struct kvm_vcpu *vcpu, struct kvm_lapic_state *in)
{
	struct kvm_lapic *apic = vcpu->arch.apic;
	int ret;

	/* In this order, as the kernel: a refused image leaves its SVR behind. */
	model_lapic_set_spiv(apic, *image_reg(in, APIC_SPIV));
	ret = fix_x2apic_image(apic, in);
	if (ret) {
		model_map_update(vcpu->kvm);
		return ret;
	}

	memcpy(&apic->state, in, sizeof(apic->state));
	model_map_changed(vcpu->kvm);
	model_map_update(vcpu->kvm);
	model_lapic_set_version(vcpu);
	/* Of what was in service before: the kernel counts ISR only after this (up to 6.18). */
	model_lapic_update_ppr(apic);
	kvm_lapic_set(apic, APIC_TMCCT, 0);
	model_lapic_count_isr(apic);
	kvm_make_request(KVM_REQ_EVENT, vcpu);
	if (irqchip_full(vcpu->kvm))
		model_ioapic_rtc_restore(vcpu);
	vcpu->arch.apic_arb_prio = 0;

	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * A LAPIC at work: what reaches it, what the processor takes from it, and the end of that (Intel
 * SDM vol. 3, "Handling Interrupts"). Its timer and its other local sources never fire.
 */
#include "model.h"

/* The highest vector of a 256-bit register, or -1. */
static int highest(struct kvm_lapic *apic, unsigned int reg)
{
	int i;

	for (i = 7; i >= 0; i--) {
		u32 word = kvm_lapic_get(apic, reg + i * 0x10);

		if (word)
			return i * 32 + __fls(word);
	}

	return -1;
}

bool kvm_lapic_pending_eoi(struct kvm_vcpu *vcpu, u8 vector)
{
	struct kvm_lapic *apic = vcpu->arch.apic;

	return lapic_test_vector(apic, APIC_ISR, vector) ||
	       lapic_test_vector(apic, APIC_IRR, vector);
}

/* ---- what reaches it ---- */

static int accept_vector(struct kvm_lapic *apic, const struct kvm_lapic_irq *irq,
			 struct dest_map *dest_map)
{
	struct kvm_vcpu *vcpu = apic->vcpu;

	/* The de-assertion of a level, or a LAPIC that is off. */
	if ((irq->trig_mode && !irq->level) || !kvm_vcpu_apic_present(vcpu) || !apic->sw_enabled)
		return 0;

	if (dest_map) {
		__set_bit(vcpu->vcpu_id, dest_map->map);
		dest_map->vectors[vcpu->vcpu_id] = irq->vector;
	}
	if (lapic_test_vector(apic, APIC_TMR, irq->vector) != !!irq->trig_mode) {
		if (irq->trig_mode)
			lapic_set_vector(apic, APIC_TMR, irq->vector);
		else
			lapic_clear_vector(apic, APIC_TMR, irq->vector);
	}
	lapic_set_vector(apic, APIC_IRR, irq->vector);
	kvm_make_request(KVM_REQ_EVENT, vcpu);

	return 1;
}

static int accept_init(struct kvm_lapic *apic, const struct kvm_lapic_irq *irq)
{
	/* INIT with level trigger and no level: "de-assert", of old for arbitration ids. */
	if (irq->trig_mode && !irq->level)
		return 0;
	/* An INIT overtakes a SIPI that came before it. */
	WRITE_ONCE(apic->pending_events, BIT(KVM_LAPIC_INIT));
	kvm_make_request(KVM_REQ_EVENT, apic->vcpu);

	return 1;
}

static int accept_sipi(struct kvm_lapic *apic, u8 vector)
{
	apic->sipi_vector = vector;
	smp_wmb(); /* whoever sees the event sees its vector: model_vcpu_requests() */
	set_bit(KVM_LAPIC_SIPI, &apic->pending_events);
	kvm_make_request(KVM_REQ_EVENT, apic->vcpu);

	return 1;
}

int kvm_lapic_accept(struct kvm_vcpu *vcpu, const struct kvm_lapic_irq *irq,
		     struct dest_map *dest_map)
{
	struct kvm_lapic *apic = vcpu->arch.apic;

	switch (irq->delivery_mode) {
	case APIC_DM_LOWEST:
		vcpu->arch.apic_arb_prio++;
		fallthrough;
	case APIC_DM_FIXED:
		return accept_vector(apic, irq, dest_map);
	case APIC_DM_SMI:
#ifdef CONFIG_KVM_SMM
		kvm_make_request(KVM_REQ_SMI, vcpu);
		return 1;
#else
		return 0;
#endif
	case APIC_DM_REMRD:
		/* Remote read is no more; paravirtual spinlocks wake a halted vCPU by it. */
		vcpu->arch.pv.pv_unhalted = 1;
		kvm_make_request(KVM_REQ_EVENT, vcpu);
		return 1;
	case APIC_DM_NMI:
		atomic_inc(&vcpu->arch.nmi_queued);
		kvm_make_request(KVM_REQ_NMI, vcpu);
		return 1;
	case APIC_DM_INIT:
		return accept_init(apic, irq);
	case APIC_DM_STARTUP:
		return accept_sipi(apic, irq->vector);
	}

	/* ExtINT asks for the PIC's vector, which only LINT0 can do. */
	return 0;
}

/* ---- what the processor takes ---- */

static int highest_in_service(struct kvm_lapic *apic)
{
	if (!apic->isr_count)
		return -1;
	return apic->isr_highest >= 0 ? apic->isr_highest : highest(apic, APIC_ISR);
}

void model_lapic_count_isr(struct kvm_lapic *apic)
{
	unsigned int i;

	apic->isr_count = 0;
	apic->isr_highest = -1;
	for (i = 0; i < 8; i++)
		apic->isr_count += hweight32(kvm_lapic_get(apic, APIC_ISR + i * 0x10));
}

void model_lapic_update_ppr(struct kvm_lapic *apic)
{
	u32 tpr = kvm_lapic_get(apic, APIC_TASKPRI);
	int isr = max(highest_in_service(apic), 0);

	kvm_lapic_set(apic, APIC_PROCPRI, (tpr & 0xf0) >= (isr & 0xf0) ? tpr & 0xff : isr & 0xf0);
}

/* Does the PIC's output reach this processor? */
static bool takes_pic(struct kvm_vcpu *vcpu)
{
	u32 lint0;

	if (!irqchip_full(vcpu->kvm) || !READ_ONCE(vcpu->kvm->arch.vpic->output))
		return false;
	/* Without its LAPIC, the processor's pin is the PIC's. */
	if (!kvm_vcpu_apic_present(vcpu))
		return true;
	lint0 = kvm_lapic_get(vcpu->arch.apic, APIC_LVT0);

	return !(lint0 & APIC_LVT_MASKED) &&
	       GET_APIC_DELIVERY_MODE(lint0) == GET_APIC_DELIVERY_MODE(APIC_DM_EXTINT);
}

int model_vcpu_acknowledge(struct kvm_vcpu *vcpu)
{
	struct kvm_lapic *apic = vcpu->arch.apic;
	int vector;

	if (!apic)
		return -1;
	if (takes_pic(vcpu))
		return model_pic_acknowledge(vcpu->kvm);
	if (!kvm_vcpu_apic_present(vcpu))
		return -1;

	model_lapic_update_ppr(apic);
	vector = highest(apic, APIC_IRR);
	if (vector < 0 || (vector & 0xf0) <= kvm_lapic_get(apic, APIC_PROCPRI))
		return -1;
	lapic_clear_vector(apic, APIC_IRR, vector);
	lapic_set_vector(apic, APIC_ISR, vector);
	apic->isr_count++;
	apic->isr_highest = vector;
	model_lapic_update_ppr(apic);

	return vector;
}

/* ---- the end of it ---- */

static void tell_ioapic(struct kvm_lapic *apic, u8 vector)
{
	struct kvm_vcpu *vcpu = apic->vcpu;

	if (!test_bit(vector, vcpu->arch.ioapic_handled_vectors))
		return;
	if (irqchip_split(vcpu->kvm)) {
		vcpu->arch.pending_ioapic_eoi = vector;
		kvm_make_request(KVM_REQ_IOAPIC_EOI_EXIT, vcpu);
		return;
	}
	model_ioapic_eoi(vcpu, vector, lapic_test_vector(apic, APIC_TMR, vector));
}

void model_lapic_eoi(struct kvm_lapic *apic)
{
	int vector = highest_in_service(apic);

	if (vector < 0)
		return;
	lapic_clear_vector(apic, APIC_ISR, vector);
	apic->isr_count--;
	apic->isr_highest = -1;
	model_lapic_update_ppr(apic);
	tell_ioapic(apic, vector);
	kvm_make_request(KVM_REQ_EVENT, apic->vcpu);
}

/* ---- before the guest runs on ---- */

void kvm_make_scan_ioapic_request(struct kvm *kvm)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;

	kvm_for_each_vcpu(i, vcpu, kvm)
		kvm_make_request(KVM_REQ_SCAN_IOAPIC, vcpu);
}

static void scan_ioapic(struct kvm_vcpu *vcpu)
{
	if (!kvm_vcpu_apic_present(vcpu))
		return;
	bitmap_zero(vcpu->arch.ioapic_handled_vectors, 256);
	if (irqchip_split(vcpu->kvm))
		kvm_scan_split_routes(vcpu, vcpu->arch.ioapic_handled_vectors);
	else
		model_ioapic_scan(vcpu, vcpu->arch.ioapic_handled_vectors);
}

static void accept_events(struct kvm_vcpu *vcpu)
{
	struct kvm_lapic *apic = vcpu->arch.apic;

	if (test_and_clear_bit(KVM_LAPIC_INIT, &apic->pending_events)) {
		model_lapic_reset(vcpu, true);
		vcpu->arch.mp_state = vcpu->arch.apic_base & MSR_IA32_APICBASE_BSP
					      ? KVM_MP_STATE_RUNNABLE
					      : KVM_MP_STATE_INIT_RECEIVED;
	}
	if (test_and_clear_bit(KVM_LAPIC_SIPI, &apic->pending_events) &&
	    vcpu->arch.mp_state == KVM_MP_STATE_INIT_RECEIVED)
		vcpu->arch.mp_state = KVM_MP_STATE_RUNNABLE;
}

bool model_vcpu_requests(struct kvm_vcpu *vcpu)
{
	if (!vcpu->arch.apic)
		return false;
	accept_events(vcpu);
	if (irqchip_full(vcpu->kvm))
		model_ioapic_late(vcpu->kvm);

	/* In the kernel's order: what the last scan said of this EOI counts. */
	if (kvm_check_request(KVM_REQ_IOAPIC_EOI_EXIT, vcpu) &&
	    test_bit(vcpu->arch.pending_ioapic_eoi, vcpu->arch.ioapic_handled_vectors)) {
		vcpu->run->exit_reason = KVM_EXIT_IOAPIC_EOI;
		vcpu->run->eoi.vector = vcpu->arch.pending_ioapic_eoi;
		return true;
	}
	if (kvm_check_request(KVM_REQ_SCAN_IOAPIC, vcpu))
		scan_ioapic(vcpu);
	/* Is there something to inject? That looks at the PIC first, then at priorities. */
	if (kvm_check_request(KVM_REQ_EVENT, vcpu) && !takes_pic(vcpu) &&
	    kvm_vcpu_apic_present(vcpu))
		model_lapic_update_ppr(vcpu->arch.apic);

	return false;
}

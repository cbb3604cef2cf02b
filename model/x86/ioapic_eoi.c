// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way back: a vCPU's EOI reaches the IOAPIC's pins of that vector, but only where the last scan
 * of the pins said that it has to.
 */
#include "model.h"

typedef typeof(((struct kvm_ioapic_state *)0)->redirtbl[0]) redirection;

static bool means(struct kvm_vcpu *vcpu, const redirection *e)
{
	return kvm_lapic_match_dest(vcpu, NULL, KVM_APIC_NO_SHORTHAND, e->fields.dest_id,
				    e->fields.dest_mode ? APIC_DEST_LOGICAL : APIC_DEST_PHYSICAL);
}

/* ---- the RTC's edges ---- */

static void rtc_eoi(struct kvm_ioapic *io, struct kvm_vcpu *vcpu, u8 vector)
{
	u32 id = vcpu->vcpu_id;

	if (!test_bit(id, io->rtc.map) || io->rtc.vectors[id] != vector)
		return;
	__clear_bit(id, io->rtc.map);
	io->rtc_pending--;
	if (WARN_ON(io->rtc_pending < 0))
		model_ioapic_rtc_restore_all(io);
}

static void rtc_restore_one(struct kvm_ioapic *io, struct kvm_vcpu *vcpu)
{
	const redirection *e = &io->state.redirtbl[IOAPIC_RTC_PIN];
	u32 id = vcpu->vcpu_id;
	bool pending;

	if (!means(vcpu, e))
		return;
	pending = kvm_lapic_pending_eoi(vcpu, e->fields.vector);
	if (pending == test_bit(id, io->rtc.map))
		return;

	if (pending) {
		__set_bit(id, io->rtc.map);
		io->rtc.vectors[id] = e->fields.vector;
		io->rtc_pending++;
	} else {
		__clear_bit(id, io->rtc.map);
		io->rtc_pending--;
	}
}

void model_ioapic_rtc_restore_all(struct kvm_ioapic *io)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;

	bitmap_zero(io->rtc.map, KVM_MAX_VCPU_IDS);
	io->rtc_pending = 0;
	kvm_for_each_vcpu(i, vcpu, io->kvm)
		if (vcpu->arch.apic)
			rtc_restore_one(io, vcpu);
}

void model_ioapic_rtc_restore(struct kvm_vcpu *vcpu)
{
	struct kvm_ioapic *io = vcpu->kvm->arch.vioapic;

	spin_lock(&io->lock);
	rtc_restore_one(io, vcpu);
	if (WARN_ON(io->rtc_pending < 0))
		model_ioapic_rtc_restore_all(io);
	spin_unlock(&io->lock);
}

/* Hardware that ends edges itself tells nobody: what is pending nowhere was ended. */
void model_ioapic_lazy_eoi(struct kvm_ioapic *io, unsigned int pin)
{
	const redirection *e = &io->state.redirtbl[pin];
	struct kvm_vcpu *vcpu;
	unsigned long i;

	if (READ_ONCE(io->kvm->arch.apicv_inhibit_reasons) || !io->rtc_pending)
		return;
	kvm_for_each_vcpu(i, vcpu, io->kvm) {
		if (!vcpu->arch.apic || !means(vcpu, e) ||
		    kvm_lapic_pending_eoi(vcpu, e->fields.vector))
			continue;
		rtc_eoi(io, vcpu, e->fields.vector);
		break;
	}
}

/* ---- level-triggered pins ---- */

static void sent_again(struct kvm_ioapic *io, unsigned int pin)
{
	if (++io->eois[pin] < IOAPIC_STORM_EOIS) {
		model_ioapic_service(io, pin, false);
		return;
	}
	/* The guest does nothing but this interrupt: let it get to something else. */
	io->eois[pin] = 0;
	io->late = true;
}

static void pin_eoi(struct kvm_ioapic *io, struct kvm_lapic *apic, unsigned int pin, bool level)
{
	redirection *e = &io->state.redirtbl[pin];

	/*
	 * A listener may raise or lower this very pin. What comes while the lock is away waits in
	 * irr, since remote IRR is still set.
	 */
	spin_unlock(&io->lock);
	kvm_notify_acked_irq(io->kvm, KVM_IRQCHIP_IOAPIC, pin);
	spin_lock(&io->lock);

	/* Directed EOI: the guest will write the IOAPIC's own EOI register. */
	if (!level || kvm_lapic_get(apic, APIC_SPIV) & APIC_SPIV_DIRECTED_EOI)
		return;

	e->fields.remote_irr = 0;
	if (!e->fields.mask && io->state.irr & BIT(pin))
		sent_again(io, pin);
	else
		io->eois[pin] = 0;
}

void model_ioapic_eoi(struct kvm_vcpu *vcpu, u8 vector, bool level)
{
	struct kvm_ioapic *io = vcpu->kvm->arch.vioapic;
	unsigned int pin;

	spin_lock(&io->lock);
	rtc_eoi(io, vcpu, vector);
	for (pin = 0; pin < KVM_IOAPIC_NUM_PINS; pin++)
		if (io->state.redirtbl[pin].fields.vector == vector)
			pin_eoi(io, vcpu->arch.apic, pin, level);
	spin_unlock(&io->lock);
}

/* Time does not pass here but by running a guest: what a storm holds back comes with KVM_RUN. */
void model_ioapic_late(struct kvm *kvm)
{
	struct kvm_ioapic *io = kvm->arch.vioapic;
	unsigned int pin;

	spin_lock(&io->lock);
	for (pin = 0; io->late && pin < KVM_IOAPIC_NUM_PINS; pin++) {
		const redirection *e = &io->state.redirtbl[pin];

		if (e->fields.trig_mode && io->state.irr & BIT(pin) && !e->fields.remote_irr)
			model_ioapic_service(io, pin, false);
	}
	io->late = false;
	spin_unlock(&io->lock);
}

void model_ioapic_scan(struct kvm_vcpu *vcpu, unsigned long *vectors)
{
	struct kvm_ioapic *io = vcpu->kvm->arch.vioapic;
	unsigned int pin;

	spin_lock(&io->lock);
	if (test_bit(vcpu->vcpu_id, io->rtc.map))
		__set_bit(io->rtc.vectors[vcpu->vcpu_id], vectors);
	for (pin = 0; pin < KVM_IOAPIC_NUM_PINS; pin++) {
		const redirection *e = &io->state.redirtbl[pin];

		if (!e->fields.trig_mode && pin != IOAPIC_RTC_PIN &&
		    !kvm_irq_has_notifier(io->kvm, KVM_IRQCHIP_IOAPIC, pin))
			continue;
		if (means(vcpu, e) || kvm_lapic_pending_eoi(vcpu, e->fields.vector))
			__set_bit(e->fields.vector, vectors);
	}
	spin_unlock(&io->lock);
}

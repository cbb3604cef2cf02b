// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IOAPIC's pins (Intel 82093AA data sheet, order number 290566). Its registers are not here: a
 * guest's programming comes as an image.
 */
#include <linux/slab.h>

#include "model.h"

int model_ioapic_create(struct kvm *kvm)
{
	struct kvm_ioapic *io = kzalloc(sizeof(*io), GFP_KERNEL_ACCOUNT);
	unsigned int pin;

	if (!io)
		return -ENOMEM;
	spin_lock_init(&io->lock);
	io->kvm = kvm;
	io->state.base_address = IO_APIC_DEFAULT_PHYS_BASE;
	for (pin = 0; pin < KVM_IOAPIC_NUM_PINS; pin++)
		io->state.redirtbl[pin].fields.mask = 1;
	kvm->arch.vioapic = io;

	return 0;
}

void model_ioapic_destroy(struct kvm *kvm)
{
	kfree(kvm->arch.vioapic);
	kvm->arch.vioapic = NULL;
}

static int deliver_rtc(struct kvm_ioapic *io, struct kvm_lapic_irq *irq)
{
	int ret = kvm_irq_delivery_to_apic(io->kvm, NULL, irq, &io->rtc);

	io->rtc_pending = max(ret, 0);
	return ret;
}

int model_ioapic_service(struct kvm_ioapic *io, unsigned int pin, bool line_status)
{
	typeof(io->state.redirtbl[0]) *e = &io->state.redirtbl[pin];
	struct kvm_lapic_irq irq = {
		.vector = e->fields.vector,
		.delivery_mode = e->fields.delivery_mode << 8,
		.dest_mode = e->fields.dest_mode ? APIC_DEST_LOGICAL : APIC_DEST_PHYSICAL,
		.level = true,
		.trig_mode = e->fields.trig_mode,
		.shorthand = KVM_APIC_NO_SHORTHAND,
		.dest_id = e->fields.dest_id,
	};
	int ret;

	/* A level interrupt is sent once, until its EOI. */
	if (e->fields.mask || (e->fields.trig_mode && e->fields.remote_irr))
		return -1;

	if (!e->fields.trig_mode)
		io->delivered |= BIT(pin);
	if (pin == IOAPIC_RTC_PIN && line_status)
		ret = deliver_rtc(io, &irq);
	else
		ret = kvm_irq_delivery_to_apic(io->kvm, NULL, &irq, NULL);
	if (ret && irq.trig_mode)
		e->fields.remote_irr = 1;

	return ret;
}

static int raise(struct kvm_ioapic *io, unsigned int pin, bool line_status)
{
	bool edge = !io->state.redirtbl[pin].fields.trig_mode;
	u32 was = io->state.irr;

	if (edge)
		model_ioapic_lazy_eoi(io, pin);
	/* Guests count RTC interrupts: who raises them wants to know which ones are lost. */
	if (pin == IOAPIC_RTC_PIN && line_status && io->rtc_pending > 0)
		return 0;

	io->state.irr |= BIT(pin);
	if (edge) {
		io->delivered &= ~BIT(pin);
		if (was == io->state.irr)
			return 0;
	}

	return model_ioapic_service(io, pin, line_status);
}

static int set_pin(struct kvm_ioapic *io, unsigned int pin, bool level, bool line_status)
{
	if (level)
		return raise(io, pin, line_status);
	io->state.irr &= ~BIT(pin);
	return 1;
}

int model_ioapic_set_line(struct kvm *kvm, unsigned int pin, int source, int level,
			  bool line_status)
{
	struct kvm_ioapic *io = kvm->arch.vioapic;
	bool up;
	int ret;

	spin_lock(&io->lock);
	up = line_level(&io->lines[pin], source, level);
	ret = set_pin(io, pin, up, line_status);
	spin_unlock(&io->lock);

	return ret;
}

void model_ioapic_get(struct kvm *kvm, struct kvm_ioapic_state *out)
{
	struct kvm_ioapic *io = kvm->arch.vioapic;

	spin_lock(&io->lock);
	*out = io->state;
	/* An edge that is out does not come again where this image is set. */
	out->irr &= ~io->delivered;
	spin_unlock(&io->lock);
}

void model_ioapic_set(struct kvm *kvm, const struct kvm_ioapic_state *in)
{
	struct kvm_ioapic *io = kvm->arch.vioapic;
	unsigned int pin;

	spin_lock(&io->lock);
	io->state = *in;
	io->state.irr = 0;
	io->delivered = 0;
	kvm_make_scan_ioapic_request(kvm);
	io->rtc_pending = 0;
	bitmap_zero(io->rtc.map, KVM_MAX_VCPU_IDS);
	for (pin = 0; pin < KVM_IOAPIC_NUM_PINS; pin++)
		if (in->irr & BIT(pin))
			set_pin(io, pin, true, true);
	model_ioapic_rtc_restore_all(io);
	spin_unlock(&io->lock);
}

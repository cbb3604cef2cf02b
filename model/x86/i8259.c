// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two cascaded 8259A (Intel 8259A data sheet, order number 231468), with the edge/level control
 * registers of a PC chipset. The command words are not here: a guest's programming comes as an
 * image.
 */
#include <linux/slab.h>

#include "../kvm/door.h"
#include "model.h"

#define NO_PRIORITY 8
#define CASCADE_PIN 2 /* of the master */
#define SPURIOUS    7

int model_pic_create(struct kvm *kvm)
{
	struct kvm_pic *pic = kzalloc(sizeof(*pic), GFP_KERNEL_ACCOUNT);

	if (!pic)
		return -ENOMEM;
	spin_lock_init(&pic->lock);
	pic->kvm = kvm;
	/* Which pins a PC lets be level-triggered: not timer, keyboard, cascade, RTC, FPU. */
	pic->chip[0].elcr_mask = 0xf8;
	pic->chip[1].elcr_mask = 0xde;
	kvm->arch.vpic = pic;

	return 0;
}

void model_pic_destroy(struct kvm *kvm)
{
	kfree(kvm->arch.vpic);
	kvm->arch.vpic = NULL;
}

/* 1: news, 0: pending already, -1: masked. */
static int set_pin(struct kvm_pic_state *s, unsigned int pin, bool level)
{
	u8 bit = 1 << pin;
	int ret = 1;

	if (level && (s->elcr & bit || !(s->last_irr & bit))) {
		ret = !(s->irr & bit);
		s->irr |= bit;
	}
	if (!level && s->elcr & bit)
		s->irr &= ~bit;
	if (level)
		s->last_irr |= bit;
	else
		s->last_irr &= ~bit;

	return s->imr & bit ? -1 : ret;
}

/* 0 is the highest; a rotation makes another pin the highest. */
static unsigned int highest(const struct kvm_pic_state *s, u8 pins)
{
	unsigned int priority = 0;

	if (!pins)
		return NO_PRIORITY;
	while (!(pins >> ((priority + s->priority_add) & 7) & 1))
		priority++;

	return priority;
}

/* The pin that asks for service, or -1. */
static int requesting(struct kvm_pic *pic, unsigned int n)
{
	const struct kvm_pic_state *s = &pic->chip[n];
	unsigned int asks = highest(s, s->irr & ~s->imr);
	u8 served = s->isr;

	/* Fully nested: the slave in service does not keep out a better pin of the slave. */
	if (s->special_fully_nested_mode && !n)
		served &= ~(1 << CASCADE_PIN);
	if (asks >= highest(s, served))
		return -1;

	return (asks + s->priority_add) & 7;
}

static void update(struct kvm_pic *pic)
{
	if (requesting(pic, 1) >= 0) {
		set_pin(&pic->chip[0], CASCADE_PIN, true);
		set_pin(&pic->chip[0], CASCADE_PIN, false);
	}
	pic->output = requesting(pic, 0) >= 0;
}

int model_pic_set_line(struct kvm *kvm, unsigned int pin, int source, int level)
{
	struct kvm_pic *pic = kvm->arch.vpic;
	bool up;
	int ret;

	spin_lock(&pic->lock);
	up = line_level(&pic->lines[pin], source, level);
	ret = set_pin(&pic->chip[pin / PIC_PINS], pin % PIC_PINS, up);
	update(pic);
	spin_unlock(&pic->lock);

	return ret;
}

/* Automatic EOI: over as soon as it is acknowledged. True: user space is to be told. */
static bool acknowledge(struct kvm_pic_state *s, unsigned int pin)
{
	s->isr |= 1 << pin;
	if (!(s->elcr >> pin & 1))
		s->irr &= ~(1 << pin);
	if (!s->auto_eoi)
		return false;
	if (s->rotate_on_auto_eoi)
		s->priority_add = (pin + 1) & 7;
	s->isr &= ~(1 << pin);

	return true;
}

static void notify(struct kvm_pic *pic, unsigned int chip, unsigned int pin)
{
	spin_unlock(&pic->lock);
	kvm_notify_acked_irq(pic->kvm, chip ? KVM_IRQCHIP_PIC_SLAVE : KVM_IRQCHIP_PIC_MASTER,
			     chip ? pin + PIC_PINS : pin);
	spin_lock(&pic->lock);
}

static int take(struct kvm_pic *pic, unsigned int n)
{
	int pin = requesting(pic, n);

	if (pin < 0)
		return SPURIOUS;
	if (acknowledge(&pic->chip[n], pin))
		notify(pic, n, pin);

	return pin;
}

int model_pic_acknowledge(struct kvm *kvm)
{
	struct kvm_pic *pic = kvm->arch.vpic;
	int pin, vector;

	spin_lock(&pic->lock);
	/* A spurious interrupt of the master has the number of a pin, but asks no slave. */
	if (requesting(pic, 0) == CASCADE_PIN) {
		take(pic, 0);
		pin = take(pic, 1);
		vector = pic->chip[1].irq_base + pin;
	} else {
		pin = take(pic, 0);
		vector = pic->chip[0].irq_base + pin;
	}
	update(pic);
	spin_unlock(&pic->lock);

	return vector & 0xff;
}

void model_pic_get(struct kvm *kvm, unsigned int chip, struct kvm_pic_state *out)
{
	struct kvm_pic *pic = kvm->arch.vpic;

	spin_lock(&pic->lock);
	*out = pic->chip[chip];
	spin_unlock(&pic->lock);
}

void model_pic_set(struct kvm *kvm, unsigned int chip, const struct kvm_pic_state *in)
{
	struct kvm_pic *pic = kvm->arch.vpic;

	spin_lock(&pic->lock);
	pic->chip[chip] = *in;
	spin_unlock(&pic->lock);
}

void model_pic_refresh(struct kvm *kvm)
{
	struct kvm_pic *pic = kvm->arch.vpic;

	spin_lock(&pic->lock);
	update(pic);
	spin_unlock(&pic->lock);
}

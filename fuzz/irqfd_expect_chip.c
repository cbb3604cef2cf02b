// SPDX-License-Identifier: GPL-2.0-only
/* Lines, the IOAPIC's upper pins and a LAPIC, as far as fuzz_irqfd uses them. */
#include <string.h>

#include "irqfd_expect.h"

static void put_bit(uint32_t *bits, unsigned int n, bool value)
{
	if (value)
		bits[n / 32] |= 1u << n % 32;
	else
		bits[n / 32] &= ~(1u << n % 32);
}

static void change(struct expect_kvm *kvm)
{
	kvm->touched = kvm->changed = true;
}

static int highest(const uint32_t *bits)
{
	int i;

	for (i = 7; i >= 0; i--)
		if (bits[i])
			return i * 32 + 31 - __builtin_clz(bits[i]);
	return -1;
}

static void accept(struct expect_kvm *kvm, uint8_t vector, bool level)
{
	change(kvm);
	put_bit(kvm->lapic.tmr, vector, level);
	put_bit(kvm->lapic.irr, vector, true);
}

static bool is_level(unsigned int pin)
{
	return pin & 1;
}

/* Sends a level interrupt once, until its EOI. */
static int send_level(struct expect_kvm *kvm, unsigned int pin)
{
	if (kvm->remote >> pin & 1)
		return -1;
	kvm->remote |= 1u << pin;
	accept(kvm, EXPECT_VECTOR_OF_PIN(EXPECT_FIRST_PIN + pin), true);
	return 1;
}

static int set_pin(struct expect_kvm *kvm, unsigned int pin, int source, bool level)
{
	bool was = kvm->pending >> pin & 1;

	change(kvm);
	kvm->lines[pin][source] = level;
	if (!kvm->lines[pin][SOURCE_USER] && !kvm->lines[pin][SOURCE_RESAMPLE]) {
		kvm->pending &= ~(1u << pin);
		return 1;
	}
	kvm->pending |= 1u << pin;
	if (is_level(pin))
		return send_level(kvm, pin);
	/* An edge is one only where the line was down. */
	if (was)
		return 0;
	accept(kvm, EXPECT_VECTOR_OF_PIN(EXPECT_FIRST_PIN + pin), false);
	return 1;
}

int expect_set_irq(struct expect_kvm *kvm, int source, uint32_t gsi, bool level)
{
	static const struct expect_route none;
	const struct expect_route *r = gsi < EXPECT_GSIS ? &kvm->routes[gsi] : &none;

	switch (r->kind) {
	case ROUTE_PIN:
		return set_pin(kvm, r->pin, source, level);
	case ROUTE_MESSAGE:
		if (!level)
			return -1;
		if (r->meant)
			accept(kvm, r->vector, false);
		return r->meant;
	default:
		return -1;
	}
}

void expect_scan(struct expect_kvm *kvm, uint32_t others)
{
	unsigned int pin;

	change(kvm);
	memset(kvm->handled, 0, sizeof(kvm->handled));
	for (pin = 0; pin < EXPECT_PINS; pin++)
		if (is_level(pin) || others >> pin & 1)
			put_bit(kvm->handled, EXPECT_VECTOR_OF_PIN(EXPECT_FIRST_PIN + pin), true);
}

/* The highest one, if its class of 16 vectors is above the one in service. */
int expect_acknowledge(struct expect_kvm *kvm)
{
	int vector = highest(kvm->lapic.irr), isr = highest(kvm->lapic.isr);

	if (vector < 0 || vector >> 4 <= (isr < 0 ? 0 : isr >> 4))
		return -1;
	change(kvm);
	put_bit(kvm->lapic.irr, vector, false);
	put_bit(kvm->lapic.isr, vector, true);
	return vector;
}

int expect_end(struct expect_kvm *kvm, bool *level)
{
	int vector = highest(kvm->lapic.isr);

	if (vector < 0)
		return -1;
	change(kvm);
	put_bit(kvm->lapic.isr, vector, false);
	*level = expect_bit(kvm->lapic.tmr, vector);
	return vector;
}

void expect_pin_ended(struct expect_kvm *kvm, unsigned int pin)
{
	change(kvm);
	kvm->remote &= ~(1u << pin);
	if (kvm->pending >> pin & 1)
		send_level(kvm, pin);
}

// SPDX-License-Identifier: GPL-2.0-only
/* Routes, lines and EOIs of a VM, as far as irqfds are concerned, and what goes past the host. */
#include <errno.h>
#include <string.h>

#include "irqfd_expect.h"

long expect_routes(struct expect *x, int vm_fd, const struct kvm_irq_routing *t)
{
	struct expect_kvm *kvm = expect_object(x, vm_fd, FD_VM);
	struct expect_route routes[EXPECT_GSIS] = { 0 };
	int gsi_of_pin[EXPECT_PINS];
	uint32_t i;

	if (!kvm)
		return expect_not_a_vm(x, vm_fd);
	memset(gsi_of_pin, 0xff, sizeof(gsi_of_pin));
	for (i = 0; i < t->nr; i++) {
		const struct kvm_irq_routing_entry *e = &t->entries[i];
		struct expect_route *r = &routes[e->gsi];
		bool pin = e->type == KVM_IRQ_ROUTING_IRQCHIP;

		/* No pins without their controller; two routes only to two controllers. */
		if ((pin && !kvm->full) || r->kind != ROUTE_NONE)
			return -EINVAL;
		r->kind = pin ? ROUTE_PIN : ROUTE_MESSAGE;
		if (pin) {
			r->pin = e->u.irqchip.pin - EXPECT_FIRST_PIN;
			gsi_of_pin[r->pin] = e->gsi;
		} else {
			r->vector = e->u.msi.data;
			r->meant = !(e->u.msi.address_lo >> 12 & 0xff);
		}
	}
	kvm->rerouted = true;
	memcpy(kvm->routes, routes, sizeof(routes));
	memcpy(kvm->gsi_of_pin, gsi_of_pin, sizeof(gsi_of_pin));
	return 0;
}

long expect_line(struct expect *x, int vm_fd, uint32_t gsi, bool level, int *status)
{
	struct expect_kvm *kvm = expect_object(x, vm_fd, FD_VM);

	if (!kvm)
		return expect_not_a_vm(x, vm_fd);
	*status = expect_set_irq(kvm, SOURCE_USER, gsi, level);
	return 0;
}

/* The line is lowered once, then each of the irqfds' users is told, the last to come first. */
static void acknowledged(struct expect *x, struct expect_kvm *kvm, uint32_t gsi)
{
	unsigned int i;

	expect_set_irq(kvm, SOURCE_RESAMPLE, gsi, false);
	for (i = x->nr_irqfds; i > 0; i--) {
		const struct expect_irqfd *f = &x->irqfds[i - 1];
		struct expect_eventfd *e = f->resample;

		if (f->kvm != kvm || !e || f->gsi != gsi)
			continue;
		e->count += e->count != UINT64_MAX;
		expect_wake(x, e);
	}
}

void expect_run(struct expect *x, struct expect_kvm *kvm)
{
	uint32_t others = 0;
	unsigned int pin;

	if (!kvm->scan || !kvm->full)
		return;
	kvm->scan = false;
	for (pin = 0; pin < EXPECT_PINS; pin++)
		if (kvm->gsi_of_pin[pin] >= 0 && expect_resamples(x, kvm, kvm->gsi_of_pin[pin]))
			others |= 1u << pin;
	expect_scan(kvm, others);
}

void expect_eoi(struct expect *x, struct expect_kvm *kvm)
{
	bool level = false;
	int vector = expect_end(kvm, &level);
	unsigned int pin = vector - EXPECT_VECTOR_OF_PIN(EXPECT_FIRST_PIN);

	if (vector < 0 || pin >= EXPECT_PINS || !expect_bit(kvm->handled, vector))
		return;
	if (kvm->gsi_of_pin[pin] >= 0 && expect_resamples(x, kvm, kvm->gsi_of_pin[pin]))
		acknowledged(x, kvm, kvm->gsi_of_pin[pin]);
	if (level)
		expect_pin_ended(kvm, pin);
	expect_run_items(x);
}

/* ---- producers ---- */

long expect_producer_add(struct expect *x, int fd, unsigned int host_irq)
{
	struct expect_eventfd *e = expect_object(x, fd, FD_EVENTFD);
	unsigned int i;

	if (x->producers[host_irq])
		return -EBUSY;
	if (!e)
		return expect_not_an_eventfd(x, fd);
	for (i = 0; i < EXPECT_HOST_IRQS; i++)
		if (x->producers[i] == e)
			return -EBUSY;
	x->producers[host_irq] = e;
	return 0;
}

long expect_producer_remove(struct expect *x, unsigned int host_irq)
{
	if (!x->producers[host_irq])
		return -EINVAL;
	x->producers[host_irq] = NULL;
	return 0;
}

int expect_posted(const struct expect *x, unsigned int host_irq)
{
	const struct expect_eventfd *e = x->producers[host_irq];
	const struct expect_route *r;
	unsigned int i;

	for (i = 0; e && i < x->nr_irqfds; i++) {
		const struct expect_irqfd *f = &x->irqfds[i];

		if (f->eventfd != e || !f->consumer || f->gsi >= EXPECT_GSIS)
			continue;
		r = &f->kvm->routes[f->gsi];
		return r->kind == ROUTE_MESSAGE && r->meant ? r->vector : -1;
	}
	return -1;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enabling MSI-X on passed-through devices: whenever the routes are committed, the guest gets the
 * same interrupts.
 */
#include <stdlib.h>
#include <string.h>

#include "irqfd_msix.h"

const struct msi_message msix_messages[VECTORS] = {
	{ 0xfee00000, 0x31 }, { 0xfee00000, 0x32 }, { 0xfee00000, 0x33 },
	{ 0xfee00000, 0x34 }, { 0xfee00000, 0x35 },
};

unsigned int msix_calls, msix_fail_call;

static long failing_ioctl(struct backend *b, int fd, unsigned int cmd, unsigned long arg)
{
	if ((cmd == KVM_SET_GSI_ROUTING || cmd == KVM_IRQFD) && ++msix_calls == msix_fail_call)
		return -ENOMEM;
	return b->ops->ioctl(fd, cmd, arg);
}

struct bench *bench_begin(const struct port *port)
{
	struct bench *t = calloc(1, sizeof(*t));

	cr_assert(t);
	t->vm = vm_make(port, FULL_CHIP);
	t->vcpu = t->vm.ops->ioctl(t->vm.fd, KVM_CREATE_VCPU, 0);
	cr_assert_geq(t->vcpu, 0);
	backend_port_init(&t->b, port);
	t->b.ioctl = failing_ioctl;
	msix_fail_call = 0;
	cr_assert_eq(msi_routes_init(&t->routes, &t->b, t->vm.fd, true), 0);
	msix_calls = 0;
	begin_events(&t->vm);
	return t;
}

void bench_end(struct bench *t)
{
	while (t->nr)
		vfio_device_free(&t->devices[--t->nr]);
	cr_expect_eq(t->routes.table.nr, MSI_ROUTES_PINS, "%u", t->routes.table.nr);
	t->vm.ops->set_event_sink(NULL, NULL);
	t->vm.ops->close(t->vcpu);
	vm_end(&t->vm);
	free(t);
}

struct vfio_device *next_device(struct bench *t, enum vfio_strategy s)
{
	struct vfio_device *d = &t->devices[t->nr];

	cr_assert_eq(vfio_device_init(d, &t->routes, s, t->nr * VECTORS, msix_messages, VECTORS),
		     0);
	t->nr++;
	return d;
}

unsigned int connected(const struct vfio_device *d)
{
	unsigned int i, n = 0;

	for (i = 0; i < d->nr; i++)
		n += d->vectors[i].virq >= 0;
	return n;
}

static void expect_vector(struct bench *t, struct vfio_device *d, unsigned int i)
{
	struct vfio_vector *v = &d->vectors[i];
	struct port_irte irte;
	bool posted = v->virq >= 0 && !v->masked;

	if (v->told < 0) {
		cr_expect(!v->used && v->virq < 0);
		return;
	}
	cr_expect_eq(vfio_device_interrupt(d, i), 0);
	expect_event(!v->masked, v->virq >= 0 ? (uint32_t)v->virq : PORT_GSI_NONE, v->message.data);
	cr_expect_eq(v->pending, v->masked);
	t->vm.ops->irte(d->first_irq + i, &irte);
	cr_expect_eq(irte.posted, posted, "vector %u", i);
	if (posted)
		cr_expect_eq(irte.vector, v->message.data & 0xff, "vector %u", i);
}

void expect_vectors(struct bench *t)
{
	unsigned int n, i;

	for (n = 0; n < t->nr; n++)
		for (i = 0; i < VECTORS; i++)
			expect_vector(t, &t->devices[n], i);
}

void expect_same_table(struct bench *t)
{
	struct table *want = table_new();

	want->head.nr = t->routes.table.nr;
	memcpy(want->entries, t->routes.table.entries, want->head.nr * sizeof(want->entries[0]));
	expect_table(&t->vm, want);
	free(want);
}

void expect_routed(struct bench *t)
{
	struct port_route route[PORT_ROUTES_PER_GSI];
	uint32_t i;

	for (i = 0; i < t->routes.table.nr; i++) {
		const struct kvm_irq_routing_entry *e = &t->routes.table.entries[i];

		if (e->type != KVM_IRQ_ROUTING_MSI)
			continue;
		cr_assert_eq(t->vm.ops->map_gsi(t->vm.fd, e->gsi, route), 1, "gsi %u", e->gsi);
		cr_expect_eq(route[0].words[0], e->u.msi.address_lo);
		cr_expect_eq(route[0].words[2], e->u.msi.data, "gsi %u", e->gsi);
	}
}

Test(irqfd_msix, both_orders_end_alike)
{
	const struct port *port;
	uint64_t digest[2][DEVICES];
	unsigned long commits[2][DEVICES];
	enum vfio_strategy s;
	unsigned int n;

	for_each_port(port) {
		for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
			struct bench *t = bench_begin(port);

			for (n = 0; n < DEVICES; n++) {
				unsigned long before = t->routes.commits;
				struct vfio_device *d = next_device(t, s);

				cr_assert_eq(vfio_msix_enable(d), VECTORS);
				cr_expect_eq(connected(d), VECTORS);
				expect_vectors(t);
				expect_same_table(t);
				port->ops->routing_digest(t->vm.fd, &digest[s][n]);
				commits[s][n] = t->routes.commits - before;
				cr_expect_eq(d->irqfd_ioctls, VECTORS);
				/* Reserved, then told one by one; or told once. */
				cr_expect_eq(d->device_ioctls,
					     s == VFIO_PER_VECTOR ? 1 + VECTORS : 1);
			}
			bench_end(t);
		}
		for (n = 0; n < DEVICES; n++) {
			cr_expect_eq(digest[0][n], digest[1][n], "device %u", n);
			cr_expect_eq(commits[VFIO_PER_VECTOR][n], VECTORS);
			cr_expect_eq(commits[VFIO_DEFERRED][n], 1);
		}
	}
}

/* Bug c17408892319: the second attempt has to be a batch of its own. */
Test(irqfd_msix, fewer_vectors_than_asked_for)
{
	const struct port *port = next_port(NULL);
	unsigned int granted;
	enum vfio_strategy s;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		for (granted = 0; granted < VECTORS; granted++) {
			struct bench *t = bench_begin(port);
			struct vfio_device *d = next_device(t, s);

			d->granted = granted;
			cr_assert_eq(vfio_msix_enable(d), granted ? (int)granted : -ENOSPC);
			cr_expect_eq(connected(d), granted);
			cr_expect_eq(d->enabled, granted);
			expect_vectors(t);
			expect_routed(t);
			if (granted)
				expect_same_table(t);
			bench_end(t);
		}
	}
}

Test(irqfd_msix, masked_vectors_wait_until_they_are_used)
{
	const struct port *port = next_port(NULL);
	enum vfio_strategy s;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		struct bench *t = bench_begin(port);
		struct vfio_device *d = next_device(t, s);
		unsigned long commits;

		d->vectors[1].masked = d->vectors[3].masked = true;
		cr_assert_eq(vfio_msix_enable(d), VECTORS);
		cr_expect_eq(connected(d), VECTORS - 2);
		expect_vectors(t);

		commits = t->routes.commits;
		cr_assert_eq(vfio_msix_vector_use(d, 1, &msix_messages[1]), 0);
		cr_expect_eq(t->routes.commits, commits + 1);
		cr_expect_eq(connected(d), VECTORS - 1);
		expect_vectors(t);
		expect_same_table(t);
		bench_end(t);
	}
}

/* Route and irqfd stay; what came meanwhile is injected at the end, with the message of then. */
Test(irqfd_msix, what_comes_while_masked_is_not_lost)
{
	const struct port *port = next_port(NULL);
	const struct msi_message moved = { 0xfee00000, 0x77 };
	enum vfio_strategy s;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		struct bench *t = bench_begin(port);
		struct vfio_device *d = next_device(t, s);
		unsigned long commits;
		int virq;

		cr_assert_eq(vfio_msix_enable(d), VECTORS);
		virq = d->vectors[2].virq;
		commits = t->routes.commits;
		vfio_msix_vector_release(d, 2);
		cr_expect_eq(t->routes.commits, commits);
		expect_vectors(t);
		cr_expect(d->vectors[2].pending);

		cr_assert_eq(vfio_msix_vector_use(d, 2, &moved), 0);
		expect_event(1, PORT_GSI_NONE, 0x77);
		cr_expect(!d->vectors[2].pending);
		cr_expect_eq(d->vectors[2].virq, virq);
		expect_vectors(t);
		expect_same_table(t);
		bench_end(t);
	}
}

/* As QEMU does: the table is sent, changed or not; neither irqfds nor virqs change. */
Test(irqfd_msix, irqbalance_costs_a_commit_each_time)
{
	const struct port *port = next_port(NULL);
	const struct msi_message moved = { 0xfee00000, 0x77 };
	enum vfio_strategy s;
	int i;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		struct bench *t = bench_begin(port);
		struct vfio_device *d = next_device(t, s);
		unsigned long commits;

		cr_assert_eq(vfio_msix_enable(d), VECTORS);
		commits = t->routes.commits;
		for (i = 0; i < 3; i++) {
			cr_assert_eq(vfio_msix_vector_move(d, 4, &moved), 0);
			expect_event(0, 0, 0);
			expect_vectors(t);
			expect_same_table(t);
		}
		cr_expect_eq(t->routes.commits, commits + 3);
		cr_expect_eq(d->irqfd_ioctls, VECTORS);
		bench_end(t);
	}
}

Test(irqfd_msix, a_vector_above_the_enabled_ones)
{
	const struct port *port = next_port(NULL);
	enum vfio_strategy s;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		struct bench *t = bench_begin(port);
		struct vfio_device *d = next_device(t, s);

		d->vectors[3].masked = d->vectors[4].masked = true;
		d->granted = 4;
		cr_assert_eq(vfio_msix_enable(d), 3);
		cr_assert_eq(vfio_msix_vector_use(d, 3, &msix_messages[3]), 0);
		cr_expect_eq(d->enabled, 4);
		cr_expect_eq(connected(d), 4);
		expect_vectors(t);
		expect_same_table(t);
		/* The host has no more: the others go on. */
		cr_expect_eq(vfio_msix_vector_use(d, 4, &msix_messages[4]), -ENOSPC);
		cr_expect(d->vectors[4].masked);
		cr_expect_eq(connected(d), 4);
		expect_vectors(t);
		expect_routed(t);
		bench_end(t);
	}
}

Test(irqfd_msix, nothing_unmasked)
{
	struct bench *t = bench_begin(next_port(NULL));
	struct vfio_device *d = next_device(t, VFIO_DEFERRED);
	unsigned int i;

	for (i = 0; i < VECTORS; i++)
		d->vectors[i].masked = true;
	cr_assert_eq(vfio_msix_enable(d), 1);
	cr_expect_eq(msix_calls, 0);
	expect_vectors(t);
	cr_assert_eq(vfio_msix_vector_use(d, 0, &msix_messages[0]), 0);
	/* It had come while nothing was unmasked. */
	expect_event(1, PORT_GSI_NONE, msix_messages[0].data);
	cr_expect_eq(connected(d), 1);
	expect_vectors(t);
	expect_same_table(t);
	bench_end(t);
}

/* ---- virqs ---- */

Test(irqfd_msix, virqs_are_the_lowest_free_ones)
{
	struct bench *t = bench_begin(next_port(NULL));
	struct route_change c = msi_routes_begin(&t->routes);

	/* Pin 2 of the IOAPIC is GSI 0's, so 2 is free; then those behind the 24 pins. */
	cr_expect_eq(msi_routes_add(&c, &msix_messages[0]), 2);
	cr_expect_eq(msi_routes_add(&c, &msix_messages[1]), 24);
	cr_expect_eq(msi_routes_add(&c, &msix_messages[2]), 25);
	msi_routes_release(&t->routes, 24);
	cr_expect_eq(msi_routes_add(&c, &msix_messages[3]), 24);
	cr_assert_eq(msi_routes_commit(&c), 0);
	cr_assert_eq(msix_calls, 1);
	expect_same_table(t);
	/* Nothing was added since. */
	cr_assert_eq(msi_routes_commit(&c), 0);
	cr_expect_eq(msix_calls, 1);
	cr_expect_eq(msi_routes_update(&c, 26, &msix_messages[0]), -ESRCH);
	cr_assert_eq(msi_routes_update(&c, 25, &msix_messages[2]), 0);
	cr_assert_eq(msi_routes_commit(&c), 0);
	cr_expect_eq(msix_calls, 1);
	cr_assert_eq(msi_routes_update(&c, 25, &msix_messages[4]), 0);
	cr_assert_eq(msi_routes_commit(&c), 0);
	cr_expect_eq(msix_calls, 2);
	expect_same_table(t);
	msi_routes_release(&t->routes, 2);
	msi_routes_release(&t->routes, 24);
	msi_routes_release(&t->routes, 25);
	bench_end(t);
}

/* 14 GSIs have two pins, so the entries are all taken before the GSIs are. */
Test(irqfd_msix, a_full_table)
{
	struct bench *t = bench_begin(next_port(NULL));
	struct route_change c = msi_routes_begin(&t->routes);
	int virq, last = -1, nr = 0;

	while ((virq = msi_routes_add(&c, &msix_messages[0])) >= 0) {
		last = virq;
		nr++;
	}
	cr_expect_eq(virq, -ENOSPC);
	cr_expect_eq(nr, PORT_MAX_GSI - MSI_ROUTES_PINS);
	cr_assert_eq(msi_routes_commit(&c), 0);
	expect_same_table(t);
	/* No vector has a route then, but interrupts all the same. */
	cr_assert_eq(vfio_msix_enable(next_device(t, VFIO_DEFERRED)), VECTORS);
	cr_expect_eq(connected(&t->devices[0]), 0);
	expect_vectors(t);
	for (virq = 2; virq <= last; virq++)
		if (virq == 2 || virq >= 24)
			msi_routes_release(&t->routes, virq);
	bench_end(t);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enabling MSI-X while something fails: each call that changes routes or irqfds in turn, each
 * allocation in turn. A vector that lost its irqfd by it is left to user space, and no interrupt is
 * lost; what was enabled before goes on.
 */
#include <stdlib.h>

#include "irqfd_msix.h"

static const struct msi_message moved = { 0xfee00000, 0x77 };

/* ---- the n-th call ---- */

/* Two devices, and a guest that unmasks, moves and masks; then the second device is disabled. */
static void whole_life(struct bench *t, enum vfio_strategy s)
{
	struct vfio_device *d;

	next_device(t, s);
	cr_assert_eq(vfio_msix_enable(&t->devices[0]), VECTORS);
	expect_vectors(t);
	expect_routed(t);

	d = next_device(t, s);
	d->vectors[1].masked = d->vectors[4].masked = true;
	cr_assert_eq(vfio_msix_enable(d), VECTORS - 1);
	expect_vectors(t);
	expect_routed(t);

	cr_assert_eq(vfio_msix_vector_use(d, 4, &msix_messages[4]), 0);
	cr_assert_eq(vfio_msix_vector_move(d, 0, &moved), 0);
	vfio_msix_vector_release(d, 3);
	expect_vectors(t);
	expect_routed(t);
	vfio_msix_disable(d);
	expect_vectors(t);
	expect_routed(t);
}

/* The guest's driver begins anew. */
static void expect_recovered(struct bench *t, uint64_t *digest)
{
	unsigned int n, i;

	for (n = 0; n < t->nr; n++)
		vfio_msix_disable(&t->devices[n]);
	cr_expect_eq(t->routes.table.nr, MSI_ROUTES_PINS);
	for (n = 0; n < t->nr; n++) {
		struct vfio_device *d = &t->devices[n];

		for (i = 0; i < VECTORS; i++) {
			d->vectors[i].masked = false;
			d->vectors[i].message = msix_messages[i];
		}
		cr_assert_eq(vfio_msix_enable(d), VECTORS);
		cr_expect_eq(connected(d), VECTORS);
	}
	expect_vectors(t);
	expect_same_table(t);
	t->vm.ops->routing_digest(t->vm.fd, digest);
}

/* How many calls there were to fail. */
static unsigned int fail_each_call(const struct port *port, enum vfio_strategy s, uint64_t *digest)
{
	unsigned int fail;
	uint64_t first = 0;

	for (fail = 1;; fail++) {
		struct bench *t = bench_begin(port);
		bool reached;

		msix_fail_call = fail;
		whole_life(t, s);
		reached = msix_calls >= fail;
		msix_fail_call = 0;
		expect_recovered(t, digest);
		if (fail == 1)
			first = *digest;
		cr_expect_eq(*digest, first, "call %u", fail);
		bench_end(t);
		if (!reached)
			return fail - 1;
	}
}

Test(irqfd_msix, each_call_of_a_life_fails)
{
	const struct port *port;
	uint64_t digest[2];

	for_each_port(port) {
		/*
		 * Commit and irqfd of 5, of 3 and of 1 vector; a move's commit; 4 deassigned. One
		 * commit for 5 and for 3.
		 */
		cr_expect_eq(fail_each_call(port, VFIO_PER_VECTOR, &digest[0]),
			     2 * (5 + 3 + 1) + 1 + 4);
		cr_expect_eq(fail_each_call(port, VFIO_DEFERRED, &digest[1]),
			     (1 + 5) + (1 + 3) + 2 + 1 + 4);
		cr_expect_eq(digest[0], digest[1], "%s", port->name);
	}
}

/* Which vectors are connected after the @nth call of enabling has failed. */
static unsigned int connected_after(enum vfio_strategy s, unsigned int nth)
{
	struct bench *t = bench_begin(next_port(NULL));
	struct vfio_device *d = next_device(t, s);
	unsigned int i, set = 0;

	msix_fail_call = nth;
	cr_assert_eq(vfio_msix_enable(d), VECTORS);
	cr_expect_geq(msix_calls, nth);
	expect_vectors(t);
	for (i = 0; i < VECTORS; i++)
		set |= (d->vectors[i].virq >= 0) << i;
	bench_end(t);
	return set;
}

Test(irqfd_msix, a_call_that_fails_costs_its_vectors_only)
{
	const unsigned int all = (1 << VECTORS) - 1;
	unsigned int i;

	for (i = 0; i < VECTORS; i++) {
		unsigned int rest = all & ~(1u << i);

		/* Its commit, its irqfd; with one commit for all, its irqfd comes i-th after it. */
		cr_expect_eq(connected_after(VFIO_PER_VECTOR, 2 * i + 1), rest);
		cr_expect_eq(connected_after(VFIO_PER_VECTOR, 2 * i + 2), rest);
		cr_expect_eq(connected_after(VFIO_DEFERRED, 2 + i), rest);
	}
	cr_expect_eq(connected_after(VFIO_DEFERRED, 1), 0);
}

/* ---- the n-th allocation ---- */

/* Enabling a second device with the @nth allocation failing. Was there one? */
static bool fail_allocation(const struct port *port, enum vfio_strategy s, unsigned long nth)
{
	struct bench *t = bench_begin(port);
	struct vfio_device *d;
	uint64_t digest;
	bool reached;
	int ret;

	cr_assert_eq(vfio_msix_enable(next_device(t, s)), VECTORS);
	d = next_device(t, s);
	sim_fail_nth_set(nth);
	ret = vfio_msix_enable(d);
	reached = sim_fail_nth_hit();
	sim_fail_nth_set(0);

	/* All of it, or nothing: an eventfd for user space is needed at least. */
	if (ret != VECTORS) {
		cr_expect(ret == -ENOMEM || ret == -ENFILE, "%d", ret);
		cr_expect_eq(d->enabled, 0);
		cr_expect_eq(connected(d), 0);
	}
	cr_expect_eq(connected(&t->devices[0]), VECTORS);
	expect_vectors(t);
	expect_routed(t);
	expect_recovered(t, &digest);
	bench_end(t);
	return reached;
}

Test(irqfd_msix, each_allocation_of_enabling_fails, .timeout = 300)
{
	const struct port *port;
	enum vfio_strategy s;
	unsigned long nth;

	for_each_port(port) {
		for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
			for (nth = 1; fail_allocation(port, s, nth); nth++)
				;
			/* Two eventfds and an irqfd for each vector, and a table, at the least. */
			cr_expect_gt(nth, 3 * VECTORS + 1, "%s: %lu", port->name, nth);
		}
	}
}

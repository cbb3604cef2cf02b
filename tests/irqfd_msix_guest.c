// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that does anything to its MSI-X at any time: devices are enabled and disabled, vectors
 * masked, unmasked and moved, by seed. Whatever came before, irqfds are bound to the vectors that
 * are used, and where nothing fails both strategies have the same routes and irqfds after each step.
 */
#include <stdlib.h>
#include <string.h>

#include "irqfd_msix.h"

#define STEPS 60
#define SEEDS 60

/* xorshift64 (Marsaglia, 2003) */
static uint64_t state;

static unsigned int below(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state % n);
}

static struct msi_message any_message(void)
{
	return (struct msi_message){ 0xfee00000, 0x30 + below(0xc0) };
}

/* What the VMM sends by itself when a pending vector is unmasked is no interrupt of the test's. */
static void forget_events(void)
{
	memset(&seen, 0, sizeof(seen));
}

static void mask_some(struct vfio_device *d)
{
	unsigned int i, how = below(4);

	for (i = 0; i < VECTORS; i++)
		d->vectors[i].masked = how == 0 || (how == 1 && below(2));
	d->granted = 1 + below(2 * VECTORS);
}

static void step(struct bench *t)
{
	struct vfio_device *d = &t->devices[below(DEVICES)];
	unsigned int i = below(VECTORS), what = below(8);
	struct msi_message m = any_message();

	if (!d->enabled && what < 6) {
		mask_some(d);
		vfio_msix_enable(d);
	} else if (what == 0) {
		vfio_msix_disable(d);
	} else if (what < 3) {
		vfio_msix_vector_release(d, i);
	} else if (what < 5) {
		vfio_msix_vector_use(d, i, &m);
	} else {
		vfio_msix_vector_move(d, i, &m);
	}
	forget_events();
}

/*
 * Not the kernel's whole table: what the VMM has given back stays there until the next commit, and
 * where the host grants fewer vectors, `deferred` has committed some more.
 */
static uint64_t digest_of(const struct bench *t)
{
	uint64_t digest = 0xcbf29ce484222325; /* FNV-1a, by words */
	unsigned int n, i;

	for (n = 0; n < DEVICES; n++)
		for (i = 0; i < VECTORS; i++) {
			const struct vfio_vector *v = &t->devices[n].vectors[i];
			const uint32_t words[] = { v->virq, v->message.data, v->masked, v->pending,
						   v->told == v->kvm_fd };
			unsigned int k;

			for (k = 0; k < 5; k++)
				digest = (digest ^ words[k]) * 0x100000001b3;
		}
	return digest;
}

static void live(const struct port *port, enum vfio_strategy s, uint64_t seed, uint64_t *digests)
{
	struct bench *t = bench_begin(port);
	unsigned int n;

	state = seed * 0x9e3779b97f4a7c15;
	while (t->nr < DEVICES)
		next_device(t, s);
	for (n = 0; n < STEPS; n++) {
		/* Every fourth step or so something fails; with @digests, nothing does. */
		msix_fail_call = digests ? 0 : msix_calls + 1 + below(12);
		step(t);
		msix_fail_call = 0;
		expect_vectors(t);
		expect_routed(t);
		if (digests)
			digests[n] = digest_of(t);
	}
	bench_end(t);
}

Test(irqfd_msix, a_guest_that_does_anything)
{
	const struct port *port = next_port(NULL);
	uint64_t digests[2][STEPS], seed;
	unsigned int n;

	for (seed = 1; seed <= SEEDS; seed++) {
		live(port, VFIO_PER_VECTOR, seed, digests[0]);
		live(port, VFIO_DEFERRED, seed, digests[1]);
		for (n = 0; n < STEPS; n++)
			cr_assert_eq(digests[0][n], digests[1][n], "seed %lu, step %u",
				     (unsigned long)seed, n);
	}
}

Test(irqfd_msix, a_guest_that_does_anything_while_calls_fail)
{
	const struct port *port = next_port(NULL);
	enum vfio_strategy s;
	uint64_t seed;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++)
		for (seed = 1; seed <= SEEDS; seed++)
			live(port, s, seed, NULL);
}

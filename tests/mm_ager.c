// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ager reaches what is asked, little memory stays free, and equal seeds age equally.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "mm_sink.h"

TestSuite(mm_ager, .init = fresh_memory);

#define FRAMES 16384

Test(mm_ager, reaches_the_index)
{
	static const double index[] = { 0, 0.25, 0.5, 0.8, 0.9, 0.95, 0.99, 1 };

	for (unsigned int order = 1; order <= SIM_MAX_ORDER; order++) {
		for (size_t i = 0; i < sizeof(index) / sizeof(*index); i++) {
			double got;

			sim_mm_reset();
			cr_assert_eq(sim_mm_age(index[i], order, 1 + i), 0);
			got = sim_mm_unusable_index(order);
			cr_assert_geq(got, index[i], "%g@%u", index[i], order);
			cr_assert_leq(sim_mm_free_pages(), FRAMES / 8, "%g@%u", index[i], order);
			cr_assert_geq(sim_mm_free_pages(), FRAMES / 64, "%g@%u", index[i], order);
		}
	}
}

/* Where the order leaves a choice, the index is the asked one and not merely above it. */
Test(mm_ager, does_not_overshoot)
{
	static const double index[] = { 0, 0.25, 0.5, 0.8, 0.9, 0.95 };

	for (unsigned int order = 1; order <= 6; order++) {
		for (size_t i = 0; i < sizeof(index) / sizeof(*index); i++) {
			sim_mm_reset();
			sim_mm_age(index[i], order, 77);
			cr_assert_lt(sim_mm_unusable_index(order) - index[i], 0.005, "%g@%u",
				     index[i], order);
		}
	}
}

Test(mm_ager, at_most_one_block_of_order_5_at_095)
{
	for (uint64_t seed = 0; seed < 10; seed++) {
		sim_mm_reset();
		sim_mm_age(0.95, 5, seed);
		if (sim_alloc_pages(5, SIM_GFP_KERNEL | SIM_GFP_NORETRY | SIM_GFP_NOWARN, HERE))
			cr_assert_null(sim_alloc_pages(
				5, SIM_GFP_KERNEL | SIM_GFP_NORETRY | SIM_GFP_NOWARN, HERE));
	}
}

/* The addresses that an aged memory hands out, as one number. */
static uint64_t fingerprint(uint64_t seed)
{
	uint64_t h = 0;
	void *p;

	sim_mm_reset();
	sim_mm_age(0.9, 4, seed);
	while ((p = sim_alloc_pages(0, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE)))
		h = h * 31 + ((uintptr_t)p >> SIM_PAGE_SHIFT);
	return h;
}

Test(mm_ager, same_seed_same_memory)
{
	uint64_t a = fingerprint(5), b = fingerprint(6);

	cr_assert_neq(a, b);
	cr_assert_eq(fingerprint(5), a);
	cr_assert_eq(fingerprint(6), b);
}

Test(mm_ager, its_objects_are_not_leaks)
{
	struct sim_mm_stats s;

	sim_mm_age(0.5, 3, 1);
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 0);
	cr_assert_eq(sim_mm_leak_report(NULL), 0);
	cr_assert_eq(counted(SIM_OP_KMALLOC), 0);
}

Test(mm_ager, refuses_what_makes_no_sense)
{
	cr_assert_eq(sim_mm_age(-0.01, 5, 1), -EINVAL);
	cr_assert_eq(sim_mm_age(1.01, 5, 1), -EINVAL);
	cr_assert_eq(sim_mm_age(NAN, 5, 1), -EINVAL);
	cr_assert_eq(sim_mm_age(0.5, 0, 1), -EINVAL);
	cr_assert_eq(sim_mm_age(0.5, SIM_MAX_ORDER + 1, 1), -EINVAL);
	cr_assert_eq(sim_mm_free_pages(), FRAMES);
}

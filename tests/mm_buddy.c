// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page blocks: coalescing, order limits, and which requests compact memory and which do not.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mm_sink.h"

TestSuite(mm_buddy, .init = fresh_memory);

#define FRAMES 16384
static void *page[FRAMES];

static void take_every_page(void)
{
	for (int i = 0; i < FRAMES; i++) {
		page[i] = sim_alloc_pages(0, SIM_GFP_KERNEL, HERE);
		cr_assert_not_null(page[i]);
	}
}

Test(mm_buddy, coalesces_whatever_the_order_of_frees)
{
	cr_assert_eq(sim_mm_total_pages(), FRAMES);
	take_every_page();
	cr_assert_eq(sim_mm_free_pages(), 0);
	cr_assert_eq(sim_mm_unusable_index(10), 0, "nothing free is 0, as in mm/vmstat.c");
	for (int i = 0; i < FRAMES; i++)
		sim_free_pages(page[i * 4099UL % FRAMES], 0, HERE);
	sim_mm_check();
	cr_assert_eq(sim_mm_free_pages(), FRAMES);
	cr_assert_eq(sim_mm_unusable_index(SIM_MAX_ORDER), 0);
	cr_assert_eq(sim_report_defects(), 0);
}

Test(mm_buddy, blocks_are_aligned_and_apart)
{
	for (unsigned int order = 0; order <= SIM_MAX_ORDER; order++) {
		char *a = sim_alloc_pages(order, SIM_GFP_KERNEL, HERE);
		char *b = sim_alloc_pages(order, SIM_GFP_KERNEL, HERE);

		cr_assert_eq((uintptr_t)a % (SIM_PAGE_SIZE << order), 0);
		cr_assert_eq((uintptr_t)b % (SIM_PAGE_SIZE << order), 0);
		cr_assert_geq((size_t)labs(a - b), SIM_PAGE_SIZE << order);
		memset(a, 1, SIM_PAGE_SIZE << order);
		memset(b, 2, SIM_PAGE_SIZE << order);
		cr_assert_eq(a[(SIM_PAGE_SIZE << order) - 1], 1);
	}
}

Test(mm_buddy, unusable_index_is_the_kernels)
{
	void *block = sim_alloc_pages(SIM_MAX_ORDER, SIM_GFP_KERNEL, HERE);
	void *half = sim_alloc_pages(SIM_MAX_ORDER - 1, SIM_GFP_KERNEL, HERE);

	(void)block;
	/* 15 whole blocks less one half: 14 * 1024 usable of 14 * 1024 + 512 */
	cr_assert_float_eq(sim_mm_unusable_index(SIM_MAX_ORDER), 512.0 / (14 * 1024 + 512), 1e-12);
	sim_free_pages(half, SIM_MAX_ORDER - 1, HERE);
	sim_mm_check();
	cr_assert_eq(sim_mm_unusable_index(SIM_MAX_ORDER), 0);
}

Test(mm_buddy, no_order_above_ten)
{
	cr_assert_null(sim_alloc_pages(SIM_MAX_ORDER + 1, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE));
	cr_assert_null(sim_alloc_pages(70, SIM_GFP_KERNEL, HERE));
	assert_one_report(SIM_REPORT_WARN, "order 70");
	cr_assert_eq(counted(SIM_OP_ALLOC_FAIL), 2);
}

/* Every second page stays, and is not the ager's: nothing can be moved. */
Test(mm_buddy, compaction_needs_movable_pages)
{
	take_every_page();
	for (int i = 0; i < FRAMES; i += 2)
		sim_free_pages(page[i], 0, HERE);
	sim_mm_check();
	cr_assert_eq(sim_mm_unusable_index(1), 1);
	cr_assert_null(sim_alloc_pages(1, SIM_GFP_KERNEL, HERE));
	cr_assert_eq(counted(SIM_OP_COMPACT), 1);
	cr_assert_eq(counted(SIM_OP_MIGRATE), 0);
	cr_assert_eq(counted(SIM_OP_HIGH_ORDER_FAIL), 1);
	assert_one_report(SIM_REPORT_ALLOC, "page allocation failure: order:1, mode:(GFP_KERNEL)");
	cr_assert_eq(sim_report_defects(), 0, "a warning, not a defect");
}

Test(mm_buddy, small_orders_compact_and_succeed)
{
	cr_assert_eq(sim_mm_age(1.0, 1, 3), 0);
	cr_assert_eq(sim_mm_unusable_index(1), 1);
	for (unsigned int order = 1; order <= SIM_COSTLY_ORDER; order++) {
		uint64_t before = counted(SIM_OP_MIGRATE);
		char *p = sim_alloc_pages(order, SIM_GFP_KERNEL, HERE);

		cr_assert_not_null(p);
		memset(p, 0xee, SIM_PAGE_SIZE << order);
		cr_assert_gt(counted(SIM_OP_MIGRATE), before);
		cr_assert_leq(counted(SIM_OP_MIGRATE), before + (1 << order));
	}
	cr_assert_eq(counted(SIM_OP_COMPACT), 3);
	cr_assert_eq(counted(SIM_OP_HIGH_ORDER_FAIL), 0);
}

Test(mm_buddy, compaction_goes_on_until_free_memory_is_used)
{
	unsigned long got = 0;

	cr_assert_eq(sim_mm_age(1.0, 1, 4), 0);
	while (sim_alloc_pages(3, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE))
		got++;
	/* 4 % of 16384 frames are free, and 60 % of memory is movable: most must be usable. */
	cr_assert_gt(got, 16384 * 4 / 100 / 8 * 3 / 4);
	cr_assert_lt(sim_mm_free_pages(), 8);
}

Test(mm_buddy, noretry_and_atomic_fail_early)
{
	cr_assert_eq(sim_mm_age(1.0, 1, 5), 0);
	cr_assert_null(sim_alloc_pages(2, SIM_GFP_ATOMIC, HERE));
	cr_assert_null(sim_alloc_pages(5, SIM_GFP_KERNEL | SIM_GFP_NORETRY | SIM_GFP_NOWARN, HERE));
	cr_assert_eq(counted(SIM_OP_COMPACT), 0);
	cr_assert_eq(counted(SIM_OP_HIGH_ORDER_FAIL), 2);
	cr_assert_eq(sim_report_count(SIM_REPORT_ALLOC), 1, "NOWARN is silent");
	cr_assert_not_null(sim_alloc_pages(0, SIM_GFP_ATOMIC, HERE));
}

/* __alloc_pages_slowpath() looks at __GFP_NORETRY only after it has compacted once. */
Test(mm_buddy, noretry_compacts_once_up_to_the_costly_order)
{
	cr_assert_eq(sim_mm_age(1.0, 1, 5), 0);
	cr_assert_not_null(sim_alloc_pages(2, SIM_GFP_KERNEL | SIM_GFP_NORETRY, HERE));
	cr_assert_eq(counted(SIM_OP_COMPACT), 1);
	cr_assert_gt(counted(SIM_OP_MIGRATE), 0);
}

Test(mm_buddy, costly_orders_get_one_attempt)
{
	unsigned int tries = 0;

	cr_assert_eq(sim_mm_age(1.0, 1, 6), 0);
	while (sim_alloc_pages(5, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE))
		tries++;
	cr_assert_gt(tries, 0);
	cr_assert_eq(counted(SIM_OP_COMPACT), tries + 1);
}

Test(mm_buddy, kmalloc_8k_compacts_too)
{
	cr_assert_eq(sim_mm_age(1.0, 1, 7), 0);
	cr_assert_null(sim_kmalloc(8192, SIM_GFP_ATOMIC | SIM_GFP_NOWARN, HERE));
	cr_assert_eq(counted(SIM_OP_COMPACT), 0);
	cr_assert_not_null(sim_kmalloc(8192, SIM_GFP_KERNEL, HERE));
	cr_assert_eq(counted(SIM_OP_COMPACT), 1);
}

Test(mm_buddy, wrong_order_on_free)
{
	void *p = sim_alloc_pages(2, SIM_GFP_KERNEL, HERE);
	unsigned long before = sim_mm_free_pages();

	sim_free_pages(p, 1, HERE);
	assert_one_report(SIM_REPORT_KASAN, "another order");
	sim_mm_check();
	cr_assert_eq(sim_mm_free_pages(), before, "not done");
	sim_free_pages(p, 2, HERE);
	cr_assert_eq(sim_report_count(SIM_REPORT_KASAN), 1);
}

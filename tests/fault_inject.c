// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attributes as should_fail_ex() of lib/fault-inject.c applies them, and fail-nth.
 */
#include "mm_sink.h"

static void no_faults(void)
{
	fresh_memory();
	sim_fault_clear();
	sim_fault_seed(1);
}

TestSuite(fault_inject, .init = no_faults);

static void set(enum sim_fault_kind kind, const char *text)
{
	struct sim_fault_attr a;
	char err[256];

	cr_assert_eq(sim_fault_parse(text, &a, err, sizeof(err)), 0, "%s", err);
	sim_fault_set(kind, &a);
}

/* Which of @n allocations failed, the first as the highest of @n bits. */
static unsigned long failures(int n, size_t size, unsigned int gfp)
{
	unsigned long bits = 0;

	while (n--) {
		void *p = sim_kmalloc(size, gfp, HERE);

		bits = bits << 1 | !p;
		sim_kfree(p, HERE);
	}
	return bits;
}

Test(fault_inject, interval_and_times)
{
	set(SIM_FAILSLAB, "probability=100,interval=3,times=2");
	cr_assert_eq(failures(12, 64, SIM_GFP_KERNEL), 0b001001000000);
	cr_assert_eq(counted(SIM_OP_ALLOC_FAIL), 2);
	cr_assert_eq(counted(SIM_OP_FAULT), 2);
	cr_assert_eq(counted(SIM_OP_KMALLOC), 10);
	cr_assert_eq(sim_report_count(SIM_REPORT_ALLOC), 0, "an injected failure is silent");
}

Test(fault_inject, times_zero_never_and_minus_one_always)
{
	set(SIM_FAILSLAB, "probability=100,times=0");
	cr_assert_eq(failures(8, 64, SIM_GFP_KERNEL), 0);
	set(SIM_FAILSLAB, "probability=100,times=-1");
	cr_assert_eq(failures(8, 64, SIM_GFP_KERNEL), 0xff);
	sim_fault_clear();
	cr_assert_eq(failures(8, 64, SIM_GFP_KERNEL), 0);
}

/* space: granted, in bytes of the bucket, while more than the request is left */
Test(fault_inject, space)
{
	set(SIM_FAILSLAB, "probability=100,times=-1,space=256");
	cr_assert_eq(failures(6, 60, SIM_GFP_KERNEL), 0b000111);
	sim_fault_clear();
	set(SIM_FAIL_PAGE_ALLOC, "probability=100,times=-1,space=10");
	/* in pages: 10 - 4 - 4 leaves 2, no more than the 4 asked for */
	cr_assert_eq(failures(4, 16384, SIM_GFP_KERNEL), 0b0011);
}

Test(fault_inject, probability)
{
	int n = 0;
	unsigned long a, b;

	set(SIM_FAILSLAB, "probability=30,times=-1");
	for (int i = 0; i < 100; i++)
		n += __builtin_popcountl(failures(64, 64, SIM_GFP_KERNEL));
	cr_assert(n > 6400 * 25 / 100 && n < 6400 * 35 / 100, "%d", n);
	sim_fault_seed(9);
	a = failures(64, 64, SIM_GFP_KERNEL);
	sim_fault_seed(9);
	cr_assert_eq(failures(64, 64, SIM_GFP_KERNEL), a, "by seed");
	sim_fault_seed(10);
	b = failures(64, 64, SIM_GFP_KERNEL);
	cr_assert_neq(a, b);
}

Test(fault_inject, slab_and_pages_are_different_points)
{
	set(SIM_FAILSLAB, "probability=100,times=-1");
	cr_assert_eq(failures(1, 8193, SIM_GFP_KERNEL), 0);
	cr_assert_not_null(sim_alloc_pages(0, SIM_GFP_KERNEL, HERE));
	cr_assert_eq(failures(1, 8192, SIM_GFP_KERNEL), 1);
	sim_fault_clear();
	set(SIM_FAIL_PAGE_ALLOC, "probability=100,times=-1");
	cr_assert_eq(failures(1, 8192, SIM_GFP_KERNEL), 0, "a slab's own page is no point");
	cr_assert_eq(failures(1, 8193, SIM_GFP_KERNEL), 1);
	cr_assert_null(sim_vmalloc(100, SIM_GFP_KERNEL, HERE));
}

Test(fault_inject, min_order)
{
	set(SIM_FAIL_PAGE_ALLOC, "probability=100,times=-1,min-order=3");
	cr_assert_not_null(sim_alloc_pages(2, SIM_GFP_KERNEL, HERE));
	cr_assert_null(sim_alloc_pages(3, SIM_GFP_KERNEL, HERE));
	cr_assert_null(sim_alloc_pages(4, SIM_GFP_KERNEL, HERE));
	cr_assert_not_null(sim_vmalloc(100000, SIM_GFP_KERNEL, HERE), "single pages");
}

Test(fault_inject, ignore_gfp_wait_and_nofail)
{
	set(SIM_FAILSLAB, "probability=100,times=-1,ignore-gfp-wait=1");
	cr_assert_eq(failures(1, 64, SIM_GFP_KERNEL), 0);
	cr_assert_eq(failures(1, 64, SIM_GFP_ATOMIC), 1);
	set(SIM_FAILSLAB, "probability=100,times=-1");
	cr_assert_eq(failures(1, 64, SIM_GFP_KERNEL | SIM_GFP_NOFAIL), 0);
}

Test(fault_inject, a_refused_charge_gives_the_object_back)
{
	unsigned long free_before;
	struct sim_mm_stats s;

	set(SIM_FAILCHARGE, "probability=100,times=-1");
	free_before = sim_mm_free_pages();
	cr_assert_not_null(sim_kmalloc(64, SIM_GFP_KERNEL, HERE), "not accounted");
	cr_assert_null(sim_kmalloc(64, SIM_GFP_KERNEL_ACCOUNT, HERE));
	cr_assert_null(sim_kmalloc(20000, SIM_GFP_KERNEL_ACCOUNT, HERE));
	cr_assert_null(sim_vmalloc(20000, SIM_GFP_KERNEL_ACCOUNT, HERE));
	cr_assert_null(sim_kvmalloc(20000, SIM_GFP_KERNEL_ACCOUNT, HERE));
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 1);
	cr_assert_eq(sim_mm_free_pages(), free_before - 1, "the slab of the one live object");
	cr_assert_eq(counted(SIM_OP_CHARGE), 0);
	cr_assert_eq(counted(SIM_OP_FAULT), 4);
}

Test(fault_inject, refused_charges_do_not_use_memory_up)
{
	set(SIM_FAILCHARGE, "probability=100,times=-1");
	for (int i = 0; i < 20000; i++)
		cr_assert_null(sim_kmalloc(4096, SIM_GFP_KERNEL_ACCOUNT, HERE));
	cr_assert_geq(sim_mm_free_pages(), sim_mm_total_pages() - 1);
}

/* ---- fail-nth ---- */

Test(fault_inject, nth_counts_allocation_then_charge)
{
	sim_fail_nth_set(2);
	cr_assert_eq(failures(3, 64, SIM_GFP_KERNEL), 0b010);
	cr_assert(sim_fail_nth_hit());
	sim_fail_nth_set(2);
	cr_assert_not(sim_fail_nth_hit());
	cr_assert_eq(failures(3, 64, SIM_GFP_KERNEL_ACCOUNT), 0b100, "its charge is the second");
	sim_fail_nth_set(3);
	cr_assert_eq(failures(3, 64, SIM_GFP_KERNEL_ACCOUNT), 0b010);
	sim_fail_nth_set(7);
	cr_assert_eq(failures(3, 64, SIM_GFP_KERNEL_ACCOUNT), 0);
	cr_assert_not(sim_fail_nth_hit(), "six points passed");
	cr_assert_eq(sim_self->fault_points, 6);
}

Test(fault_inject, nth_zero_is_off)
{
	sim_fail_nth_set(1);
	sim_fail_nth_set(0);
	cr_assert_eq(failures(8, 64, SIM_GFP_KERNEL), 0);
	cr_assert_not(sim_fail_nth_hit());
}

/* kvmalloc(16 KiB): page block, then (if that fails) the vmalloc; each with its charge */
Test(fault_inject, nth_passes_through_both_attempts_of_kvmalloc)
{
	void *p;

	sim_fail_nth_set(1);
	p = sim_kvmalloc(16384, SIM_GFP_KERNEL_ACCOUNT, HERE);
	cr_assert(sim_is_vmalloc_addr(p), "the fallback helps");
	cr_assert(sim_fail_nth_hit());
	cr_assert_eq(sim_self->fault_points, 3);
	cr_assert_eq(counted(SIM_OP_ALLOC_FAIL), 0);

	set(SIM_FAIL_PAGE_ALLOC, "probability=100,times=-1");
	cr_assert_null(sim_kvmalloc(16384, SIM_GFP_KERNEL_ACCOUNT, HERE));
	cr_assert_eq(counted(SIM_OP_FAULT), 1);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmalloc: the mapping is real, over frames that need not follow each other; kvmalloc's fallback.
 */
#include <limits.h>
#include <signal.h>
#include <stdint.h>

#include "mm_sink.h"

TestSuite(mm_vmalloc, .init = fresh_memory);

#define FRAMES 16384

/*
 * The direct map's address of the page that holds @tag at its start. The frames of other owners are
 * poisoned.
 */
NO_ASAN static char *frame_with(uint64_t tag)
{
	for (unsigned long i = 0; i < FRAMES; i++) {
		char *p = (char *)SIM_DIRECT_MAP + i * SIM_PAGE_SIZE;

		if (*(volatile uint64_t *)p == tag)
			return p;
	}
	return NULL;
}

Test(mm_vmalloc, contiguous_over_scattered_frames)
{
	static char *frame[32];
	unsigned int apart = 0;
	char *p;

	cr_assert_eq(sim_mm_age(1.0, 1, 11), 0);
	p = sim_vmalloc(32 * SIM_PAGE_SIZE, SIM_GFP_KERNEL, HERE);
	cr_assert_not_null(p);
	cr_assert(sim_is_vmalloc_addr(p));
	for (uint64_t i = 0; i < 32; i++)
		*(uint64_t *)(p + i * SIM_PAGE_SIZE) = 0x1234500000000000 + i;
	for (uint64_t i = 0; i < 32; i++) {
		frame[i] = frame_with(0x1234500000000000 + i);
		cr_assert_not_null(frame[i], "page %lu is a frame of the direct map", i);
		apart += i && frame[i] != frame[i - 1] + SIM_PAGE_SIZE;
	}
	cr_assert_eq(apart, 31, "aged memory has no two free pages side by side");
	frame[7][100] = 'x';
	cr_assert_eq(p[7 * SIM_PAGE_SIZE + 100], 'x');
	cr_assert_eq(counted(SIM_OP_VMALLOC), 1);
	cr_assert_eq(counted(SIM_OP_VMALLOC_PAGES), 32);
	sim_vfree(p, HERE);
	cr_assert_eq(counted(SIM_OP_VFREE), 1);
	cr_assert_eq(counted(SIM_OP_VFREE_PAGES), 32);
}

Test(mm_vmalloc, gives_its_frames_back)
{
	unsigned long before = sim_mm_free_pages();
	void *p = sim_vmalloc(100001, SIM_GFP_KERNEL | SIM_GFP_ZERO, HERE);
	struct sim_mm_stats s;

	sim_mm_stats(&s);
	cr_assert_eq(s.live_bytes, 25 * SIM_PAGE_SIZE);
	cr_assert_eq(sim_mm_free_pages(), before - 25);
	sim_vfree(p, HERE);
	sim_mm_check();
	cr_assert_eq(sim_mm_free_pages(), before);
	cr_assert_eq(sim_vmalloc(100001, SIM_GFP_KERNEL, HERE), p, "the lowest gap that fits");
}

#ifndef SIM_TEST_ASAN /* which reports the access first */
/* "unable to handle page fault", and the end of the run. */
Test(mm_vmalloc, guard_page_behind_each_area, .exit_code = 1)
{
	char *a = sim_vmalloc(SIM_PAGE_SIZE, SIM_GFP_KERNEL, HERE);
	char *b = sim_vmalloc(SIM_PAGE_SIZE, SIM_GFP_KERNEL, HERE);

	if (b - a == 2 * SIM_PAGE_SIZE)
		*(volatile char *)(a + SIM_PAGE_SIZE) = 1;
}

Test(mm_vmalloc, access_after_vfree_faults, .exit_code = 1)
{
	char *a = sim_vmalloc(SIM_PAGE_SIZE, SIM_GFP_KERNEL, HERE);

	sim_vfree(a, HERE);
	sim_mm_check();
	*(volatile char *)a = 1;
}

#endif

Test(mm_vmalloc, refuses_nothing_and_too_much)
{
	cr_assert_null(sim_vmalloc(0, SIM_GFP_KERNEL, HERE));
	assert_one_report(SIM_REPORT_ALLOC, "vmalloc error: size 0");
	cr_assert_null(sim_vmalloc(SIZE_MAX, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE));
	cr_assert_null(
		sim_vmalloc((FRAMES + 1) * SIM_PAGE_SIZE, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE));
	cr_assert_eq(sim_report_count(SIM_REPORT_ALLOC), 1);
	cr_assert_eq(sim_mm_free_pages(), FRAMES);
}

Test(mm_vmalloc, kvmalloc_prefers_kmalloc)
{
	void *p = sim_kvmalloc(100000, SIM_GFP_KERNEL, HERE);

	cr_assert_not(sim_is_vmalloc_addr(p));
	sim_kvfree(p, HERE);
	cr_assert_eq(counted(SIM_OP_PAGE_FREE), 1);
	cr_assert_eq(counted(SIM_OP_VMALLOC_FALLBACK), 0);
}

Test(mm_vmalloc, kvmalloc_falls_back_when_fragmented)
{
	void *p;

	cr_assert_eq(sim_mm_age(1.0, 3, 12), 0);
	p = sim_kvmalloc(100000, SIM_GFP_KERNEL, HERE);
	cr_assert(sim_is_vmalloc_addr(p));
	cr_assert_eq(counted(SIM_OP_VMALLOC_FALLBACK), 1);
	cr_assert_eq(counted(SIM_OP_HIGH_ORDER_FAIL), 1);
	cr_assert_eq(counted(SIM_OP_COMPACT), 0, "the first attempt is NORETRY");
	cr_assert_eq(counted(SIM_OP_ALLOC_FAIL), 0, "the caller got its memory");
	cr_assert_eq(sim_report_count(SIM_REPORT_ALLOC), 0, "and no warning");
	sim_kvfree(p, HERE);
	cr_assert_eq(counted(SIM_OP_VFREE), 1);
	p = sim_kvmalloc(SIM_PAGE_SIZE, SIM_GFP_KERNEL, HERE);
	cr_assert_not(sim_is_vmalloc_addr(p), "a page or less never falls back");
}

Test(mm_vmalloc, kvmalloc_retry_mayfail_compacts_first)
{
	cr_assert_eq(sim_mm_age(1.0, 1, 13), 0);
	cr_assert_not(sim_is_vmalloc_addr(
		sim_kvmalloc(16384, SIM_GFP_KERNEL | SIM_GFP_RETRY_MAYFAIL, HERE)));
	cr_assert_eq(counted(SIM_OP_COMPACT), 1);
}

Test(mm_vmalloc, kvmalloc_does_not_sleep_for_the_fallback)
{
	cr_assert_eq(sim_mm_age(1.0, 1, 14), 0);
	cr_assert_null(sim_kvmalloc(100000, SIM_GFP_ATOMIC, HERE));
	cr_assert_eq(counted(SIM_OP_VMALLOC_FALLBACK), 0);
	cr_assert_eq(counted(SIM_OP_ALLOC_FAIL), 1);
}

Test(mm_vmalloc, kvmalloc_above_int_max)
{
	cr_assert_null(sim_kvmalloc(INT_MAX + 1UL, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE));
	cr_assert_eq(sim_report_defects(), 0);
	cr_assert_null(sim_kvmalloc(INT_MAX + 1UL, SIM_GFP_KERNEL, HERE));
	assert_one_report(SIM_REPORT_WARN, "INT_MAX");
	cr_assert_eq(counted(SIM_OP_VMALLOC), 0);
}

Test(mm_vmalloc, vfree_of_what_it_never_gave)
{
	char *p = sim_vmalloc(5000, SIM_GFP_KERNEL, HERE);

	sim_vfree(p + SIM_PAGE_SIZE, HERE);
	sim_vfree(sim_kmalloc(64, SIM_GFP_KERNEL, HERE), HERE);
	cr_assert_eq(sim_report_count(SIM_REPORT_WARN), 2);
	cr_assert_not_null(strstr(last_report, "nonexistent vm area"));
	sim_vfree(p, HERE);
	sim_vfree(p, HERE);
	assert_one_report(SIM_REPORT_KASAN, "double-free");
}

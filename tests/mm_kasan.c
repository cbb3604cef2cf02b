// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrong frees and stray writes, and who is named for them.
 */
#include <stdint.h>

#include "mm_sink.h"

TestSuite(mm_kasan, .init = fresh_memory);

/* A call site, given as the return address that a caller would give, and the place itself. */
#define SITE(f)	    ((void *)((char *)(f) + 1))
#define PLACE(site) ((void *)((char *)(site)-1))

static __attribute__((noinline)) void free_at_line_one(void *p)
{
	sim_kfree(p, SITE(free_at_line_one));
}

static void assert_names(const char *verb, void *site)
{
	char sym[256], want[512];

	sim_symbol(PLACE(site), sym, sizeof(sym));
	snprintf(want, sizeof(want), "%s by task %d:\n %s", verb, sim_self->pid, sym);
	cr_assert_not_null(strstr(last_report, want), "no \"%s\" in: %s", want, last_report);
}

static void double_free(unsigned int checks, size_t size)
{
	void *p;

	sim_mm_set_checks(checks);
	p = sim_kmalloc(size, SIM_GFP_KERNEL_ACCOUNT, SITE(double_free));
	free_at_line_one(p);
	sim_kfree(p, HERE);
	assert_one_report(SIM_REPORT_KASAN, "BUG: KASAN: double-free in ");
}

Test(mm_kasan, double_free_names_both_sites)
{
	double_free(SIM_MM_CHECKS_ALL, 60);
	assert_names("Allocated", SITE(double_free));
	assert_names("Freed", SITE(free_at_line_one));
	cr_assert_not_null(
		strstr(last_report, "which belongs to the cache kmalloc-cg-64 of size 64"));
}

Test(mm_kasan, double_free_without_checks)
{
	double_free(0, 60);
	cr_assert_neq(sim_kmalloc(60, SIM_GFP_KERNEL, HERE), sim_kmalloc(60, SIM_GFP_KERNEL, HERE),
		      "the object is not handed out twice");
}

Test(mm_kasan, double_free_of_a_page_block)
{
	double_free(SIM_MM_CHECKS_ALL, 20000);
}

Test(mm_kasan, double_free_of_a_page_block_without_checks)
{
	double_free(0, 20000);
}

Test(mm_kasan, invalid_free)
{
	static int foreign;
	char *small = sim_kmalloc(96, SIM_GFP_KERNEL, HERE);
	char *large = sim_kmalloc(20000, SIM_GFP_KERNEL, HERE);
	const void *bad[] = { small + 8,
			      small + 95,
			      small + 96 * 42,
			      large + 8,
			      large + 4096,
			      &foreign,
			      (void *)SIM_DIRECT_MAP + (32UL << 20) };
	struct sim_mm_stats s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		sim_kfree(bad[i], HERE);
		cr_assert_eq(sim_report_count(SIM_REPORT_KASAN), i + 1, "case %zu", i);
		cr_assert_not_null(strstr(last_report, "BUG: KASAN: invalid-free in "));
	}
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 2, "none of them was done");
}

Test(mm_kasan, kfree_of_vmalloc_and_of_pages)
{
	void *p = sim_vmalloc(10000, SIM_GFP_KERNEL, HERE);
	struct sim_mm_stats s;

	sim_kfree(p, HERE);
	assert_one_report(SIM_REPORT_KASAN, "kfree of a vmalloc address");
	sim_kfree(sim_alloc_pages(0, SIM_GFP_KERNEL, HERE), HERE);
	cr_assert_not_null(strstr(last_report, "kfree of an alloc_pages block"));
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 2);
}

#ifndef SIM_TEST_ASAN
Test(mm_kasan, overflow_into_the_slack)
{
	char *p = sim_kmalloc(50, SIM_GFP_KERNEL, SITE(double_free));

	p[49] = 1;
	p[50] = 0;
	sim_kfree(p, HERE);
	assert_one_report(SIM_REPORT_KASAN, "slab-out-of-bounds");
	cr_assert_not_null(strstr(last_report, "located 0 bytes to the right of"));
	assert_names("Allocated", SITE(double_free));
}

Test(mm_kasan, overflow_of_a_page_block_and_of_vmalloc)
{
	char *p = sim_kmalloc(9000, SIM_GFP_KERNEL, HERE), *v;

	p[9000] = 1;
	sim_kfree(p, HERE);
	cr_assert_eq(sim_report_count(SIM_REPORT_KASAN), 1);
	v = sim_vmalloc(9000, SIM_GFP_KERNEL, HERE);
	v[9001] = 1;
	sim_vfree(v, HERE);
	cr_assert_eq(sim_report_count(SIM_REPORT_KASAN), 2);
	cr_assert_not_null(strstr(last_report, "vmalloc-out-of-bounds"));
}

static void write_after_free(void *p, void (*release)(void *))
{
	release(p);
	((char *)p)[17] = 0;
	cr_assert_eq(sim_report_defects(), 0);
	sim_mm_check();
	assert_one_report(SIM_REPORT_KASAN, "use-after-free");
	cr_assert_not_null(strstr(last_report, "located 17 bytes inside of"));
	assert_names("Allocated", SITE(write_after_free));
	assert_names("Freed", SITE(free_at_line_one));
}

static __attribute__((noinline)) void vfree_at_line_one(void *p)
{
	sim_vfree(p, SITE(free_at_line_one));
}

Test(mm_kasan, write_after_free_of_a_slab_object)
{
	write_after_free(sim_kmalloc(64, SIM_GFP_KERNEL, SITE(write_after_free)), free_at_line_one);
}

Test(mm_kasan, write_after_free_of_a_page_block)
{
	write_after_free(sim_kmalloc(64000, SIM_GFP_KERNEL, SITE(write_after_free)),
			 free_at_line_one);
}

Test(mm_kasan, write_after_free_of_vmalloc)
{
	write_after_free(sim_vmalloc(64000, SIM_GFP_KERNEL, SITE(write_after_free)),
			 vfree_at_line_one);
}

Test(mm_kasan, write_after_free_is_found_at_reuse_without_quarantine)
{
	char *p;

	sim_mm_set_checks(SIM_MM_LEDGER | SIM_MM_POISON);
	p = sim_kmalloc(64, SIM_GFP_KERNEL, HERE);
	sim_kfree(p, HERE);
	p[1] = 1;
	cr_assert_eq(sim_kmalloc(64, SIM_GFP_KERNEL, HERE), p);
	assert_one_report(SIM_REPORT_KASAN, "slab-use-after-free");
}
#else
static __attribute__((noinline)) void stray(char *p, int i)
{
	sim_report_set_sink(NULL);
	((volatile char *)p)[i] = 1;
}

Test(mm_kasan, asan_sees_the_slack, .exit_code = 1)
{
	stray(sim_kmalloc(50, SIM_GFP_KERNEL, HERE), 50);
}

Test(mm_kasan, asan_sees_a_freed_object, .exit_code = 1)
{
	char *p = sim_kmalloc(64, SIM_GFP_KERNEL, HERE);

	sim_kfree(p, HERE);
	stray(p, 0);
}

Test(mm_kasan, asan_sees_a_freed_vmalloc_area, .exit_code = 1)
{
	char *p = sim_vmalloc(64000, SIM_GFP_KERNEL, HERE);

	sim_vfree(p, HERE);
	stray(p, 5000);
}
#endif

Test(mm_kasan, quarantine_delays_reuse)
{
	void *p = sim_kmalloc(64, SIM_GFP_KERNEL, HERE);

	sim_kfree(p, HERE);
	for (int i = 0; i < 100; i++)
		cr_assert_neq(sim_kmalloc(64, SIM_GFP_KERNEL, HERE), p);
	sim_mm_check();
	cr_assert_eq(sim_kmalloc(64, SIM_GFP_KERNEL, HERE), p);
}

Test(mm_kasan, quarantine_never_starves_a_request)
{
	void *p[16];

	for (int i = 0; i < 16; i++)
		p[i] = sim_alloc_pages(SIM_MAX_ORDER, SIM_GFP_KERNEL, HERE);
	sim_free_pages(p[3], SIM_MAX_ORDER, HERE);
	for (int i = 0; i < 4; i++)
		sim_free_pages(sim_alloc_pages(8, SIM_GFP_KERNEL, HERE), 8, HERE);
	cr_assert_not_null(sim_alloc_pages(SIM_MAX_ORDER, SIM_GFP_ATOMIC, HERE));
	cr_assert_eq(sim_report_count(SIM_REPORT_ALLOC), 0);
}

/* ---- leaks ---- */

static __attribute__((noinline)) void leak_small(int n)
{
	while (n--)
		sim_kmalloc(50, SIM_GFP_KERNEL, SITE(leak_small));
}

static __attribute__((noinline)) void leak_large(void)
{
	sim_kmalloc(10000, SIM_GFP_KERNEL, SITE(leak_large));
	sim_vmalloc(10000, SIM_GFP_KERNEL, SITE(leak_large));
}

Test(mm_kasan, leaks_by_site_most_bytes_first)
{
	char text[2048] = "", sym[256], want[512], *first, *second;
	FILE *f = fmemopen(text, sizeof(text) - 1, "w");

	leak_small(100);
	leak_large();
	sim_kfree(sim_kmalloc(70, SIM_GFP_KERNEL, HERE), HERE);
	cr_assert_eq(sim_mm_leak_report(f), 102);
	cr_assert_eq(sim_mm_leak_report(NULL), 102);
	fclose(f);
	sim_symbol((void *)leak_large, sym, sizeof(sym));
	snprintf(want, sizeof(want), "%d bytes in 2 objects from %s\n", 16384 + 3 * 4096, sym);
	first = strstr(text, want);
	cr_assert_not_null(first, "%s", text);
	sim_symbol((void *)leak_small, sym, sizeof(sym));
	snprintf(want, sizeof(want), "6400 bytes in 100 objects from %s\n", sym);
	second = strstr(text, want);
	cr_assert_gt(second, first, "%s", text);
}

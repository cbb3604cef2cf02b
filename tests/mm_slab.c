// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmalloc buckets, caches, what is counted, and that slab memory comes back.
 */
#include <stdint.h>

#include "mm_sink.h"

TestSuite(mm_slab, .init = fresh_memory);

/* kmalloc_info[] in mm/slab_common.c for x86-64: size asked for, bucket */
static const struct {
	size_t size, bucket;
} rounding[] = {
	{ 1, 8 },	  { 8, 8 },	  { 9, 16 },	  { 16, 16 },	  { 17, 32 },
	{ 32, 32 },	  { 33, 64 },	  { 64, 64 },	  { 65, 96 },	  { 96, 96 },
	{ 97, 128 },	  { 128, 128 },	  { 129, 192 },	  { 192, 192 },	  { 193, 256 },
	{ 256, 256 },	  { 257, 512 },	  { 512, 512 },	  { 513, 1024 },  { 1025, 2048 },
	{ 2049, 4096 },	  { 4096, 4096 }, { 4097, 8192 }, { 8192, 8192 }, { 8193, 16384 },
	{ 20000, 32768 },
};

Test(mm_slab, rounds_to_the_kernels_buckets)
{
	for (size_t i = 0; i < sizeof(rounding) / sizeof(*rounding); i++) {
		struct sim_mm_stats before, after;
		void *p;

		sim_mm_stats(&before);
		p = sim_kmalloc(rounding[i].size, SIM_GFP_KERNEL, HERE);
		sim_mm_stats(&after);
		cr_assert_eq(sim_ksize(p), rounding[i].bucket, "%zu", rounding[i].size);
		cr_assert_eq(sim_kmalloc_size_roundup(rounding[i].size), rounding[i].bucket);
		cr_assert_eq(after.live_bytes - before.live_bytes, rounding[i].bucket);
		sim_kfree(p, HERE);
	}
	cr_assert_eq(sim_kmalloc_size_roundup(0), 0);
	cr_assert_eq(sim_report_defects(), 0);
}

Test(mm_slab, zero_size)
{
	void *p = sim_kmalloc(0, SIM_GFP_KERNEL, HERE);
	struct sim_mm_stats s;

	cr_assert_eq(p, SIM_ZERO_SIZE_PTR);
	cr_assert_eq(sim_ksize(p), 0);
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 0);
	sim_kfree(p, HERE);
	sim_kfree(NULL, HERE);
	cr_assert_eq(counted(SIM_OP_KFREE), 0);
	cr_assert_eq(sim_report_defects(), 0);
}

/* Powers of two are aligned to themselves (since 59bb47985c1d), the others to 8 bytes at least. */
Test(mm_slab, alignment)
{
	for (size_t size = 8; size <= 65536; size *= 2)
		for (int i = 0; i < 40; i++)
			cr_assert_eq((uintptr_t)sim_kmalloc(size, SIM_GFP_KERNEL, HERE) % size, 0);
	for (int i = 0; i < 100; i++) {
		cr_assert_eq((uintptr_t)sim_kmalloc(96, SIM_GFP_KERNEL, HERE) % 8, 0);
		cr_assert_eq((uintptr_t)sim_kmalloc(192, SIM_GFP_KERNEL, HERE) % 8, 0);
	}
}

Test(mm_slab, objects_do_not_overlap)
{
	static unsigned char *p[3000];

	for (int i = 0; i < 3000; i++) {
		p[i] = sim_kmalloc(1 + i % 700, SIM_GFP_KERNEL, HERE);
		memset(p[i], i, 1 + i % 700);
	}
	for (int i = 0; i < 3000; i++) {
		for (int j = 0; j < 1 + i % 700; j++)
			cr_assert_eq(p[i][j], (unsigned char)i);
		sim_kfree(p[i], HERE);
	}
	cr_assert_eq(sim_report_defects(), 0);
}

Test(mm_slab, zeroed)
{
	unsigned char *p = sim_kmalloc(100, SIM_GFP_KERNEL, HERE);

	memset(p, 0xff, 100);
	sim_kfree(p, HERE);
	sim_mm_check();
	for (int n = 0; n < 50; n++) {
		p = sim_kmalloc(100, SIM_GFP_KERNEL | SIM_GFP_ZERO, HERE);
		for (int i = 0; i < 100; i++)
			cr_assert_eq(p[i], 0);
	}
	cr_assert_eq(counted(SIM_OP_ZERO_BYTES), 50 * 128);
}

Test(mm_slab, cache_objects_keep_size_and_alignment)
{
	static const struct {
		size_t size, align;
	} caches[] = { { 24, 8 },      { 260, 64 },   { 1320, 8 }, { 5000, 64 },
		       { 9800, 4096 }, { 12000, 64 }, { 20000, 8 } };
	struct sim_mm_stats s;

	for (size_t i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		for (int n = 0; n < 5; n++) {
			char *p = sim_cache_alloc(caches[i].size, caches[i].align, SIM_GFP_KERNEL,
						  HERE);

			cr_assert_eq((uintptr_t)p % caches[i].align, 0, "%zu", caches[i].size);
			memset(p, 1, caches[i].size);
			sim_kfree(p, HERE);
		}
	}
	sim_cache_alloc(1320, 8, SIM_GFP_KERNEL, HERE);
	sim_mm_stats(&s);
	cr_assert_eq(s.live_bytes, 1320, "no bucket rounding");
	cr_assert_eq(sim_report_defects(), 0);
}

Test(mm_slab, counts_by_section)
{
	struct sim_mm_stats s;
	int old = sim_section_set(SIM_SECTION_ROUTING);
	void *a = sim_kmalloc(40, SIM_GFP_KERNEL_ACCOUNT, HERE);
	void *b = sim_kmalloc(9000, SIM_GFP_KERNEL_ACCOUNT, HERE), *c;

	sim_section_set(SIM_SECTION_ENTRY);
	c = sim_kmalloc(40, SIM_GFP_KERNEL, HERE);
	sim_kfree(a, HERE); /* goes to ENTRY's count, but leaves ROUTING's bytes */
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 2);
	cr_assert_eq(s.routing_live_objects, 1);
	cr_assert_eq(s.routing_live_bytes, 16384);
	cr_assert_eq(s.routing_peak_bytes, 16384 + 64);
	sim_mm_peak_reset();
	sim_kfree(b, HERE);
	sim_kfree(c, HERE);
	sim_mm_stats(&s);
	cr_assert_eq(s.routing_peak_bytes, 16384);
	cr_assert_eq(s.live_bytes, 0);
	cr_assert_eq(s.routing_live_bytes, 0);
	cr_assert_eq(sim_counts.n[SIM_SECTION_ROUTING][SIM_OP_KMALLOC], 1);
	cr_assert_eq(sim_counts.n[SIM_SECTION_ROUTING][SIM_OP_PAGE_ALLOC], 1);
	cr_assert_eq(sim_counts.n[SIM_SECTION_ROUTING][SIM_OP_PAGE_ALLOC_PAGES], 4);
	cr_assert_eq(sim_counts.n[SIM_SECTION_ROUTING][SIM_OP_CHARGE], 2);
	cr_assert_eq(sim_counts.n[SIM_SECTION_ENTRY][SIM_OP_KFREE], 2);
	cr_assert_eq(sim_counts.n[SIM_SECTION_ENTRY][SIM_OP_PAGE_FREE], 1);
	sim_section_set(old);
}

/* What slab freed must not keep a large block from being found. */
Test(mm_slab, freed_memory_serves_the_largest_order)
{
	static void *p[60000];
	unsigned long blocks = sim_mm_total_pages() >> SIM_MAX_ORDER;

	for (int i = 0; i < 60000; i++)
		p[i] = sim_kmalloc(8 << i % 8, SIM_GFP_KERNEL, HERE);
	for (int i = 0; i < 60000; i++)
		sim_kfree(p[(i * 7UL) % 60000], HERE);
	while (blocks--)
		cr_assert_not_null(
			sim_alloc_pages(SIM_MAX_ORDER, SIM_GFP_BLOCK | SIM_GFP_NORETRY, HERE));
	cr_assert_eq(sim_mm_free_pages(), 0);
	cr_assert_eq(sim_report_defects(), 0);
}

Test(mm_slab, exhaustion_returns_null_and_recovers)
{
	static void *p[20000];
	int n = 0;

	while (n < 20000 && (p[n] = sim_kmalloc(4096, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE)))
		n++;
	cr_assert_eq(n, (int)sim_mm_total_pages());
	cr_assert_eq(counted(SIM_OP_ALLOC_FAIL), 1);
	cr_assert_null(sim_kmalloc(8, SIM_GFP_KERNEL, HERE));
	assert_one_report(SIM_REPORT_ALLOC, "page allocation failure: order:0");
	sim_kfree(p[0], HERE);
	cr_assert_not_null(sim_kmalloc(8, SIM_GFP_KERNEL, HERE));
}

Test(mm_slab, largest_request)
{
	cr_assert_not_null(sim_kmalloc(4UL << 20, SIM_GFP_KERNEL, HERE));
	cr_assert_null(sim_kmalloc((4UL << 20) + 1, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE));
	cr_assert_eq(sim_report_defects(), 0);
	cr_assert_null(sim_kmalloc(SIZE_MAX, SIM_GFP_KERNEL, HERE));
	assert_one_report(SIM_REPORT_WARN, "above the largest");
}

Test(mm_slab, nofail_ends_the_run_when_memory_is_gone, .exit_code = 1)
{
	while (sim_alloc_pages(0, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE))
		;
	sim_kmalloc(64, SIM_GFP_KERNEL | SIM_GFP_NOFAIL, HERE);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/slab.h and linux/vmalloc.h. The buckets are mm/slab_common.c's (kmalloc_info[]): powers of
 * two and 96 and 192; above KMALLOC_MAX_CACHE_SIZE, whole pages of a power of two.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <kcase.h>
#include <sim/fault.h>
#include <sim/report.h>

static void zero_size_ptr(void)
{
	void *p = kmalloc(0, GFP_KERNEL), *q = kvmalloc(0, GFP_KERNEL);

	KEXPECT(p == ZERO_SIZE_PTR);
	KEXPECT(q == ZERO_SIZE_PTR);
	KEXPECT(ZERO_OR_NULL_PTR(p));
	KEXPECT_EQ(ksize(p), 0);
	kfree(p);
	kfree(p);
	kvfree(q);
	kfree(NULL);
	kvfree(NULL);
	KEXPECT(kzalloc(0, GFP_KERNEL) == ZERO_SIZE_PTR);
	KEXPECT(kcalloc(4, 0, GFP_KERNEL) == ZERO_SIZE_PTR);
}

static const struct {
	size_t asked, got;
} buckets[] = {
	{ 1, 8 },	  { 8, 8 },	     { 9, 16 },	      { 17, 32 },	{ 33, 64 },
	{ 64, 64 },	  { 65, 96 },	     { 96, 96 },      { 97, 128 },	{ 129, 192 },
	{ 192, 192 },	  { 193, 256 },	     { 257, 512 },    { 1025, 2048 },	{ 2049, 4096 },
	{ 4097, 8192 },	  { 8192, 8192 },    { 8193, 16384 }, { 12288, 16384 }, { 16385, 32768 },
	{ 65536, 65536 }, { 65537, 131072 },
};

static void bucket_rounding(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(buckets); i++) {
		void *p = kmalloc(buckets[i].asked, GFP_KERNEL);

		KEXPECT(p);
		KEXPECT_EQ(kmalloc_size_roundup(buckets[i].asked), buckets[i].got);
		KEXPECT_EQ(ksize(p), buckets[i].got);
		kfree(p);
	}
}

/* A power-of-two size is aligned to itself (Documentation/core-api/memory-allocation.rst). */
static void natural_alignment(void)
{
	void *held[16];
	size_t size;
	int i;

	for (size = 8; size <= 4 * PAGE_SIZE; size *= 2) {
		for (i = 0; i < ARRAY_SIZE(held); i++) {
			held[i] = kmalloc(size, GFP_KERNEL);
			KEXPECT_EQ((unsigned long)held[i] % size, 0);
		}
		for (i = 0; i < ARRAY_SIZE(held); i++)
			kfree(held[i]);
	}
}

static bool is_zero(const u8 *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static void kzalloc_clears_reused_memory(void)
{
	u8 *p[64];
	int round, i;

	for (round = 0; round < 4; round++) {
		for (i = 0; i < ARRAY_SIZE(p); i++) {
			p[i] = kzalloc(200, GFP_KERNEL);
			KEXPECT(is_zero(p[i], 200));
			memset(p[i], 0xff, 200);
		}
		for (i = 0; i < ARRAY_SIZE(p); i++)
			kfree(p[i]);
	}
}

static void kvzalloc_clears_reused_memory(void)
{
	int round;
	u8 *p;

	for (round = 0; round < 4; round++) {
		p = kvzalloc(20 * PAGE_SIZE, GFP_KERNEL);
		KEXPECT(is_zero(p, 20 * PAGE_SIZE));
		memset(p, 0xff, 20 * PAGE_SIZE);
		kvfree(p);
	}
}

static void overflowing_sizes_fail(void)
{
	size_t huge = SIZE_MAX / 2 + 1;

	OPTIMIZER_HIDE_VAR(huge);
	KEXPECT(!kmalloc_array(huge, 2, GFP_KERNEL));
	KEXPECT(!kcalloc(2, huge, GFP_KERNEL));
	KEXPECT(!kvmalloc_array(huge, 4, GFP_KERNEL));
}

static void vmalloc_is_told_apart(void)
{
	void *v = vmalloc(3 * PAGE_SIZE), *k = kmalloc(3 * PAGE_SIZE, GFP_KERNEL);

	KEXPECT(v && k);
	KEXPECT(is_vmalloc_addr(v));
	KEXPECT(!is_vmalloc_addr(k));
	KEXPECT_EQ((unsigned long)v % PAGE_SIZE, 0);
	memset(v, 0x5a, 3 * PAGE_SIZE);
	vfree(v);
	kfree(k);
}

static void kvmalloc_falls_back(void)
{
	struct sim_fault_attr all = {
		.probability = 100, .interval = 1, .times = -1, .min_order = 1
	};
	void *p, *q;

	sim_fault_set(SIM_FAIL_PAGE_ALLOC, &all);
	q = kmalloc(16 * PAGE_SIZE, GFP_KERNEL | __GFP_NOWARN);
	p = kvmalloc(16 * PAGE_SIZE, GFP_KERNEL);
	sim_fault_clear();
	KEXPECT(!q);
	KEXPECT(p);
	KEXPECT(is_vmalloc_addr(p));
	kvfree(p);
	p = kvmalloc(16 * PAGE_SIZE, GFP_KERNEL);
	KEXPECT(p && !is_vmalloc_addr(p));
	kvfree(p);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void failslab_returns_null(void)
{
	struct sim_fault_attr once = { .probability = 100, .interval = 1, .times = 1 };
	void *p, *q;

	sim_fault_set(SIM_FAILSLAB, &once);
	p = kmalloc(64, GFP_KERNEL);
	q = kmalloc(64, GFP_KERNEL);
	sim_fault_clear();
	KEXPECT(!p);
	KEXPECT(q);
	kfree(q);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void double_free(void)
{
	void *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_KASAN, "BUG: KASAN: double-free", __func__), 1);
}

KCASE_LIST(slab, KERNEL_CASE(zero_size_ptr), KERNEL_CASE(bucket_rounding),
	   KERNEL_CASE(natural_alignment), KERNEL_CASE(kzalloc_clears_reused_memory),
	   KERNEL_CASE(kvzalloc_clears_reused_memory), KERNEL_CASE(overflowing_sizes_fail),
	   KERNEL_CASE(vmalloc_is_told_apart), SIM_CASE(kvmalloc_falls_back),
	   SIM_CASE(failslab_returns_null), SIM_CASE(double_free));

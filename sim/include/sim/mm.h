/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated memory: page frames in one memfd under a buddy allocator, kmalloc buckets served by a
 * jemalloc arena whose extents come from the buddy, vmalloc that maps scattered frames side by
 * side.
 *
 * All addresses are fixed, so that equal runs see equal pointers. Sizes are bytes, orders are the
 * page allocator's (2^order frames of 4 KiB). A failed allocation returns NULL.
 */
#ifndef SIM_MM_H
#define SIM_MM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_PAGE_SHIFT	      12
#define SIM_PAGE_SIZE	      4096UL
#define SIM_MAX_ORDER	      10     /* largest buddy order, as MAX_PAGE_ORDER on x86 */
#define SIM_COSTLY_ORDER      3	     /* PAGE_ALLOC_COSTLY_ORDER */
#define SIM_KMALLOC_MAX_CACHE 8192UL /* KMALLOC_MAX_CACHE_SIZE with 4 KiB pages */
#define SIM_PAGEBLOCK_ORDER   9	     /* frames are grouped by mobility in blocks of this order */

/*
 * The direct map and the vmalloc area. What has a fixed address (sim/host has more) lies from
 * 0x660000000000 to 0x6effffffffff on x86-64: above AddressSanitizer's shadow and allocator (to
 * 0x640000000000), PIE programs at any vm.mmap_rnd_bits, and where BoxFort, which Criterion runs
 * tests in, draws an address for its arena (0x200000000000 to 0x5fffffffffff); below mmap's own.
 */
#define SIM_DIRECT_MAP	      0x680000000000UL
#define SIM_VMALLOC_START     0x690000000000UL
#define SIM_VMALLOC_SIZE      0x001000000000UL
#define SIM_ZERO_SIZE_PTR     ((void *)16) /* what kmalloc(0) returns */

/*
 * Allocation flags, independent of the kernel version (sim/kernel/slab.c translates gfp_t).
 * BLOCK is __GFP_DIRECT_RECLAIM: the caller may sleep, compaction may run.
 */
enum sim_gfp {
	SIM_GFP_ZERO = 1 << 0,
	SIM_GFP_ACCOUNT = 1 << 1,
	SIM_GFP_BLOCK = 1 << 2,
	SIM_GFP_NOWARN = 1 << 3,
	SIM_GFP_NORETRY = 1 << 4,
	SIM_GFP_RETRY_MAYFAIL = 1 << 5,
	SIM_GFP_NOFAIL = 1 << 6,
	SIM_GFP_ATOMIC = 1 << 7, /* __GFP_HIGH */
};
#define SIM_GFP_KERNEL	       SIM_GFP_BLOCK
#define SIM_GFP_KERNEL_ACCOUNT (SIM_GFP_BLOCK | SIM_GFP_ACCOUNT)

/*
 * What is checked. Each costs time, so a wall-clock benchmark may switch them off; set before
 * sim_init() or right after it, before the first allocation.
 */
enum sim_mm_checks {
	SIM_MM_LEDGER = 1 << 0,	    /* call site of every live object */
	SIM_MM_POISON = 1 << 1,	    /* fill freed and fresh objects, check the slack behind the
				     * requested size (kernel bytes: 0x6b, 0x5a, 0xcc) */
	SIM_MM_QUARANTINE = 1 << 2, /* delay reuse of freed objects */
	SIM_MM_CHECKS_ALL = 7,
};
void sim_mm_set_checks(unsigned int checks);
unsigned int sim_mm_checks(void);

/*
 * sim_mm_init - map @ram_bytes of frames (rounded up to 4 MiB; 0: the default of 64 MiB)
 * sim_mm_reset - give every object, page and vmalloc area back, forget ageing, ledger, poison and
 * quarantine: the state right after sim_mm_init(). Equal calls after it return equal addresses.
 */
void sim_mm_init(size_t ram_bytes);
void sim_mm_reset(void);

/*
 * sim_mm_check - check the poison of everything in quarantine now, and let it go: writes after free
 * that no later free would bring to light. sim_mm_leak_report() begins with it.
 */
void sim_mm_check(void);

/* ---- slab ---- */

/* kmalloc: bucket-rounded, ZERO_SIZE_PTR for 0, the buddy above SIM_KMALLOC_MAX_CACHE. */
void *sim_kmalloc(size_t size, unsigned int gfp, const void *caller);
/* A slab cache of its own size (struct kvm_vcpu ...): no bucket rounding, @align a power of two. */
void *sim_cache_alloc(size_t size, size_t align, unsigned int gfp, const void *caller);
/*
 * Frees what kmalloc, the cache allocator or vmalloc returned: kfree of a vmalloc address, a double
 * free, a free of a pointer into the middle and of a foreign pointer are each reported, not done.
 * NULL and ZERO_SIZE_PTR are no-ops.
 */
void sim_kfree(const void *p, const void *caller);
size_t sim_ksize(const void *p);	      /* usable bytes of a live object */
size_t sim_kmalloc_size_roundup(size_t size); /* bytes a request of @size really occupies */

/* ---- pages ---- */

void *sim_alloc_pages(unsigned int order, unsigned int gfp, const void *caller);
void sim_free_pages(void *addr, unsigned int order, const void *caller);

/* ---- vmalloc, kvmalloc ---- */

void *sim_vmalloc(size_t size, unsigned int gfp, const void *caller);
void sim_vfree(const void *p, const void *caller);
/*
 * kvmalloc: kmalloc first, above a page with NORETRY and without warning, then vmalloc, unless the
 * flags forbid to sleep.
 */
void *sim_kvmalloc(size_t size, unsigned int gfp, const void *caller);
void sim_kvfree(const void *p, const void *caller);
bool sim_is_vmalloc_addr(const void *p);

/* ---- fragmentation ---- */

/*
 * sim_mm_age - allocate and free through jemalloc until the unusable free space index for @order is
 * at least @index, with what is left free in pieces as small as that takes
 * @index: 0.0 to 1.0; @order: 1 to SIM_MAX_ORDER; @seed: which pages stay, and which are movable
 * Call on fresh memory. Returns 0, or -EINVAL for an index or order out of range.
 */
int sim_mm_age(double index, unsigned int order, uint64_t seed);
/*
 * The kernel's own measure (mm/vmstat.c, "unusable_index"): the share of free memory that a request
 * of @order cannot use. 0 when nothing is free is 0 there; here likewise.
 */
double sim_mm_unusable_index(unsigned int order);
unsigned long sim_mm_free_pages(void);
unsigned long sim_mm_total_pages(void);

/* ---- ledger ---- */

struct sim_mm_stats {
	uint64_t live_objects; /* objects allocated and not freed, whatever the allocator */
	uint64_t live_bytes;   /* bytes they occupy: buckets, 2^order pages, vmalloc pages */
	/* the same for objects allocated in SIM_SECTION_ROUTING only */
	uint64_t routing_live_objects;
	uint64_t routing_live_bytes;
	uint64_t routing_peak_bytes; /* high-water mark since sim_mm_peak_reset() */
};
void sim_mm_stats(struct sim_mm_stats *out);
void sim_mm_peak_reset(void);
#ifndef __KERNEL__
#include <stdio.h>

/*
 * sim_mm_leak_report - name every live object by call site, most bytes first: site (function and
 * line), objects, bytes
 * Returns the number of live objects; with SIM_MM_LEDGER off, sites are unknown. @out may be NULL.
 */
uint64_t sim_mm_leak_report(FILE *out);
#endif

#endif

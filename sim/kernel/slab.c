// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/slab.h: kmalloc, kvmalloc and slab caches under the names of 6.1 to today, in front of the
 * simulated memory. Flags are translated here, so that the host knows no kernel version.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#include <sim/mm.h>
#include <sim/task.h>

#include "lockdep.h"
#include "supply.h"

/* kmalloc()'s inline half picks a cache by these; the size that it passes beside it is enough here.
 */
typeof(kmalloc_caches) kmalloc_caches;

static unsigned int translate(gfp_t gfp)
{
	unsigned int out = 0;

	if (likely(gfp == (GFP_KERNEL_ACCOUNT | __GFP_ZERO)))
		return SIM_GFP_KERNEL_ACCOUNT | SIM_GFP_ZERO;

	out |= gfp & __GFP_ZERO ? SIM_GFP_ZERO : 0;
	out |= gfp & __GFP_ACCOUNT ? SIM_GFP_ACCOUNT : 0;
	out |= gfp & __GFP_DIRECT_RECLAIM ? SIM_GFP_BLOCK : 0;
	out |= gfp & __GFP_NOWARN ? SIM_GFP_NOWARN : 0;
	out |= gfp & __GFP_NORETRY ? SIM_GFP_NORETRY : 0;
	out |= gfp & __GFP_RETRY_MAYFAIL ? SIM_GFP_RETRY_MAYFAIL : 0;
	out |= gfp & __GFP_NOFAIL ? SIM_GFP_NOFAIL : 0;
	out |= gfp & __GFP_HIGH ? SIM_GFP_ATOMIC : 0;

	return out;
}

static unsigned int checked(gfp_t gfp, const char *what, const void *caller)
{
	if (gfp & __GFP_DIRECT_RECLAIM)
		sim_may_sleep(what, caller);

	return translate(gfp);
}

#define KMALLOC(size, gfp, caller) sim_kmalloc(size, checked(gfp, "kmalloc", caller), caller)

SUPPLY(void *, __kmalloc, size_t size, gfp_t gfp)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, __kmalloc_noprof, size_t size, gfp_t gfp)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, kmalloc_trace, struct kmem_cache *s, gfp_t gfp, size_t size)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, __kmalloc_cache_noprof, struct kmem_cache *s, gfp_t gfp, size_t size)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, kmalloc_large, size_t size, gfp_t gfp)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, __kmalloc_large_noprof, size_t size, gfp_t gfp)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, __kmalloc_node, size_t size, gfp_t gfp, int node)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, __kmalloc_node_noprof, size_t size, gfp_t gfp, int node)
{
	return KMALLOC(size, gfp, CALLER);
}

SUPPLY(void *, __kmalloc_node_track_caller, size_t size, gfp_t gfp, int node, unsigned long caller)
{
	return KMALLOC(size, gfp, (const void *)caller);
}

SUPPLY(void *, __kmalloc_node_track_caller_noprof, size_t size, gfp_t gfp, int node,
       unsigned long caller)
{
	return KMALLOC(size, gfp, (const void *)caller);
}

SUPPLY(void *, kvmalloc_node, size_t size, gfp_t gfp, int node)
{
	return sim_kvmalloc(size, checked(gfp, "kvmalloc", CALLER), CALLER);
}

SUPPLY(void *, __kvmalloc_node_noprof, size_t size, gfp_t gfp, int node)
{
	return sim_kvmalloc(size, checked(gfp, "kvmalloc", CALLER), CALLER);
}

/* No lock of the running task's may be in it. */
static void check_locks(const void *p, const void *caller)
{
#ifdef CONFIG_LOCKDEP
	if (unlikely(sim_self->lockdep_depth) && !sim_is_vmalloc_addr(p))
		lockdep_check_freed(p, sim_ksize(p), caller);
#endif
}

SUPPLY(void, kfree, const void *p)
{
	check_locks(p, CALLER);
	sim_kfree(p, CALLER);
}

SUPPLY(void, kfree_sensitive, const void *p)
{
	check_locks(p, CALLER);
	sim_kfree(p, CALLER);
}

SUPPLY(void, kvfree, const void *p)
{
	if (sim_is_vmalloc_addr(p) && !sim_self->in_hardirq)
		sim_may_sleep("kvfree", CALLER);
	check_locks(p, CALLER);
	sim_kvfree(p, CALLER);
}

SUPPLY(size_t, ksize, const void *p)
{
	return sim_ksize(p);
}

SUPPLY(size_t, kmalloc_size_roundup, size_t size)
{
	return sim_kmalloc_size_roundup(size);
}

SUPPLY(void *, vmalloc, unsigned long size)
{
	sim_may_sleep("vmalloc", CALLER);
	return sim_vmalloc(size, SIM_GFP_KERNEL, CALLER);
}

SUPPLY(void *, vmalloc_noprof, unsigned long size)
{
	sim_may_sleep("vmalloc", CALLER);
	return sim_vmalloc(size, SIM_GFP_KERNEL, CALLER);
}

SUPPLY(void *, vzalloc, unsigned long size)
{
	sim_may_sleep("vzalloc", CALLER);
	return sim_vmalloc(size, SIM_GFP_KERNEL | SIM_GFP_ZERO, CALLER);
}

SUPPLY(void *, vzalloc_noprof, unsigned long size)
{
	sim_may_sleep("vzalloc", CALLER);
	return sim_vmalloc(size, SIM_GFP_KERNEL | SIM_GFP_ZERO, CALLER);
}

SUPPLY(void, vfree, const void *p)
{
	/* In a hard interrupt the kernel defers the work (vfree_atomic). */
	if (p && !sim_self->in_hardirq)
		sim_may_sleep("vfree", CALLER);
	sim_vfree(p, CALLER);
}

SUPPLY(unsigned long, __get_free_pages, gfp_t gfp, unsigned int order)
{
	return (unsigned long)sim_alloc_pages(order, checked(gfp, "__get_free_pages", CALLER),
					      CALLER);
}

SUPPLY(unsigned long, get_free_pages_noprof, gfp_t gfp, unsigned int order)
{
	return (unsigned long)sim_alloc_pages(order, checked(gfp, "__get_free_pages", CALLER),
					      CALLER);
}

SUPPLY(void, free_pages, unsigned long addr, unsigned int order)
{
	if (addr)
		sim_free_pages((void *)addr, order, CALLER);
}

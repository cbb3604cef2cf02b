/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of the deterministic world, under the names by which sim/kernel asks for it: objects of
 * one execution in place of the simulated pages.
 */
#ifndef SIM_KERNEL_DET_OBJECTS_H
#define SIM_KERNEL_DET_OBJECTS_H

#include <linux/types.h>

#include <sim/det.h>
#include <sim/fault.h>
#include <sim/mm.h>

#ifdef CONFIG_PREEMPT_RT
void irqsim_allocator_locks(const void *caller); /* rt/allocator.c */
#else
static inline void irqsim_allocator_locks(const void *caller)
{
}
#endif

static inline bool det_refused(enum sim_fault_kind kind, size_t size, unsigned int order,
			       unsigned int gfp)
{
	return sim_should_fail(kind, size, order, gfp) ||
	       ((gfp & SIM_GFP_ACCOUNT) && sim_should_fail(SIM_FAILCHARGE, size, 0, gfp));
}

static inline void *det_pages(unsigned int order, unsigned int gfp, const void *caller)
{
	irqsim_allocator_locks(caller);
	if (det_refused(SIM_FAIL_PAGE_ALLOC, 4096UL << order, order, gfp))
		return NULL;
	return det_alloc(4096UL << order, gfp & SIM_GFP_ZERO, caller);
}

static inline void *det_object(size_t size, unsigned int gfp, const void *caller)
{
	if (!size)
		return SIM_ZERO_SIZE_PTR;
	irqsim_allocator_locks(caller);
	if (det_refused(SIM_FAILSLAB, size, 0, gfp))
		return NULL;
	return det_alloc(size, gfp & SIM_GFP_ZERO, caller);
}

static inline void det_object_free(const void *p, const void *caller)
{
	irqsim_allocator_locks(caller);
	det_free(p, caller);
}

#define sim_kmalloc(size, gfp, caller)		  det_object(size, gfp, caller)
#define sim_kvmalloc(size, gfp, caller)		  det_object(size, gfp, caller)
#define sim_vmalloc(size, gfp, caller)		  det_object(size, gfp, caller)
#define sim_cache_alloc(size, align, gfp, caller) det_object(size, gfp, caller)
#define sim_alloc_pages(order, gfp, caller)	  det_pages(order, gfp, caller)
#define sim_kfree(p, caller)			  det_object_free(p, caller)
#define sim_kvfree(p, caller)			  det_object_free(p, caller)
#define sim_vfree(p, caller)			  det_object_free(p, caller)
#define sim_free_pages(p, order, caller)	  det_object_free(p, caller)
#define sim_ksize(p)				  det_alloc_size(p)
#define sim_is_vmalloc_addr(p)			  ((void)(p), false)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counted operations. The simulated kernel counts what it does; a cost profile gives each
 * operation a price, and a modelled time is the sum. Counting is always on and costs one increment.
 *
 * Counts are kept by section, so that what kvm_set_irq_routing() does itself is told from what
 * the ioctl around it does (the copy of user space's array).
 */
#ifndef SIM_OPS_H
#define SIM_OPS_H

#include <stdint.h>

#include <sim/task.h>

enum sim_section {
	SIM_SECTION_OTHER,   /* VM set-up and everything not named below */
	SIM_SECTION_ENTRY,   /* an ioctl's own work: entry, copies from user space */
	SIM_SECTION_ROUTING, /* kvm_set_irq_routing() */
	SIM_NR_SECTIONS
};

enum sim_op {
	SIM_OP_KMALLOC, /* objects served by a kmalloc bucket */
	SIM_OP_KFREE,
	SIM_OP_PAGE_ALLOC, /* requests served by the buddy allocator, kmalloc above 8 KiB included
			    */
	SIM_OP_PAGE_ALLOC_PAGES, /* the pages in them */
	SIM_OP_PAGE_FREE,
	SIM_OP_VMALLOC,	      /* vmalloc areas made, fallbacks included */
	SIM_OP_VMALLOC_PAGES, /* single pages allocated and mapped for them */
	SIM_OP_VFREE,
	SIM_OP_VFREE_PAGES,
	SIM_OP_CHARGE,	   /* memcg charges (GFP_KERNEL_ACCOUNT): one an object, one a page block */
	SIM_OP_ZERO_BYTES, /* bytes cleared for __GFP_ZERO */
	SIM_OP_COMPACT,	   /* direct compaction attempts */
	SIM_OP_MIGRATE,	   /* pages moved by them */
	SIM_OP_VMALLOC_FALLBACK, /* kvmalloc requests that fell back to vmalloc */
	SIM_OP_HIGH_ORDER_FAIL,	 /* requests of order >= 1 that the buddy allocator refused */
	SIM_OP_ALLOC_FAIL, /* allocations that returned NULL to the caller, injected ones included
			    */
	SIM_OP_FAULT,	   /* of these, injected */
	SIM_OP_IOCTL,
	SIM_OP_USER_BYTES,   /* bytes copied from and to user space */
	SIM_OP_GRACE_PERIOD, /* SRCU grace periods waited for */
	SIM_OP_ROUTE,	     /* routing entries of the table handed to kvm_set_irq_routing() */
	SIM_OP_IRQFD_ASSIGN, /* irqfds assigned */
	SIM_OP_IRQFD_SCAN,   /* irqfds of the VM at that moment, looked through for the same eventfd */
	SIM_OP_IRQFD_UPDATE, /* irqfds that an update gives their route anew */
	SIM_OP_IRTE,	     /* interrupt remapping entries written */
	SIM_OP_VFIO_ENABLE,  /* devices whose MSI-X a VMM enables, with all that is not KVM's */
	SIM_NR_OPS
};

/* Short name in JSON, reports and profile files ("kmalloc", "page_alloc" ...). */
const char *sim_op_name(enum sim_op op);

struct sim_counts {
	uint64_t n[SIM_NR_SECTIONS][SIM_NR_OPS];
};

/* Of the calling thread; a thread reads only its own. */
extern __thread struct sim_counts sim_counts;

/* Counts that take a walk (over a VM's irqfds): off while wall times are taken. On at first. */
extern bool sim_count_walks;

static inline void sim_count(enum sim_op op, uint64_t n)
{
	sim_counts.n[sim_self->section][op] += n;
}

/* Returns the section that was current, to be handed back to it at the end. */
static inline int sim_section_set(int section)
{
	int old = sim_self->section;

	sim_self->section = section;
	return old;
}

#endif

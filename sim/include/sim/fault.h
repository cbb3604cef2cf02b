/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fault injection with the kernel's names and attributes
 * (Documentation/fault-injection/fault-injection.rst): failslab, fail_page_alloc, fail-nth; and
 * failcharge, a memcg charge that is refused (GFP_KERNEL_ACCOUNT).
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_fault_kind { SIM_FAILSLAB, SIM_FAIL_PAGE_ALLOC, SIM_FAILCHARGE, SIM_NR_FAULT_KINDS };

struct sim_fault_attr {
	unsigned int probability; /* percent, 0 to 100 */
	unsigned int interval;	  /* only every interval-th eligible call may fail; >= 1 */
	int times;		  /* how many may fail; -1 without limit */
	long space;		  /* bytes (slab) or pages still granted before the first failure */
	unsigned int min_order;	  /* fail_page_alloc only: smaller orders are spared */
	bool ignore_gfp_wait;	  /* spare allocations that may sleep. The kernel's
				 * default is true for both (mm/failslab.c, mm/fail_page_alloc.c);
				 * here false, since routing allocates nothing else */
};

/*
 * sim_fault_parse - read "probability=100,interval=3,times=-1,space=0,min-order=1" or the kernel's
 * boot form "<interval>,<probability>,<space>,<times>"
 * Returns 0, or -EINVAL with what is wrong in @err (one line, no newline).
 */
int sim_fault_parse(const char *text, struct sim_fault_attr *attr, char *err, size_t err_size);
void sim_fault_set(enum sim_fault_kind kind, const struct sim_fault_attr *attr);
void sim_fault_clear(void); /* all kinds off, fail_nth of the calling task too */
void sim_fault_seed(uint64_t seed);
/* Attributes of all kinds rest while off, and go on from where they were. On at first. */
void sim_fault_enable(bool on);

/*
 * fail-nth of the calling task: the @n-th fault point from now on (1: the next) fails, once; 0
 * switches it off. An object of GFP_KERNEL_ACCOUNT passes two points, its allocation and its
 * charge, in that order; kvmalloc's two attempts are points of their own.
 * sim_fail_nth_hit() tells whether that point was reached since.
 */
void sim_fail_nth_set(unsigned long n);
bool sim_fail_nth_hit(void);

/*
 * Called by the allocators. @size in bytes; @order for pages. True: fail now.
 */
bool sim_should_fail(enum sim_fault_kind kind, size_t size, unsigned int order, unsigned int gfp);

#endif

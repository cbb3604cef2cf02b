// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/uaccess.h and the user copies of linux/string.h. User addresses are the host process's own;
 * what lies above the user half, or wraps, is refused without a look.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <sim/mm.h>
#include <sim/ops.h>
#include <sim/uaccess.h>

#include "supply.h"

/* TASK_SIZE_MAX of 4-level paging: the lower half but its last page. */
#define USER_END ((1UL << 47) - PAGE_SIZE)

/* Memory of the simulated kernel is no user's, although it lies in the host process' lower half. */
static bool is_kernel(unsigned long start, unsigned long n)
{
	return start < SIM_VMALLOC_START + SIM_VMALLOC_SIZE && start + n > SIM_DIRECT_MAP;
}

static bool is_user(const void *addr, unsigned long n)
{
	unsigned long start = (unsigned long)addr;

	return n <= USER_END && start <= USER_END - n && !is_kernel(start, n);
}

SUPPLY(unsigned long, _copy_from_user, void *to, const void *from, unsigned long n)
{
	unsigned long left;

	sim_may_sleep("copy_from_user", CALLER);
	left = is_user(from, n) ? sim_copy_user(to, from, n) : n;
	sim_count(SIM_OP_USER_BYTES, n - left);
	/* The kernel never leaves a hole with what was in memory before. */
	if (unlikely(left))
		memset(to + (n - left), 0, left);
	return left;
}

SUPPLY(unsigned long, _copy_to_user, void *to, const void *from, unsigned long n)
{
	unsigned long left;

	sim_may_sleep("copy_to_user", CALLER);
	left = is_user(to, n) ? sim_copy_user(to, from, n) : n;
	sim_count(SIM_OP_USER_BYTES, n - left);
	return left;
}

static void *duplicate(const void __user *src, size_t len, void *to)
{
	if (!to)
		return ERR_PTR(-ENOMEM);
	if (copy_from_user(to, src, len)) {
		kvfree(to);
		return ERR_PTR(-EFAULT);
	}
	return to;
}

/* The memory is its caller's, and reports name it by that. */
SUPPLY(void *, memdup_user, const void __user *src, size_t len)
{
	sim_may_sleep("memdup_user", CALLER);
	return duplicate(src, len, sim_kmalloc(len, SIM_GFP_KERNEL | SIM_GFP_NOWARN, CALLER));
}

SUPPLY(void *, vmemdup_user, const void __user *src, size_t len)
{
	sim_may_sleep("vmemdup_user", CALLER);
	return duplicate(src, len, sim_kvmalloc(len, SIM_GFP_KERNEL, CALLER));
}

/* A page fault may be served in between. */
SUPPLY(void, __might_fault, const char *file, int line)
{
	sim_may_sleep("might_fault", CALLER);
}

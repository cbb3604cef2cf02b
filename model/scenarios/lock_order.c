// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two mutexes in one order by everybody, and in two orders.
 */
#include <linux/mutex.h>

#include "programs.h"

static DEFINE_MUTEX(outer);
static DEFINE_MUTEX(inner);
static u32 order;

static void note(unsigned int n)
{
	order = 10 * order + n + 1;
}

static noinline void nested(struct mutex *first, struct mutex *second, unsigned int n)
{
	mutex_lock(first);
	mutex_lock(second);
	note(n);
	mutex_unlock(second);
	mutex_unlock(first);
}

static void same_order(unsigned int n)
{
	nested(&outer, &inner, n);
}

static void other_order(unsigned int n)
{
	if (n)
		nested(&inner, &outer, n);
	else
		nested(&outer, &inner, n);
}

static u64 what_order(void)
{
	return order;
}

PROGRAM(lock_same_order, "mutex-order", "three tasks take two locks in one order", 3,
	.actor = same_order, .state = what_order);
PROGRAM(lock_inversion, "mutex-inversion", "two tasks take two locks in opposite orders", 2,
	.actor = other_order, .state = what_order, .expects = "deadlock");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleeping and waking by hand: one says that it sleeps and looks at the condition, the other makes
 * the condition true and looks for a sleeper. Each has a full barrier between its store and its
 * load, so that at least one of them sees the other (memory-barriers.txt, "sleep and wake-up").
 */
#include <linux/atomic.h>

#include "programs.h"

static int condition, asleep, woken;
static int woke_it;

static noinline void sleep_until_condition(void)
{
	WRITE_ONCE(asleep, 1);
	smp_mb();
	if (READ_ONCE(condition))
		return;
	while (!smp_load_acquire(&woken))
		cpu_relax();
}

static noinline void wake(void)
{
	WRITE_ONCE(condition, 1);
	smp_mb();
	if (!READ_ONCE(asleep))
		return;
	woke_it = 1;
	smp_store_release(&woken, 1);
}

static void sleep_or_wake(unsigned int n)
{
	if (n) {
		wake();
		return;
	}
	sleep_until_condition();
	DET_CHECK(READ_ONCE(condition));
}

static u64 who_woke(void)
{
	return woke_it;
}

PROGRAM(sleep_wake, "sleep-wake", "a sleeper and its waker, by flags and full barriers", 2,
	.actor = sleep_or_wake, .state = who_woke);

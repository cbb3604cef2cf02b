// SPDX-License-Identifier: GPL-2.0-only
/*
 * T3: readers raise a flag, look at the pointer, use it, lower the flag; an updater swaps the
 * pointer, waits for the flags, frees the old object. B: it does not wait. C: the readers lack
 * their barrier, which only store buffers show.
 */
#include <linux/atomic.h>

#include "programs.h"

struct thing {
	int value;
};

static struct thing *current_thing;
static int flags[4];

static void setup(void)
{
	current_thing = kmalloc(sizeof(*current_thing), GFP_KERNEL);
	current_thing->value = 1;
}

static __always_inline void read_it(unsigned int n, bool barrier)
{
	struct thing *t;

	WRITE_ONCE(flags[n], 1);
	if (barrier)
		smp_mb();
	t = READ_ONCE(current_thing);
	DET_CHECK(t->value);
	smp_store_release(&flags[n], 0);
}

static __always_inline void update(unsigned int readers, bool wait)
{
	struct thing *fresh = kmalloc(sizeof(*fresh), GFP_KERNEL), *old;
	unsigned int i;

	fresh->value = 2;
	old = xchg(&current_thing, fresh);
	smp_mb();
	for (i = 1; wait && i <= readers; i++)
		while (smp_load_acquire(&flags[i]))
			cpu_relax();
	kfree(old);
}

#define FLAGS(id, title, about, readers, barrier, wait, ...) \
	static void id##_actor(unsigned int n)               \
	{                                                    \
		if (n)                                       \
			read_it(n, barrier);                 \
		else                                         \
			update(readers, wait);               \
	}                                                    \
	PROGRAM(id, title, about, 1 + readers, .setup = setup, .actor = id##_actor, ##__VA_ARGS__)

FLAGS(flags_1, "flags-1", "hand-made grace period: an updater and one reader", 1, true, true);
FLAGS(flags_2, "flags-2", "hand-made grace period: an updater and two readers", 2, true, true);
FLAGS(flags_no_wait, "flags-no-wait", "the updater frees at once", 1, true, false,
      .expects = "kasan");
FLAGS(flags_no_mb, "flags-no-mb", "the reader lacks smp_mb(): wrong under tso only", 1, false, true,
      .expects = "kasan", .expects_tso = true);

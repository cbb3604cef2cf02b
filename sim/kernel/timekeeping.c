// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/timekeeping.h and linux/ktime.h. There is one clock, behind every clock's name: the host's,
 * or, in the deterministic world, the latest time that an hrtimer has come for.
 */
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "alarm.h"
#include "supply.h"
#include "world.h"

static u64 virtual_now;

void alarm_clock_to(u64 ns)
{
	WRITE_ONCE(virtual_now, ns);
}

static ktime_t now(void)
{
	return ALARM_NO_CLOCK ? READ_ONCE(virtual_now) : world_clock_ns();
}

SUPPLY(ktime_t, ktime_get, void)
{
	return now();
}

SUPPLY(ktime_t, ktime_get_with_offset, int offset)
{
	return now();
}

SUPPLY(ktime_t, ktime_get_raw, void)
{
	return now();
}

SUPPLY(ktime_t, ktime_get_coarse_with_offset, int offset)
{
	return now();
}

SUPPLY(u64, ktime_get_mono_fast_ns, void)
{
	return now();
}

SUPPLY(time64_t, ktime_get_seconds, void)
{
	return div_u64(now(), NSEC_PER_SEC);
}

SUPPLY(void, ktime_get_ts64, struct timespec64 *ts)
{
	u64 ns = now();

	ts->tv_sec = ns / NSEC_PER_SEC;
	ts->tv_nsec = ns % NSEC_PER_SEC;
}

/* As far as the clock goes, at most. */
SUPPLY(ktime_t, ktime_add_safe, const ktime_t a, const ktime_t b)
{
	ktime_t sum = ktime_add_unsafe(a, b);

	return sum < 0 || sum < a || sum < b ? KTIME_MAX : sum;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What timers have in common: which of a queue may come now. In the threads world those that are
 * due. In the deterministic world the first of the queue, whenever the policy likes; but one timer
 * at most ALARM_FIRES times in an execution, or one that starts itself anew would never end it.
 */
#ifndef SIM_KERNEL_ALARM_H
#define SIM_KERNEL_ALARM_H

#include <linux/kernel.h>
#include <linux/types.h>

#define ALARM_FIRES    4 /* assumed: enough for a handler to meet each other one */
#define ALARM_COUNTED  8
#define ALARM_NO_CLOCK IS_ENABLED(CONFIG_KCSAN) /* the deterministic world */

/* The deterministic world's clock goes on to @ns, what ktime_get() then says (timekeeping.c). */
void alarm_clock_to(u64 ns);

struct alarm_budget {
	const void *timer[ALARM_COUNTED];
	u8 fired[ALARM_COUNTED];
};

/* Index of @timer's count; ALARM_COUNTED: no room for another, which is not limited. */
static inline int alarm_index(const struct alarm_budget *b, const void *timer)
{
	int i = 0;

	while (i < ALARM_COUNTED && b->timer[i] && b->timer[i] != timer)
		i++;
	return i;
}

static inline bool alarm_spent(const struct alarm_budget *b, const void *timer)
{
	int i;

	if (!ALARM_NO_CLOCK)
		return false;
	i = alarm_index(b, timer);
	return i < ALARM_COUNTED && b->timer[i] && b->fired[i] >= ALARM_FIRES;
}

static inline void alarm_count(struct alarm_budget *b, const void *timer)
{
	int i;

	if (!ALARM_NO_CLOCK)
		return;
	i = alarm_index(b, timer);
	if (i == ALARM_COUNTED)
		return;
	b->timer[i] = timer;
	b->fired[i]++;
}

#endif

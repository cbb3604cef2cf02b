// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/bottom_half.h in the deterministic world: softirqs that are kept out are part of the
 * preemption count.
 */
#include <linux/bottom_half.h>

#include <sim/report.h>

#include "../supply.h"
#include "context.h"

void bh_disable(const void *caller)
{
	count_add(SOFTIRQ_DISABLE_OFFSET, caller);
}

/* Softirqs that are due run in here: not with interrupts off (kernel/softirq.c). */
static void enable_bh(int cnt, const void *caller)
{
	const struct sim_task *t = sim_self;

	if (unlikely(t->in_hardirq | t->irqs_off))
		sim_report(SIM_REPORT_CONTEXT, caller,
			   "WARNING: at __local_bh_enable_ip()\n"
			   "%s/%d enables softirqs %s",
			   t->comm, t->pid,
			   t->in_hardirq ? "in a hard interrupt" : "with interrupts disabled");
	count_sub(cnt, caller);
}

void bh_enable(const void *caller)
{
	enable_bh(SOFTIRQ_DISABLE_OFFSET, caller);
}

SUPPLY(void, __local_bh_disable_ip, unsigned long ip, unsigned int cnt)
{
	count_add(cnt, (const void *)ip);
}

SUPPLY(void, __local_bh_enable_ip, unsigned long ip, unsigned int cnt)
{
	enable_bh(cnt, (const void *)ip);
}

SUPPLY(void, _local_bh_enable, void)
{
	count_sub(SOFTIRQ_DISABLE_OFFSET, CALLER);
}

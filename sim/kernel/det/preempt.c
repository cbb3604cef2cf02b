// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/preempt.h in the deterministic world. The count is put together
 * from what the running context holds: its own preempt_disable(), spinlocks, softirqs disabled, the
 * kind of handler that it is.
 */
#include <linux/preempt.h>
#include <linux/smp.h>

#include <sim/report.h>

#include "../supply.h"
#include "context.h"

int irqsim_preempt_count(void)
{
	return count_of(sim_self);
}

int irqsim_cpu(void)
{
	return sim_self->cpu;
}

static int softirq_part(int val)
{
	return (val & SOFTIRQ_MASK) >> SOFTIRQ_SHIFT;
}

void count_add(int val, const void *caller)
{
	struct sim_task *t = sim_self;

	level_raise(softirq_part(val) ? DET_NO_SOFTIRQS : DET_NO_TASKS, caller);
	if (!(t->preempt_depth | t->bh_depth))
		t->preempt_ip = caller;
	t->preempt_depth += val & PREEMPT_MASK;
	t->bh_depth += softirq_part(val) / 2;
}

/* As preempt_count_sub() of kernel/sched/core.c complains. */
static void underflow(int val, const void *caller)
{
	sim_report(SIM_REPORT_CONTEXT, caller,
		   "WARNING: DEBUG_LOCKS_WARN_ON(val > preempt_count())\n"
		   "%s/%d enables preemption or softirqs that it has not disabled\n"
		   "preempt_count: %x, val: %x",
		   sim_self->comm, sim_self->pid, count_of(sim_self), val);
}

void count_sub(int val, const void *caller)
{
	int preempt = val & PREEMPT_MASK, bh = softirq_part(val) / 2;
	enum det_level was = level_now();
	struct sim_task *t = sim_self;

	if (unlikely(preempt > t->preempt_depth || bh > t->bh_depth)) {
		underflow(val, caller);
		return;
	}
	t->preempt_depth -= preempt;
	t->bh_depth -= bh;
	if (unlikely(bh && t->lockdep_depth))
		sim_lock_irqs_on();
	level_lowered(was, caller);
}

void irqsim_preempt_count_add(int val)
{
	if (val < 0)
		count_sub(-val, CALLER);
	else
		count_add(val, CALLER);
}

void irqsim_preempt_count_sub(int val)
{
	count_sub(val, CALLER);
}

SUPPLY(void, preempt_count_add, int val)
{
	count_add(val, CALLER);
}

SUPPLY(void, preempt_count_sub, int val)
{
	count_sub(val, CALLER);
}

static void check_cpu(const char *what, const char *op, const void *caller)
{
	const struct sim_task *t = sim_self;

	if (likely(count_of(t) | t->irqs_off | t->migrate_depth) ||
	    sim_report_again(SIM_REPORT_CONTEXT, caller))
		return;
	sim_report(SIM_REPORT_CONTEXT, caller, "BUG: using %s%s in preemptible [%08x] code: %s/%d",
		   what, op, irqsim_preempt_count(), t->comm, t->pid);
}

SUPPLY(unsigned int, debug_smp_processor_id, void)
{
	check_cpu("smp_processor_id()", "", CALLER);
	return sim_self->cpu;
}

SUPPLY(void, __this_cpu_preempt_check, const char *op)
{
	check_cpu("__this_cpu_", op, CALLER);
}

SUPPLY(void, migrate_disable, void)
{
	sim_self->migrate_depth++;
}

SUPPLY(void, migrate_enable, void)
{
	if (WARN_ON_ONCE(!sim_self->migrate_depth))
		return;
	sim_self->migrate_depth--;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/preempt.h and linux/bottom_half.h in the deterministic world. The count is put together
 * from what the running context holds: its own preempt_disable(), spinlocks, softirqs disabled, the
 * kind of handler that it is.
 */
#include <linux/bottom_half.h>
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

static void add(int val, const void *caller)
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

static void sub(int val, const void *caller)
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
		sub(-val, CALLER);
	else
		add(val, CALLER);
}

void irqsim_preempt_count_sub(int val)
{
	sub(val, CALLER);
}

SUPPLY(void, preempt_count_add, int val)
{
	add(val, CALLER);
}

SUPPLY(void, preempt_count_sub, int val)
{
	sub(val, CALLER);
}

void bh_disable(const void *caller)
{
	add(SOFTIRQ_DISABLE_OFFSET, caller);
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
	sub(cnt, caller);
}

void bh_enable(const void *caller)
{
	enable_bh(SOFTIRQ_DISABLE_OFFSET, caller);
}

SUPPLY(void, __local_bh_disable_ip, unsigned long ip, unsigned int cnt)
{
	add(cnt, (const void *)ip);
}

SUPPLY(void, __local_bh_enable_ip, unsigned long ip, unsigned int cnt)
{
	enable_bh(cnt, (const void *)ip);
}

SUPPLY(void, _local_bh_enable, void)
{
	sub(SOFTIRQ_DISABLE_OFFSET, CALLER);
}

static void check_cpu(const char *what, const char *op, const void *caller)
{
	const struct sim_task *t = sim_self;

	if (likely(count_of(t) | t->irqs_off) || sim_report_again(SIM_REPORT_CONTEXT, caller))
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

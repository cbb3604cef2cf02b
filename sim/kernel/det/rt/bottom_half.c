// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/bottom_half.h on PREEMPT_RT: who disables softirqs takes a lock of its CPU's, and sleeps
 * where another task of that CPU has it; a softirq's handler, in a task of its own, holds it as well.
 * In a section that cannot sleep the lock is left out, as the kernel leaves it out (kernel/softirq.c).
 */
#include <linux/bottom_half.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include <sim/report.h>

#include "../../supply.h"
#include "../context.h"

static spinlock_t locks[DET_MAX_TASKS] = {
	[0 ... DET_MAX_TASKS - 1] = __SPIN_LOCK_UNLOCKED(softirq_ctrl.lock),
};

/* bh_locked of a softirq's own task. As its lock is one that sleeps, lockdep is told of no softirq. */
#define SERVING 2

static void tell_current(const struct sim_task *t)
{
	current->softirq_disable_cnt = t->bh_depth * SOFTIRQ_DISABLE_OFFSET +
				       (t->bh_locked == SERVING ? SOFTIRQ_OFFSET : 0);
}

static void disable(int depth, const void *caller)
{
	struct sim_task *t = sim_self;

	if (!(t->bh_depth | t->bh_locked | t->irqs_off) && !count_of(t)) {
		spin_lock(&locks[t->cpu]);
		t->bh_locked = 1;
	}
	if (!(t->preempt_depth | t->bh_depth))
		t->preempt_ip = caller;
	t->bh_depth += depth;
	tell_current(t);
}

static void enable(int depth, const void *caller)
{
	struct sim_task *t = sim_self;

	if (unlikely(t->in_hardirq))
		sim_report(SIM_REPORT_CONTEXT, caller,
			   "WARNING: at __local_bh_enable_ip()\n"
			   "%s/%d enables softirqs in a hard interrupt",
			   t->comm, t->pid);
	if (unlikely(depth > t->bh_depth)) {
		sim_report(SIM_REPORT_CONTEXT, caller,
			   "WARNING: DEBUG_LOCKS_WARN_ON(val > softirq_count())\n"
			   "%s/%d enables softirqs that it has not disabled",
			   t->comm, t->pid);
		return;
	}
	t->bh_depth -= depth;
	tell_current(t);
	if (unlikely(!t->bh_depth && t->lockdep_depth))
		sim_lock_irqs_on();
	if (!t->bh_depth && t->bh_locked == 1) {
		t->bh_locked = 0;
		spin_unlock(&locks[t->cpu]);
	}
}

static int depth_of(unsigned int cnt)
{
	return cnt / SOFTIRQ_DISABLE_OFFSET;
}

void bh_disable(const void *caller)
{
	disable(1, caller);
}

void bh_enable(const void *caller)
{
	enable(1, caller);
}

SUPPLY(void, __local_bh_disable_ip, unsigned long ip, unsigned int cnt)
{
	disable(depth_of(cnt), (const void *)ip);
}

SUPPLY(void, __local_bh_enable_ip, unsigned long ip, unsigned int cnt)
{
	enable(depth_of(cnt), (const void *)ip);
}

SUPPLY(void, _local_bh_enable, void)
{
	enable(1, CALLER);
}

SUPPLY(bool, local_bh_blocked, void)
{
	return sim_self->bh_depth;
}

void irqsim_softirq_thread(void (*handler)(void *arg), void *arg)
{
	struct sim_task *t = sim_self;

	spin_lock(&locks[t->cpu]);
	t->bh_locked = SERVING;
	tell_current(t);
	handler(arg);
	t->bh_locked = 0;
	tell_current(t);
	spin_unlock(&locks[t->cpu]);
	sim_check_balance("softirq handler", "leaked lock or atomic", 0, t->irqs_ip);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What may be done in which context: where one may sleep, what a context has to undo before it
 * ends. Each wrong program has a right one beside it.
 */
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "programs.h"

static DEFINE_SPINLOCK(lock);
static DEFINE_MUTEX(mutex);
static int shared;

/* ---- sleeping ---- */

static noinline void allocate_under_spinlock(gfp_t gfp)
{
	void *p;

	spin_lock(&lock);
	p = kmalloc(32, gfp);
	shared++;
	spin_unlock(&lock);
	kfree(p);
}

static void sleeps_in_atomic(unsigned int n)
{
	allocate_under_spinlock(GFP_KERNEL);
}

static void no_sleep_in_atomic(unsigned int n)
{
	allocate_under_spinlock(GFP_ATOMIC);
}

PROGRAM(sleep_in_atomic, "sleep-in-atomic", "kmalloc(GFP_KERNEL) under a spinlock", 2,
	.actor = sleeps_in_atomic, .expects = "atomic-sleep");
PROGRAM(no_sleep, "no-sleep-in-atomic", "kmalloc(GFP_ATOMIC) under a spinlock", 2,
	.actor = no_sleep_in_atomic);

static void locks_mutex_with_irqs_off(unsigned int n)
{
	local_irq_disable();
	mutex_lock(&mutex);
	shared++;
	mutex_unlock(&mutex);
	local_irq_enable();
}

static void irqs_off_under_mutex(unsigned int n)
{
	mutex_lock(&mutex);
	local_irq_disable();
	shared++;
	local_irq_enable();
	mutex_unlock(&mutex);
}

PROGRAM(sleep_with_irqs_off, "sleep-with-irqs-off", "mutex_lock() with interrupts off", 2,
	.actor = locks_mutex_with_irqs_off, .expects = "atomic-sleep");
PROGRAM(irqs_off, "irqs-off-under-mutex", "interrupts off while a mutex is held", 2,
	.actor = irqs_off_under_mutex);

static void waits_in_preempt_off(unsigned int n)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
	rcu_read_lock();
	synchronize_rcu();
	rcu_read_unlock();
}

PROGRAM(sleep_preempt, "sleep-with-preemption-off",
	"might_sleep() without preemption, a grace period in its own reader", 1,
	.actor = waits_in_preempt_off, .expects = "atomic-sleep");

/* ---- what is left over ---- */

static void forgets_preempt_enable(unsigned int n)
{
	preempt_disable();
}

static void enables_too_much(unsigned int n)
{
	preempt_disable();
	preempt_enable();
	preempt_enable();
}

static void forgets_irqs(unsigned int n)
{
	unsigned long flags;

	local_irq_save(flags);
	DET_CHECK(irqs_disabled());
}

static void forgets_unlock(unsigned int n)
{
	spin_lock(&lock);
}

static void forgets_bh(unsigned int n)
{
	local_bh_disable();
	DET_CHECK(in_softirq());
}

static DEFINE_RAW_SPINLOCK(raw_lock);

/* What preempt_count() has of it. */
#define BH_OFF (IS_ENABLED(CONFIG_PREEMPT_RT) ? 0 : SOFTIRQ_DISABLE_OFFSET)

static void undoes_all(unsigned int n)
{
	unsigned long flags;

	preempt_disable();
	local_bh_disable();
	DET_CHECK(preempt_count() == PREEMPT_OFFSET + BH_OFF);
	DET_CHECK(smp_processor_id() == n);
	local_irq_save(flags);
	raw_spin_lock(&raw_lock);
	DET_CHECK(preempt_count() == 2 * PREEMPT_OFFSET + BH_OFF);
	lockdep_assert_held(&raw_lock);
	lockdep_assert_irqs_disabled();
	raw_spin_unlock(&raw_lock);
	local_irq_restore(flags);
	lockdep_assert_irqs_enabled();
	local_bh_enable();
	preempt_enable();
	DET_CHECK(preemptible() && current->comm[6] == 'a' + n); /* actor-a, actor-b */
}

PROGRAM(leak_preempt, "leaked-preempt-count", "a task ends with preemption off", 1,
	.actor = forgets_preempt_enable, .expects = "context");
PROGRAM(preempt_underflow, "preempt-underflow", "one preempt_enable() too many", 1,
	.actor = enables_too_much, .expects = "context");
PROGRAM(leak_irqs, "leaked-irqs-off", "a task ends with interrupts off", 1, .actor = forgets_irqs,
	.expects = "context");
PROGRAM(leak_lock, "leaked-lock", "a task ends with a spinlock", 1, .actor = forgets_unlock,
	.expects = "context");
PROGRAM(leak_bh, "leaked-bh-off", "a task ends with softirqs disabled", 1, .actor = forgets_bh,
	.expects = "context");
PROGRAM(balanced, "contexts-balanced", "everything disabled is enabled again", 2,
	.actor = undoes_all);

static void on_a_cpu(unsigned int n)
{
	shared = smp_processor_id();
}

PROGRAM(preemptible_cpu, "smp-processor-id", "smp_processor_id() where the task may move", 1,
	.actor = on_a_cpu, .expects = "context");

/* ---- handlers ---- */

static void nothing(unsigned int n)
{
	WRITE_ONCE(shared, 1);
}

static void enables_irqs(unsigned int n)
{
	local_irq_enable();
}

static void good_handler(unsigned int n)
{
	unsigned long flags;

	DET_CHECK(in_hardirq() && irqs_disabled() && !in_task());
	lockdep_assert_in_irq();
	local_irq_save(flags);
	local_irq_restore(flags);
	DET_CHECK(irqs_disabled());
}

PROGRAM(handler_enables, "handler-enables-irqs", "a hard interrupt's handler enables interrupts", 1,
	.actor = nothing, .nr_irqs = 1, .irq = enables_irqs, .expects = "context");
PROGRAM(handler_leaks, "handler-leaks-preempt-count", "a handler ends with preemption off", 1,
	.actor = nothing, .nr_irqs = 1, .irq = forgets_preempt_enable, .expects = "context");
PROGRAM(handler_good, "handler-balanced", "a handler undoes what it did", 1, .actor = nothing,
	.nr_irqs = 1, .irq = good_handler);

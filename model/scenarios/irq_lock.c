// SPDX-License-Identifier: GPL-2.0-only
/*
 * A counter that a task and an interrupt handler of its CPU share: the task keeps interrupts off
 * while it holds the lock.
 */
#include "programs.h"

static DEFINE_SPINLOCK(lock);
static int counter;

static noinline void add_in_task(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	counter++;
	spin_unlock_irqrestore(&lock, flags);
}

static noinline void add_in_handler(void)
{
	spin_lock(&lock);
	counter++;
	spin_unlock(&lock);
}

static void task(unsigned int n)
{
	add_in_task();
}

static void handler(unsigned int n)
{
	add_in_handler();
}

static void all_counted(void)
{
	DET_CHECK(counter == 3);
}

static u64 count(void)
{
	return counter;
}

/* Actor 0 on CPU 0, which is interrupted; actor 1 on CPU 1. Such a lock sleeps on PREEMPT_RT. */
PROGRAM(irq_lock, "irq-lock", "a lock shared by two tasks and an interrupt handler", 2,
	.nr_irqs = 1, .actor = task, .irq = handler, .final = all_counted, .state = count,
	.expects = IS_ENABLED(CONFIG_PREEMPT_RT) ? "lockdep" : NULL);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks: their order, the interrupts that may want them, who releases and frees them. Each wrong
 * program has a right one beside it; none has to run into its deadlock to be found.
 */
#include <linux/interrupt.h>
#include <linux/mutex.h>

#include "programs.h"

static DEFINE_SPINLOCK(outer);
static DEFINE_SPINLOCK(inner);
static int counter;

static noinline void in_order(spinlock_t *first, spinlock_t *second)
{
	spin_lock(first);
	spin_lock(second);
	counter++;
	spin_unlock(second);
	spin_unlock(first);
}

static void inverted(unsigned int n)
{
	if (n)
		in_order(&inner, &outer);
	else
		in_order(&outer, &inner);
}

static void ordered(unsigned int n)
{
	in_order(&outer, &inner);
}

PROGRAM(lock_inversion, "lock-inversion", "two spinlocks in both orders", 2, .actor = inverted,
	.expects = "lockdep");
PROGRAM(lock_order, "lock-order", "two spinlocks in one order", 2, .actor = ordered);

/* ---- against interrupts ---- */

static DEFINE_SPINLOCK(irq_lock);

static void with_irqs_on(unsigned int n)
{
	spin_lock(&irq_lock);
	counter++;
	spin_unlock(&irq_lock);
}

static void with_irqs_off(unsigned int n)
{
	unsigned long flags;

	spin_lock_irqsave(&irq_lock, flags);
	counter++;
	spin_unlock_irqrestore(&irq_lock, flags);
}

PROGRAM(irq_unsafe, "irq-unsafe-lock", "a handler takes a lock that is held with interrupts on", 1,
	.actor = with_irqs_on, .nr_irqs = 1, .irq = with_irqs_on, .expects = "lockdep");
PROGRAM(irq_safe, "irq-safe-lock", "a handler takes a lock that is held with interrupts off", 1,
	.actor = with_irqs_off, .nr_irqs = 1, .irq = with_irqs_off,
	.expects = IS_ENABLED(CONFIG_PREEMPT_RT) ? "lockdep" : NULL);

static void softirq_handler(void *arg)
{
	DET_CHECK(in_serving_softirq() && !in_hardirq() && !in_task());
	with_irqs_on(0);
}

static void raise_softirq_of(unsigned int n)
{
	int irq = det_irq_new(DET_SOFTIRQ, 0, "softirq", softirq_handler, NULL, raise_softirq_of);

	det_irq_raise(irq, raise_softirq_of);
}

static void with_bh_on(unsigned int n)
{
	raise_softirq_of(n);
	with_irqs_on(n);
}

static void with_bh_off(unsigned int n)
{
	raise_softirq_of(n);
	spin_lock_bh(&irq_lock);
	counter++;
	spin_unlock_bh(&irq_lock);
}

PROGRAM(softirq_unsafe, "softirq-unsafe-lock", "a softirq takes a lock held with softirqs on", 1,
	.actor = with_bh_on, .expects = IS_ENABLED(CONFIG_PREEMPT_RT) ? NULL : "lockdep");
PROGRAM(softirq_safe, "softirq-safe-lock", "a softirq takes a lock held with softirqs off", 1,
	.actor = with_bh_off);

/* Interrupts come back on while the lock is still held. */
static void on_too_early(unsigned int n)
{
	spin_lock_irq(&irq_lock);
	counter++;
	local_irq_enable();
	spin_unlock(&irq_lock);
}

PROGRAM(irqs_on_early, "irqs-on-too-early", "interrupts come on before the unlock", 1,
	.actor = on_too_early, .nr_irqs = 1, .irq = with_irqs_off, .expects = "lockdep");

/* ---- who holds it ---- */

struct owner {
	struct mutex lock;
	int value;
};

static noinline void free_owner(bool held)
{
	struct owner *o = kzalloc(sizeof(*o), GFP_KERNEL);

	mutex_init(&o->lock);
	mutex_lock(&o->lock);
	o->value++;
	if (!held)
		mutex_unlock(&o->lock);
	kfree(o);
}

static void freed_held(unsigned int n)
{
	free_owner(true);
}

static void freed_after_unlock(unsigned int n)
{
	free_owner(false);
}

PROGRAM(held_lock_freed, "held-lock-freed", "kfree() of an object whose mutex is held", 1,
	.actor = freed_held, .expects = "lockdep");
PROGRAM(lock_freed, "lock-freed", "kfree() of an object after the unlock", 2,
	.actor = freed_after_unlock);

static void unlocks_too_much(unsigned int n)
{
	spin_lock(&outer);
	counter++;
	spin_unlock(&outer);
	spin_unlock(&outer);
}

PROGRAM(bad_unlock, "bad-unlock-balance", "a second spin_unlock()", 1, .actor = unlocks_too_much,
	.expects = "lockdep");

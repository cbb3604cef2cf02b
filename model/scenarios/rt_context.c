// SPDX-License-Identifier: GPL-2.0-only
/*
 * What PREEMPT_RT makes of a section: a spinlock_t and softirqs that are disabled keep out those who
 * want the same, and nobody else; raw spinlocks and local_irq_save() are what they are elsewhere
 * (Documentation/locking/locktypes.rst).
 */
#include <linux/bottom_half.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>

#include "programs.h"

#define ON_RT(kind) (IS_ENABLED(CONFIG_PREEMPT_RT) ? (kind) : NULL)

static DEFINE_SPINLOCK(lock);
static DEFINE_RAW_SPINLOCK(raw_lock);
static int counter;

static void two(void)
{
	DET_CHECK(counter == 2);
}

/* ---- locks in hard interrupts ---- */

static void task_counts(unsigned int n)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	counter++;
	spin_unlock_irqrestore(&lock, flags);
}

static void handler_counts(unsigned int n)
{
	spin_lock(&lock);
	counter++;
	spin_unlock(&lock);
}

static void task_counts_raw(unsigned int n)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw_lock, flags);
	counter++;
	raw_spin_unlock_irqrestore(&raw_lock, flags);
}

static void handler_counts_raw(unsigned int n)
{
	raw_spin_lock(&raw_lock);
	counter++;
	raw_spin_unlock(&raw_lock);
}

#ifdef CONFIG_PREEMPT_RT
#define COUNTED NULL /* a handler that sleeps may not come back */
#else
#define COUNTED two
#endif
PROGRAM(rt_handler, "rt-spinlock-in-handler", "a hard interrupt's handler takes a spinlock_t", 1,
	.nr_irqs = 1, .actor = task_counts, .irq = handler_counts, .final = COUNTED,
	.expects = ON_RT("lockdep"));
PROGRAM(rt_raw_handler, "rt-raw-spinlock-in-handler", "the same with a raw_spinlock_t", 1,
	.nr_irqs = 1, .actor = task_counts_raw, .irq = handler_counts_raw, .final = two);

/* ---- timers ---- */

static struct hrtimer timer;

static enum hrtimer_restart counts(struct hrtimer *t)
{
	handler_counts(0);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart counts_raw(struct hrtimer *t)
{
	handler_counts_raw(0);
	return HRTIMER_NORESTART;
}

static void start(enum hrtimer_restart (*fn)(struct hrtimer *), enum hrtimer_mode mode)
{
	hrtimer_init(&timer, CLOCK_MONOTONIC, mode);
	timer.function = fn;
	hrtimer_start(&timer, 1000, mode);
}

static void starts_hard(unsigned int n)
{
	start(counts, HRTIMER_MODE_REL_HARD);
	task_counts(n);
}

static void starts_raw(unsigned int n)
{
	start(counts_raw, HRTIMER_MODE_REL_HARD);
	task_counts_raw(n);
}

static void starts(unsigned int n)
{
	start(counts, HRTIMER_MODE_REL);
	task_counts(n);
}

PROGRAM(rt_hard_timer, "rt-spinlock-in-hard-timer", "a hard timer's function takes a spinlock_t", 1,
	.actor = starts_hard, .final = COUNTED, .expects = ON_RT("lockdep"));
PROGRAM(rt_raw_timer, "rt-raw-spinlock-in-hard-timer", "the same with a raw_spinlock_t", 1,
	.actor = starts_raw, .final = two);
PROGRAM(rt_timer, "rt-spinlock-in-timer", "a timer that may be soft takes a spinlock_t", 1,
	.actor = starts, .final = two);

/* ---- what sleeps under a raw_spinlock_t ---- */

static void nests(unsigned int n)
{
	raw_spin_lock(&raw_lock);
	spin_lock(&lock);
	counter++;
	spin_unlock(&lock);
	raw_spin_unlock(&raw_lock);
}

static void nests_well(unsigned int n)
{
	spin_lock(&lock);
	raw_spin_lock(&raw_lock);
	counter++;
	raw_spin_unlock(&raw_lock);
	spin_unlock(&lock);
}

static void allocates(unsigned int n)
{
	void *p;

	raw_spin_lock(&raw_lock);
	p = kmalloc(32, GFP_ATOMIC);
	raw_spin_unlock(&raw_lock);
	kfree(p);
}

PROGRAM(rt_nests, "rt-spinlock-under-raw", "a spinlock_t is taken under a raw_spinlock_t", 2,
	.actor = nests, .final = two, .expects = ON_RT("lockdep"));
PROGRAM(rt_nests_well, "rt-raw-under-spinlock", "a raw_spinlock_t is taken under a spinlock_t", 2,
	.actor = nests_well, .final = two);
PROGRAM(rt_allocates, "rt-allocation-under-raw", "kmalloc(GFP_ATOMIC) under a raw_spinlock_t", 2,
	.actor = allocates, .expects = ON_RT("atomic-sleep"));

/* ---- who comes in between: the state is 1 if somebody did ---- */

static int others, before, after;
static const u8 one_cpu[] = { 0, 0 };

static void comes(unsigned int n)
{
	WRITE_ONCE(others, others + 1);
}

static noinline void looks(void)
{
	before = READ_ONCE(others);
	after = READ_ONCE(others);
}

static u64 came_between(void)
{
	return before != after;
}

static void irqsave_section(unsigned int n)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	DET_CHECK(irqs_disabled() == !IS_ENABLED(CONFIG_PREEMPT_RT));
	looks();
	spin_unlock_irqrestore(&lock, flags);
}

static void raw_irqsave_section(unsigned int n)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&raw_lock, flags);
	looks();
	raw_spin_unlock_irqrestore(&raw_lock, flags);
}

static void irqs_off_section(unsigned int n)
{
	unsigned long flags;

	local_irq_save(flags);
	looks();
	local_irq_restore(flags);
}

PROGRAM(rt_irqsave, "rt-irqsave-section", "an interrupt, and its CPU's spin_lock_irqsave()", 1,
	.nr_irqs = 1, .actor = irqsave_section, .irq = comes, .state = came_between);
PROGRAM(rt_raw_irqsave, "rt-raw-irqsave-section",
	"an interrupt, and its CPU's raw_spin_lock_irqsave()", 1, .nr_irqs = 1,
	.actor = raw_irqsave_section, .irq = comes, .state = came_between);
PROGRAM(rt_irqs_off, "rt-irqs-off-section", "an interrupt, and its CPU's local_irq_save()", 1,
	.nr_irqs = 1, .actor = irqs_off_section, .irq = comes, .state = came_between);

static void locked_or_comes(unsigned int n)
{
	if (n) {
		comes(n);
		return;
	}
	spin_lock(&lock);
	looks();
	spin_unlock(&lock);
}

static void raw_locked_or_comes(unsigned int n)
{
	if (n) {
		comes(n);
		return;
	}
	raw_spin_lock(&raw_lock);
	looks();
	raw_spin_unlock(&raw_lock);
}

PROGRAM(rt_preempted, "rt-spinlock-section", "a spinlock_t's section, and a task of its CPU", 2,
	.actor_cpus = one_cpu, .actor = locked_or_comes, .state = came_between);
PROGRAM(rt_raw_section, "rt-raw-spinlock-section",
	"a raw_spinlock_t's section, and a task of its CPU", 2, .actor_cpus = one_cpu,
	.actor = raw_locked_or_comes, .state = came_between);

/* Softirqs that are disabled: among those who disable them, a lock. */
static void bh_off_or_comes(unsigned int n)
{
	if (n) {
		comes(n);
		return;
	}
	local_bh_disable();
	DET_CHECK(in_softirq() && !in_serving_softirq());
	looks();
	local_bh_enable();
	DET_CHECK(!in_softirq());
}

static void counts_with_bh_off(unsigned int n)
{
	local_bh_disable();
	local_bh_disable();
	counter++;
	local_bh_enable();
	local_bh_enable();
}

PROGRAM(rt_bh_section, "rt-bh-section", "softirqs disabled, and a task of the CPU", 2,
	.actor_cpus = one_cpu, .actor = bh_off_or_comes, .state = came_between);
PROGRAM(rt_bh_lock, "rt-bh-lock", "two tasks of a CPU count with softirqs disabled", 2,
	.actor_cpus = one_cpu, .actor = counts_with_bh_off, .final = two);

static int softirq;

static void softirq_counts(void *arg)
{
	DET_CHECK(in_serving_softirq() && !in_task());
	local_bh_disable();
	counter++;
	local_bh_enable();
}

static void with_softirq(void)
{
	softirq = det_irq_new(DET_SOFTIRQ, 0, "softirq", softirq_counts, NULL,
			      __builtin_return_address(0));
}

static void raises(unsigned int n)
{
	det_irq_raise(softirq, __builtin_return_address(0));
	counts_with_bh_off(n);
}

PROGRAM(rt_softirq, "rt-softirq", "a softirq and a task of its CPU count, softirqs disabled", 1,
	.setup = with_softirq, .actor = raises, .final = two);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/sched.h, sleeping and waking: a task sleeps while its state is not TASK_RUNNING. What a
 * pool of workers has to know of it is told from here.
 */
#include <linux/kthread.h>
#include <linux/rcuwait.h>
#include <linux/sched.h>
#include <linux/sched/debug.h>
#include <linux/sched/signal.h>
#include <linux/timer.h>

#include "supply.h"
#include "sleep.h"
#include "world.h"

/* A kernel thread may sleep so for as long as it likes, as far as a hung-task report goes. */
static bool may_idle(unsigned int state)
{
	return (current->flags & PF_KTHREAD) && (state & (TASK_INTERRUPTIBLE | TASK_NOLOAD));
}

static void sleep(const void *caller)
{
	u32 *word = &current->__state;
	u32 state;

	world_may_sleep("schedule", caller);
	while ((state = READ_ONCE(*word)) != TASK_RUNNING)
		if (may_idle(state))
			world_idle(word, state, caller);
		else
			world_await(word, state, caller);
	smp_mb();
}

static void do_schedule(const void *caller)
{
	void *worker = world_worker();

	if (worker && !task_is_running(current))
		wq_worker_sleeping(worker);
	sleep(caller);
	if (worker)
		wq_worker_running(worker);
}

SUPPLY(void, schedule, void)
{
	do_schedule(CALLER);
}

SUPPLY(void, io_schedule, void)
{
	do_schedule(CALLER);
}

SUPPLY(void, yield, void)
{
	world_relax(~0u);
}

static int wake(struct task_struct *p, unsigned int mask)
{
	unsigned int state;

	/* What the caller did before is seen by whoever finds the state changed. */
	smp_mb();
	state = READ_ONCE(p->__state);
	do {
		if (!(state & mask))
			return 0;
	} while (!try_cmpxchg(&p->__state, &state, TASK_RUNNING));
	world_wake(&p->__state);
	return 1;
}

SUPPLY(int, wake_up_process, struct task_struct *p)
{
	return wake(p, TASK_NORMAL);
}

SUPPLY(int, wake_up_state, struct task_struct *p, unsigned int state)
{
	return wake(p, state);
}

int irqsim_wake(struct task_struct *p, unsigned int mask)
{
	return wake(p, mask);
}

/* ---- with a time limit ---- */

struct process_timer {
	struct timer_list timer;
	struct task_struct *task;
};

static void process_timeout(struct timer_list *t)
{
	wake(container_of(t, struct process_timer, timer)->task, TASK_NORMAL);
}

static signed long sleep_until(signed long timeout, const void *caller)
{
	struct process_timer timer = { .task = current };
	unsigned long expire;

	if (timeout == MAX_SCHEDULE_TIMEOUT) {
		do_schedule(caller);
		return timeout;
	}
	if (timeout < 0) {
		__set_current_state(TASK_RUNNING);
		return 0;
	}
	expire = timeout + jiffies;
	timer_setup_on_stack(&timer.timer, process_timeout, 0);
	mod_timer(&timer.timer, expire);
	do_schedule(caller);
	irqsim_timer_delete_sync(&timer.timer);
	destroy_timer_on_stack(&timer.timer);
	timeout = expire - jiffies;
	return timeout < 0 ? 0 : timeout;
}

SUPPLY(signed long, schedule_timeout, signed long timeout)
{
	return sleep_until(timeout, CALLER);
}

SUPPLY(signed long, schedule_timeout_interruptible, signed long timeout)
{
	__set_current_state(TASK_INTERRUPTIBLE);
	return sleep_until(timeout, CALLER);
}

SUPPLY(signed long, schedule_timeout_killable, signed long timeout)
{
	__set_current_state(TASK_KILLABLE);
	return sleep_until(timeout, CALLER);
}

SUPPLY(signed long, schedule_timeout_uninterruptible, signed long timeout)
{
	__set_current_state(TASK_UNINTERRUPTIBLE);
	return sleep_until(timeout, CALLER);
}

SUPPLY(signed long, schedule_timeout_idle, signed long timeout)
{
	__set_current_state(TASK_IDLE);
	return sleep_until(timeout, CALLER);
}

SUPPLY(long, io_schedule_timeout, long timeout)
{
	return sleep_until(timeout, CALLER);
}

SUPPLY(void, msleep, unsigned int msecs)
{
	signed long timeout = msecs_to_jiffies(msecs) + 1;

	while (timeout) {
		__set_current_state(TASK_UNINTERRUPTIBLE);
		timeout = sleep_until(timeout, CALLER);
	}
}

/* ---- linux/rcuwait.h ---- */

SUPPLY(int, rcuwait_wake_up, struct rcuwait *w)
{
	struct task_struct *task;
	int woken = 0;

	rcu_read_lock();
	/*
	 * Pairs with set_current_state() in rcuwait_wait_event(): its condition is looked at after.
	 */
	smp_mb();
	task = rcu_dereference(w->task);
	if (task)
		woken = wake(task, TASK_NORMAL);
	rcu_read_unlock();
	return woken;
}

SUPPLY(void, finish_rcuwait, struct rcuwait *w)
{
	rcu_assign_pointer(w->task, NULL);
	__set_current_state(TASK_RUNNING);
}

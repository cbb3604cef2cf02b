// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/completion.h: a count of what was completed and not yet waited for; UINT_MAX: all, for
 * good.
 */
#include <linux/completion.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "supply.h"
#include "sleep.h"
#include "world.h"

static void finished(struct completion *x, bool all)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&x->wait.lock, flags);
	if (all) {
		x->done = UINT_MAX;
		while (!list_empty(&x->wait.task_list))
			irqsim_swake_locked(&x->wait);
	} else {
		if (x->done != UINT_MAX)
			x->done++;
		irqsim_swake_locked(&x->wait);
	}
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
}

SUPPLY(void, complete, struct completion *x)
{
	finished(x, false);
}

SUPPLY(void, complete_on_current_cpu, struct completion *x)
{
	finished(x, false);
}

SUPPLY(void, complete_all, struct completion *x)
{
	finished(x, true);
}

/* Asleep under the lock until done; what is left of @timeout, or -ERESTARTSYS. */
static long wait_locked(struct completion *x, long timeout, int state)
{
	struct swait_queue wait = { .task = current };

	INIT_LIST_HEAD(&wait.task_list);
	do {
		if (signal_pending_state(state, current)) {
			timeout = -ERESTARTSYS;
			break;
		}
		if (list_empty(&wait.task_list))
			list_add_tail(&wait.task_list, &x->wait.task_list);
		__set_current_state(state);
		raw_spin_unlock_irq(&x->wait.lock);
		timeout = schedule_timeout(timeout);
		raw_spin_lock_irq(&x->wait.lock);
	} while (!x->done && timeout);
	__set_current_state(TASK_RUNNING);
	list_del_init(&wait.task_list);
	return timeout;
}

static long wait_for(struct completion *x, long timeout, int state, const void *caller)
{
	world_may_sleep("wait_for_completion", caller);
	raw_spin_lock_irq(&x->wait.lock);
	if (!x->done)
		timeout = wait_locked(x, timeout, state);
	if (x->done) {
		if (x->done != UINT_MAX)
			x->done--;
		timeout = timeout ?: 1;
	}
	raw_spin_unlock_irq(&x->wait.lock);
	return timeout;
}

SUPPLY(void, wait_for_completion, struct completion *x)
{
	wait_for(x, MAX_SCHEDULE_TIMEOUT, TASK_UNINTERRUPTIBLE, CALLER);
}

SUPPLY(void, wait_for_completion_io, struct completion *x)
{
	wait_for(x, MAX_SCHEDULE_TIMEOUT, TASK_UNINTERRUPTIBLE, CALLER);
}

SUPPLY(unsigned long, wait_for_completion_timeout, struct completion *x, unsigned long timeout)
{
	return wait_for(x, timeout, TASK_UNINTERRUPTIBLE, CALLER);
}

SUPPLY(unsigned long, wait_for_completion_io_timeout, struct completion *x, unsigned long timeout)
{
	return wait_for(x, timeout, TASK_UNINTERRUPTIBLE, CALLER);
}

static int wait_state(struct completion *x, int state, const void *caller)
{
	long ret = wait_for(x, MAX_SCHEDULE_TIMEOUT, state, caller);

	return ret == -ERESTARTSYS ? ret : 0;
}

SUPPLY(int, wait_for_completion_interruptible, struct completion *x)
{
	return wait_state(x, TASK_INTERRUPTIBLE, CALLER);
}

SUPPLY(int, wait_for_completion_killable, struct completion *x)
{
	return wait_state(x, TASK_KILLABLE, CALLER);
}

SUPPLY(int, wait_for_completion_state, struct completion *x, unsigned int state)
{
	return wait_state(x, state, CALLER);
}

SUPPLY(long, wait_for_completion_interruptible_timeout, struct completion *x, unsigned long timeout)
{
	return wait_for(x, timeout, TASK_INTERRUPTIBLE, CALLER);
}

SUPPLY(long, wait_for_completion_killable_timeout, struct completion *x, unsigned long timeout)
{
	return wait_for(x, timeout, TASK_KILLABLE, CALLER);
}

SUPPLY(bool, try_wait_for_completion, struct completion *x)
{
	unsigned long flags;
	bool ret;

	raw_spin_lock_irqsave(&x->wait.lock, flags);
	ret = x->done;
	if (ret && x->done != UINT_MAX)
		x->done--;
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
	return ret;
}

SUPPLY(bool, completion_done, struct completion *x)
{
	unsigned long flags;
	bool ret;

	/* Under the lock, so that complete() is over as well and @x may go. */
	raw_spin_lock_irqsave(&x->wait.lock, flags);
	ret = x->done;
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
	return ret;
}

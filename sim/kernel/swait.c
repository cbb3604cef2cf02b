// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/swait.h: queues of tasks, woken one a time in the order in which they came.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/swait.h>

#include "lockdep.h"
#include "supply.h"
#include "sleep.h"

SUPPLY(void, __init_swait_queue_head, struct swait_queue_head *q, const char *name,
       struct lock_class_key *key)
{
	raw_spin_lock_init(&q->lock);
#ifdef CONFIG_DEBUG_LOCK_ALLOC
	lockdep_set_class_and_name(&q->lock, key, name);
#endif
	INIT_LIST_HEAD(&q->task_list);
}

void irqsim_swake_locked(struct swait_queue_head *q)
{
	struct swait_queue *first;

	if (list_empty(&q->task_list))
		return;
	first = list_first_entry(&q->task_list, struct swait_queue, task_list);
	irqsim_wake(first->task, TASK_NORMAL);
	list_del_init(&first->task_list);
}

SUPPLY(void, swake_up_locked, struct swait_queue_head *q, int wake_flags)
{
	irqsim_swake_locked(q);
}

SUPPLY(void, swake_up_all_locked, struct swait_queue_head *q)
{
	while (!list_empty(&q->task_list))
		irqsim_swake_locked(q);
}

SUPPLY(void, swake_up_one, struct swait_queue_head *q)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&q->lock, flags);
	irqsim_swake_locked(q);
	raw_spin_unlock_irqrestore(&q->lock, flags);
}

SUPPLY(void, swake_up_all, struct swait_queue_head *q)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&q->lock, flags);
	while (!list_empty(&q->task_list))
		irqsim_swake_locked(q);
	raw_spin_unlock_irqrestore(&q->lock, flags);
}

SUPPLY(void, __prepare_to_swait, struct swait_queue_head *q, struct swait_queue *wait)
{
	wait->task = current;
	if (list_empty(&wait->task_list))
		list_add_tail(&wait->task_list, &q->task_list);
}

SUPPLY(void, prepare_to_swait_exclusive, struct swait_queue_head *q, struct swait_queue *wait,
       int state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&q->lock, flags);
	supply___prepare_to_swait(q, wait);
	set_current_state(state);
	raw_spin_unlock_irqrestore(&q->lock, flags);
}

SUPPLY(long, prepare_to_swait_event, struct swait_queue_head *q, struct swait_queue *wait,
       int state)
{
	unsigned long flags;
	long ret = 0;

	raw_spin_lock_irqsave(&q->lock, flags);
	if (signal_pending_state(state, current)) {
		list_del_init(&wait->task_list);
		ret = -ERESTARTSYS;
	} else {
		supply___prepare_to_swait(q, wait);
		set_current_state(state);
	}
	raw_spin_unlock_irqrestore(&q->lock, flags);
	return ret;
}

SUPPLY(void, __finish_swait, struct swait_queue_head *q, struct swait_queue *wait)
{
	__set_current_state(TASK_RUNNING);
	if (!list_empty(&wait->task_list))
		list_del_init(&wait->task_list);
}

SUPPLY(void, finish_swait, struct swait_queue_head *q, struct swait_queue *wait)
{
	unsigned long flags;

	__set_current_state(TASK_RUNNING);
	if (list_empty_careful(&wait->task_list))
		return;
	raw_spin_lock_irqsave(&q->lock, flags);
	list_del_init(&wait->task_list);
	raw_spin_unlock_irqrestore(&q->lock, flags);
}

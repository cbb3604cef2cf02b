// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/wait.h: queues of entries whose functions are called by whoever wakes them, under the
 * queue's lock.
 */
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "lockdep.h"
#include "supply.h"
#include "sleep.h"

SUPPLY(void, __init_waitqueue_head, struct wait_queue_head *head, const char *name,
       struct lock_class_key *key)
{
	spin_lock_init(&head->lock);
#ifdef CONFIG_DEBUG_LOCK_ALLOC
	lockdep_set_class_and_name(&head->lock, key, name);
#endif
	INIT_LIST_HEAD(&head->head);
}

/* ---- entries come and go ---- */

SUPPLY(void, add_wait_queue, struct wait_queue_head *head, struct wait_queue_entry *entry)
{
	unsigned long flags;

	entry->flags &= ~WQ_FLAG_EXCLUSIVE;
	spin_lock_irqsave(&head->lock, flags);
	__add_wait_queue(head, entry);
	spin_unlock_irqrestore(&head->lock, flags);
}

SUPPLY(void, add_wait_queue_exclusive, struct wait_queue_head *head, struct wait_queue_entry *entry)
{
	unsigned long flags;

	entry->flags |= WQ_FLAG_EXCLUSIVE;
	spin_lock_irqsave(&head->lock, flags);
	__add_wait_queue_entry_tail(head, entry);
	spin_unlock_irqrestore(&head->lock, flags);
}

/* Since 6.17 a priority waiter is exclusive only where it says so. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define PRIORITY_FLAGS (WQ_FLAG_EXCLUSIVE | WQ_FLAG_PRIORITY)
#else
#define PRIORITY_FLAGS WQ_FLAG_PRIORITY
#endif

SUPPLY(void, add_wait_queue_priority, struct wait_queue_head *head, struct wait_queue_entry *entry)
{
	unsigned long flags;

	entry->flags |= PRIORITY_FLAGS;
	spin_lock_irqsave(&head->lock, flags);
	__add_wait_queue(head, entry);
	spin_unlock_irqrestore(&head->lock, flags);
}

/* One waiter alone before all others: -EBUSY where there is one already. */
SUPPLY(int, add_wait_queue_priority_exclusive, struct wait_queue_head *head,
       struct wait_queue_entry *entry)
{
	struct wait_queue_entry *first;
	unsigned long flags;
	int ret = 0;

	entry->flags |= WQ_FLAG_EXCLUSIVE | WQ_FLAG_PRIORITY;
	spin_lock_irqsave(&head->lock, flags);
	first = list_first_entry_or_null(&head->head, struct wait_queue_entry, entry);
	if (first && (first->flags & WQ_FLAG_PRIORITY))
		ret = -EBUSY;
	else
		list_add(&entry->entry, &head->head);
	spin_unlock_irqrestore(&head->lock, flags);
	return ret;
}

SUPPLY(void, remove_wait_queue, struct wait_queue_head *head, struct wait_queue_entry *entry)
{
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	__remove_wait_queue(head, entry);
	spin_unlock_irqrestore(&head->lock, flags);
}

/* ---- waking ---- */

/* All that are not exclusive and are met before @nr exclusive ones woke; 0: no limit. */
static int wake_locked(struct wait_queue_head *head, unsigned int mode, int nr, int wake_flags,
		       void *key)
{
	struct wait_queue_entry *entry, *next;
	int left = nr;

	lockdep_assert_held(&head->lock);
	list_for_each_entry_safe(entry, next, &head->head, entry) {
		/* Its function may be the last that its owner waits for. */
		unsigned int flags = entry->flags;
		int ret = entry->func(entry, mode, wake_flags, key);

		if (ret < 0)
			break;
		if (ret && (flags & WQ_FLAG_EXCLUSIVE) && !--left)
			break;
	}
	return nr - left;
}

static int wake(struct wait_queue_head *head, unsigned int mode, int nr, int wake_flags, void *key)
{
	unsigned long flags;
	int woken;

	spin_lock_irqsave(&head->lock, flags);
	woken = wake_locked(head, mode, nr, wake_flags, key);
	spin_unlock_irqrestore(&head->lock, flags);
	return woken;
}

SUPPLY(int, __wake_up, struct wait_queue_head *head, unsigned int mode, int nr, void *key)
{
	return wake(head, mode, nr, 0, key);
}

SUPPLY(void, __wake_up_on_current_cpu, struct wait_queue_head *head, unsigned int mode, void *key)
{
	wake(head, mode, 1, 0, key);
}

/* Wake flags steer where the woken runs, which nobody does here. */
SUPPLY(void, __wake_up_sync, struct wait_queue_head *head, unsigned int mode)
{
	wake(head, mode, 1, 0, NULL);
}

SUPPLY(void, __wake_up_sync_key, struct wait_queue_head *head, unsigned int mode, void *key)
{
	wake(head, mode, 1, 0, key);
}

SUPPLY(void, __wake_up_locked, struct wait_queue_head *head, unsigned int mode, int nr)
{
	wake_locked(head, mode, nr, 0, NULL);
}

SUPPLY(void, __wake_up_locked_key, struct wait_queue_head *head, unsigned int mode, void *key)
{
	wake_locked(head, mode, 1, 0, key);
}

SUPPLY(void, __wake_up_locked_sync_key, struct wait_queue_head *head, unsigned int mode, void *key)
{
	wake_locked(head, mode, 1, 0, key);
}

SUPPLY(void, __wake_up_pollfree, struct wait_queue_head *head)
{
	wake(head, TASK_NORMAL, 0, 0, poll_to_key(EPOLLHUP | POLLFREE));
	WARN_ON_ONCE(waitqueue_active(head));
}

/* ---- a task's own entry ---- */

SUPPLY(int, default_wake_function, struct wait_queue_entry *entry, unsigned int mode, int flags,
       void *key)
{
	return irqsim_wake(entry->private, mode);
}

SUPPLY(int, autoremove_wake_function, struct wait_queue_entry *entry, unsigned int mode, int flags,
       void *key)
{
	int ret = irqsim_wake(entry->private, mode);

	/* The task may go as soon as it sees its entry alone (finish_wait()). */
	if (ret)
		list_del_init_careful(&entry->entry);
	return ret;
}

SUPPLY(void, init_wait_entry, struct wait_queue_entry *entry, int flags)
{
	entry->flags = flags;
	entry->private = current;
	entry->func = autoremove_wake_function;
	INIT_LIST_HEAD(&entry->entry);
}

SUPPLY(void, prepare_to_wait, struct wait_queue_head *head, struct wait_queue_entry *entry,
       int state)
{
	unsigned long flags;

	entry->flags &= ~WQ_FLAG_EXCLUSIVE;
	spin_lock_irqsave(&head->lock, flags);
	if (list_empty(&entry->entry))
		__add_wait_queue(head, entry);
	/* A full barrier: on the queue first, then the caller looks at its condition. */
	set_current_state(state);
	spin_unlock_irqrestore(&head->lock, flags);
}

SUPPLY(bool, prepare_to_wait_exclusive, struct wait_queue_head *head,
       struct wait_queue_entry *entry, int state)
{
	bool was_empty = false;
	unsigned long flags;

	entry->flags |= WQ_FLAG_EXCLUSIVE;
	spin_lock_irqsave(&head->lock, flags);
	if (list_empty(&entry->entry)) {
		was_empty = list_empty(&head->head);
		__add_wait_queue_entry_tail(head, entry);
	}
	set_current_state(state);
	spin_unlock_irqrestore(&head->lock, flags);
	return was_empty;
}

SUPPLY(long, prepare_to_wait_event, struct wait_queue_head *head, struct wait_queue_entry *entry,
       int state)
{
	unsigned long flags;
	long ret = 0;

	spin_lock_irqsave(&head->lock, flags);
	if (signal_pending_state(state, current)) {
		/* It leaves: an exclusive wake-up must not be spent on it. */
		list_del_init(&entry->entry);
		ret = -ERESTARTSYS;
	} else {
		if (list_empty(&entry->entry)) {
			if (entry->flags & WQ_FLAG_EXCLUSIVE)
				__add_wait_queue_entry_tail(head, entry);
			else
				__add_wait_queue(head, entry);
		}
		set_current_state(state);
	}
	spin_unlock_irqrestore(&head->lock, flags);
	return ret;
}

SUPPLY(void, finish_wait, struct wait_queue_head *head, struct wait_queue_entry *entry)
{
	unsigned long flags;

	__set_current_state(TASK_RUNNING);
	/* Alone already: the waker took it off, and is done with it. */
	if (list_empty_careful(&entry->entry))
		return;
	spin_lock_irqsave(&head->lock, flags);
	list_del_init(&entry->entry);
	spin_unlock_irqrestore(&head->lock, flags);
}

/* ---- wait_woken(): the flag outlives what the task does between two waits ---- */

SUPPLY(long, wait_woken, struct wait_queue_entry *entry, unsigned int mode, long timeout)
{
	set_current_state(mode);
	if (!(READ_ONCE(entry->flags) & WQ_FLAG_WOKEN))
		timeout = schedule_timeout(timeout);
	__set_current_state(TASK_RUNNING);
	/* Before the caller's condition is looked at, as woken_wake_function()'s is after. */
	smp_store_mb(entry->flags, entry->flags & ~WQ_FLAG_WOKEN);
	return timeout;
}

SUPPLY(int, woken_wake_function, struct wait_queue_entry *entry, unsigned int mode, int sync,
       void *key)
{
	smp_mb();
	WRITE_ONCE(entry->flags, entry->flags | WQ_FLAG_WOKEN);
	return irqsim_wake(entry->private, mode);
}

/* ---- wait_event_interruptible_locked() ---- */

static int wait_locked(struct wait_queue_head *head, struct wait_queue_entry *entry, bool irq)
{
	if (likely(list_empty(&entry->entry)))
		__add_wait_queue_entry_tail(head, entry);
	set_current_state(TASK_INTERRUPTIBLE);
	if (signal_pending(current))
		return -ERESTARTSYS;
	if (irq)
		spin_unlock_irq(&head->lock);
	else
		spin_unlock(&head->lock);
	schedule();
	if (irq)
		spin_lock_irq(&head->lock);
	else
		spin_lock(&head->lock);
	return 0;
}

SUPPLY(int, do_wait_intr, struct wait_queue_head *head, struct wait_queue_entry *entry)
{
	return wait_locked(head, entry, false);
}

SUPPLY(int, do_wait_intr_irq, struct wait_queue_head *head, struct wait_queue_entry *entry)
{
	return wait_locked(head, entry, true);
}

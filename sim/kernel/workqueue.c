// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/workqueue.h, what is queued: each item once, until it begins to run.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/wait.h>

#include <stdarg.h>

#include "lockdep.h"
#include "sleep.h"
#include "supply.h"
#include "workqueue.h"
#include "world.h"

/* ---- queues ---- */

static void setup(struct workqueue_struct *wq, unsigned int flags, int max_active)
{
	wq->flags = flags;
	wq->max_active = max_active ? clamp(max_active, 1, (int)WQ_MAX_ACTIVE) : WQ_DFL_ACTIVE;
	INIT_LIST_HEAD(&wq->inactive);
	mutex_init(&wq->flush_mutex);
#ifdef CONFIG_LOCKDEP
	lockdep_register_key(&wq->key);
	lockdep_init_map(&wq->lockdep_map, wq->name, &wq->key, 0);
#endif
}

SUPPLY(struct workqueue_struct *, alloc_workqueue, const char *fmt, unsigned int flags,
       int max_active, ...)
{
	struct workqueue_struct *wq = kzalloc(sizeof(*wq), GFP_KERNEL);
	va_list args;

	if (!wq)
		return NULL;
	va_start(args, max_active);
	vsnprintf(wq->name, sizeof(wq->name), fmt, args);
	va_end(args);
	setup(wq, flags, max_active);
	return wq;
}

#define SYSTEM_WQ(id, wq_flags)                                              \
	static struct workqueue_struct id##_struct = {                       \
		.flags = wq_flags,                                           \
		.max_active = WQ_DFL_ACTIVE,                                 \
		.inactive = LIST_HEAD_INIT(id##_struct.inactive),            \
		.flush_mutex = __MUTEX_INITIALIZER(id##_struct.flush_mutex), \
		.name = #id,                                                 \
		SYSTEM_WQ_MAP(id)                                            \
	};                                                                   \
	struct workqueue_struct *supply_##id __asm__(#id) = &id##_struct
#ifdef CONFIG_LOCKDEP
#define SYSTEM_WQ_MAP(id) .lockdep_map = { .name = #id, .key = &id##_struct.key },
#else
#define SYSTEM_WQ_MAP(id)
#endif

SYSTEM_WQ(system_percpu_wq, 0);
SYSTEM_WQ(system_highpri_wq, WQ_HIGHPRI);
SYSTEM_WQ(system_long_wq, 0);
SYSTEM_WQ(system_dfl_wq, WQ_UNBOUND);
SYSTEM_WQ(system_freezable_wq, WQ_FREEZABLE);
SYSTEM_WQ(system_power_efficient_wq, 0);
/* The names of before 6.17. */
struct workqueue_struct *supply_system_wq __asm__("system_wq") = &system_percpu_wq_struct;
struct workqueue_struct *supply_system_unbound_wq __asm__("system_unbound_wq") =
	&system_dfl_wq_struct;

static void wait_for_colour(struct workqueue_struct *wq)
{
	DECLARE_COMPLETION_ONSTACK(done);
	bool wait;

	mutex_lock(&wq->flush_mutex);
	raw_spin_lock_irq(&wq_lock);
	wait = wq->nr_in_flight[wq->colour];
	if (wait) {
		wq->colour = !wq->colour;
		wq->flusher = &done;
	}
	raw_spin_unlock_irq(&wq_lock);
	if (wait) {
		wait_for_completion(&done);
		raw_spin_lock_irq(&wq_lock);
		wq->flusher = NULL;
		raw_spin_unlock_irq(&wq_lock);
	}
	mutex_unlock(&wq->flush_mutex);
}

/* Everything that was queued before has run; what is queued meanwhile may not have. */
static void flush(struct workqueue_struct *wq)
{
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&wq->lockdep_map);
	lock_map_release(&wq->lockdep_map);
#endif
	wait_for_colour(wq);
}

SUPPLY(void, __flush_workqueue, struct workqueue_struct *wq)
{
	world_may_sleep("flush_workqueue", CALLER);
	flush(wq);
}

SUPPLY(void, __warn_flushing_systemwide_wq, void)
{
}

static bool is_empty(struct workqueue_struct *wq)
{
	bool empty;

	raw_spin_lock_irq(&wq_lock);
	empty = !wq->nr_in_flight[0] && !wq->nr_in_flight[1];
	raw_spin_unlock_irq(&wq_lock);
	return empty;
}

/* Only its own items can queue more meanwhile. */
static void drain(struct workqueue_struct *wq)
{
	raw_spin_lock_irq(&wq_lock);
	wq->flags |= __WQ_DRAINING;
	raw_spin_unlock_irq(&wq_lock);
	do
		flush(wq);
	while (!is_empty(wq));
	raw_spin_lock_irq(&wq_lock);
	wq->flags &= ~__WQ_DRAINING;
	raw_spin_unlock_irq(&wq_lock);
}

SUPPLY(void, drain_workqueue, struct workqueue_struct *wq)
{
	world_may_sleep("drain_workqueue", CALLER);
	drain(wq);
}

SUPPLY(void, destroy_workqueue, struct workqueue_struct *wq)
{
	world_may_sleep("destroy_workqueue", CALLER);
	drain(wq);
#ifdef CONFIG_LOCKDEP
	lockdep_unregister_key(&wq->key);
#endif
	kfree(wq);
}

/* ---- queueing ---- */

static void put_in_pool(struct workqueue_struct *wq, struct work_struct *item, int slot,
			const void *caller)
{
	*wq_data(item) &= ~WQ_INACTIVE;
	wq->nr_active[slot]++;
	wq_pool_add(wq_pool(wq, slot), item, caller);
}

/* There may be room for one that waits for its turn. */
void wq_activate(struct workqueue_struct *wq, int slot, const void *caller)
{
	struct work_struct *item;

	if (wq->nr_active[slot] >= wq->max_active)
		return;
	list_for_each_entry(item, &wq->inactive, entry)
		if (wq_slot_of(item) == slot) {
			list_del_init(&item->entry);
			put_in_pool(wq, item, slot, caller);
			return;
		}
}

static bool is_own_item(struct workqueue_struct *wq)
{
	struct worker *w = world_worker();

	return w && w->item && w->wq == wq;
}

static int own_slot(void)
{
	struct worker *w = world_worker();

	return w && w->pool->slot != WQ_SLOT_UNBOUND ? w->pool->slot : world_pool_cpu();
}

/* @item is PENDING, and in no list. */
static void insert(struct workqueue_struct *wq, struct work_struct *item, int cpu,
		   const void *caller)
{
	struct worker *w = wq_worker_at(item);
	int slot = wq->flags & WQ_UNBOUND    ? WQ_SLOT_UNBOUND
		   : cpu == WORK_CPU_UNBOUND ? own_slot()
					     : cpu;

	if ((wq->flags & __WQ_DRAINING) && WARN_ON_ONCE(!is_own_item(wq))) {
		atomic_long_set(&item->data, WORK_STRUCT_NO_POOL);
		return;
	}
	/* Behind itself, where it runs. */
	if (w && w->wq == wq)
		slot = w->pool->slot;
	atomic_long_set(&item->data, (unsigned long)wq | (unsigned long)slot << WQ_SLOT_SHIFT |
					     (wq->colour ? WQ_COLOUR : 0) | WQ_INACTIVE |
					     WORK_STRUCT_PENDING);
	wq->nr_in_flight[wq->colour]++;
	if (wq->nr_active[slot] < wq->max_active)
		put_in_pool(wq, item, slot, caller);
	else
		list_add_tail(&item->entry, &wq->inactive);
}

/* A full barrier where it finds the item pending already, as where it does not. */
static bool claim(struct work_struct *item)
{
	return !test_and_set_bit(WORK_STRUCT_PENDING_BIT, wq_data(item));
}

static bool queue_work_to(int cpu, struct workqueue_struct *wq, struct work_struct *item,
			  const void *caller)
{
	unsigned long flags;
	bool queued;

	raw_spin_lock_irqsave(&wq_lock, flags);
	queued = claim(item);
	if (queued)
		insert(wq, item, cpu, caller);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
	return queued;
}

SUPPLY(bool, queue_work_on, int cpu, struct workqueue_struct *wq, struct work_struct *item)
{
	return queue_work_to(cpu, wq, item, CALLER);
}

SUPPLY(bool, queue_work_node, int node, struct workqueue_struct *wq, struct work_struct *item)
{
	return queue_work_to(WORK_CPU_UNBOUND, wq, item, CALLER);
}

/* ---- later ---- */

/* Of a delayed item whose time has come: it is PENDING since it was queued. */
SUPPLY(void, delayed_work_timer_fn, struct timer_list *timer)
{
	struct delayed_work *dwork = container_of(timer, struct delayed_work, timer);
	unsigned long flags;

	raw_spin_lock_irqsave(&wq_lock, flags);
	insert(dwork->wq, &dwork->work, dwork->cpu, CALLER);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
}

/* Claimed; wq_lock is held. */
static void insert_later(int cpu, struct workqueue_struct *wq, struct delayed_work *dwork,
			 unsigned long delay, const void *caller)
{
	dwork->wq = wq;
	dwork->cpu = cpu;
	dwork->timer.expires = jiffies + delay;
	if (!delay)
		insert(wq, &dwork->work, cpu, caller);
	else if (cpu == WORK_CPU_UNBOUND)
		add_timer(&dwork->timer);
	else
		add_timer_on(&dwork->timer, cpu);
}

SUPPLY(bool, queue_delayed_work_on, int cpu, struct workqueue_struct *wq,
       struct delayed_work *dwork, unsigned long delay)
{
	unsigned long flags;
	bool queued;

	raw_spin_lock_irqsave(&wq_lock, flags);
	queued = claim(&dwork->work);
	if (queued)
		insert_later(cpu, wq, dwork, delay, CALLER);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
	return queued;
}

/* ---- taking back ---- */

enum taken { WAS_IDLE, WAS_PENDING, IN_BETWEEN, IS_CANCELING };

/*
 * Make the caller the one who has @item PENDING. IN_BETWEEN: its timer's function has it, and is
 * about to queue it. wq_lock is held.
 */
static enum taken take(struct work_struct *item, struct delayed_work *dwork, const void *caller)
{
	struct workqueue_struct *wq;
	bool active;

	if (claim(item))
		return WAS_IDLE;
	if (*wq_data(item) & WQ_CANCELING)
		return IS_CANCELING;
	if (dwork && irqsim_timer_delete(&dwork->timer))
		return WAS_PENDING;
	if (list_empty(&item->entry))
		return IN_BETWEEN;
	wq = wq_of(item);
	active = !(*wq_data(item) & WQ_INACTIVE);
	list_del_init(&item->entry);
	wq_waiters_of_pending(item, NULL);
	wq_item_gone(wq, wq_slot_of(item), wq_colour_of(item), active, caller);
	return WAS_PENDING;
}

static DECLARE_WAIT_QUEUE_HEAD(cancelled);

static bool others_cancel(struct work_struct *item)
{
	return READ_ONCE(*wq_data(item)) & WQ_CANCELING;
}

/* As take(), waiting where it takes that. Returns with wq_lock held and interrupts as they were. */
static enum taken take_now(struct work_struct *item, struct delayed_work *dwork, bool may_sleep,
			   unsigned long *flags, const void *caller)
{
	unsigned int turn = 0;
	enum taken was;

	for (;;) {
		raw_spin_lock_irqsave(&wq_lock, *flags);
		was = take(item, dwork, caller);
		if (was <= WAS_PENDING || (was == IS_CANCELING && !may_sleep))
			return was;
		raw_spin_unlock_irqrestore(&wq_lock, *flags);
		if (was == IS_CANCELING)
			wait_event(cancelled, !others_cancel(item));
		else if (dwork)
			irqsim_timer_delete_sync(&dwork->timer);
		else
			world_relax(turn++);
	}
}

static void release(struct work_struct *item)
{
	atomic_long_set(&item->data, WORK_STRUCT_NO_POOL);
}

static bool cancel(struct work_struct *item, struct delayed_work *dwork, const void *caller)
{
	unsigned long flags;
	enum taken was = take_now(item, dwork, false, &flags, caller);

	if (was != IS_CANCELING)
		release(item);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
	return was == WAS_PENDING;
}

/* Not pending and not running when it returns, though the item queues itself. */
static bool cancel_sync(struct work_struct *item, struct delayed_work *dwork, const void *caller)
{
	struct work_waiter waiter;
	unsigned long flags;
	struct worker *w;
	enum taken was;

	world_may_sleep("cancel_work_sync", caller);
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&item->lockdep_map);
	lock_map_release(&item->lockdep_map);
#endif
	was = take_now(item, dwork, true, &flags, caller);
	atomic_long_or(WQ_CANCELING, &item->data);
	w = wq_worker_at(item);
	if (w)
		wq_wait_for(&waiter, item, w);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
	if (w)
		wait_for_completion(&waiter.done);
	raw_spin_lock_irqsave(&wq_lock, flags);
	release(item);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
	wake_up_all(&cancelled);
	return was == WAS_PENDING;
}

SUPPLY(bool, cancel_work, struct work_struct *item)
{
	return cancel(item, NULL, CALLER);
}

SUPPLY(bool, cancel_work_sync, struct work_struct *item)
{
	return cancel_sync(item, NULL, CALLER);
}

SUPPLY(bool, cancel_delayed_work, struct delayed_work *dwork)
{
	return cancel(&dwork->work, dwork, CALLER);
}

SUPPLY(bool, cancel_delayed_work_sync, struct delayed_work *dwork)
{
	return cancel_sync(&dwork->work, dwork, CALLER);
}

SUPPLY(bool, mod_delayed_work_on, int cpu, struct workqueue_struct *wq, struct delayed_work *dwork,
       unsigned long delay)
{
	unsigned long flags;
	enum taken was = take_now(&dwork->work, dwork, false, &flags, CALLER);

	if (was != IS_CANCELING)
		insert_later(cpu, wq, dwork, delay, CALLER);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
	return was == WAS_PENDING;
}

/* ---- waiting for one item ---- */

static bool flush_item(struct work_struct *item, const void *caller)
{
	struct work_waiter waiter;
	struct worker *w;
	bool pending;

	world_may_sleep("flush_work", caller);
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&item->lockdep_map);
	lock_map_release(&item->lockdep_map);
#endif
	raw_spin_lock_irq(&wq_lock);
	pending = !list_empty(&item->entry);
	w = pending ? NULL : wq_worker_at(item);
	if (pending || w)
		wq_wait_for(&waiter, item, w);
	raw_spin_unlock_irq(&wq_lock);
	if (!pending && !w)
		return false;
	wait_for_completion(&waiter.done);
	return true;
}

SUPPLY(bool, flush_work, struct work_struct *item)
{
	return flush_item(item, CALLER);
}

SUPPLY(bool, flush_delayed_work, struct delayed_work *dwork)
{
	unsigned long flags;

	if (irqsim_timer_delete_sync(&dwork->timer)) {
		raw_spin_lock_irqsave(&wq_lock, flags);
		insert(dwork->wq, &dwork->work, dwork->cpu, CALLER);
		raw_spin_unlock_irqrestore(&wq_lock, flags);
	}
	return flush_item(&dwork->work, CALLER);
}

SUPPLY(unsigned int, work_busy, struct work_struct *item)
{
	unsigned long flags;
	unsigned int ret = 0;

	raw_spin_lock_irqsave(&wq_lock, flags);
	if (work_pending(item))
		ret |= WORK_BUSY_PENDING;
	if (wq_worker_at(item))
		ret |= WORK_BUSY_RUNNING;
	raw_spin_unlock_irqrestore(&wq_lock, flags);
	return ret;
}

/* ---- after a grace period ---- */

static void queue_after_grace_period(struct rcu_head *head)
{
	struct rcu_work *rwork = container_of(head, struct rcu_work, rcu);
	unsigned long flags;

	raw_spin_lock_irqsave(&wq_lock, flags);
	insert(rwork->wq, &rwork->work, WORK_CPU_UNBOUND, CALLER);
	raw_spin_unlock_irqrestore(&wq_lock, flags);
}

SUPPLY(bool, queue_rcu_work, struct workqueue_struct *wq, struct rcu_work *rwork)
{
	if (!claim(&rwork->work))
		return false;
	rwork->wq = wq;
	call_rcu(&rwork->rcu, queue_after_grace_period);
	return true;
}

SUPPLY(bool, flush_rcu_work, struct rcu_work *rwork)
{
	if (!test_bit(WORK_STRUCT_PENDING_BIT, wq_data(&rwork->work)))
		return flush_item(&rwork->work, CALLER);
	rcu_barrier();
	flush_item(&rwork->work, CALLER);
	return true;
}

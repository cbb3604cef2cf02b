// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/workqueue.h, who runs the items: pools of workers, one pool a CPU and priority, and one of
 * either priority for unbound items. A bound pool runs one item at a time, and another when that
 * one sleeps; an unbound pool has a worker for each (Documentation/core-api/workqueue.rst).
 */
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <sim/task.h>

#include "sleep.h"
#include "supply.h"
#include "workqueue.h"
#include "world.h"

DEFINE_RAW_SPINLOCK(wq_lock);

#define MAX_WORKERS 48 /* of all pools; each takes a simulated CPU of the threads world */

static struct worker_pool pools[WQ_NR_SLOTS][2];
static struct worker workers[MAX_WORKERS];
static int nr_workers;
static LIST_HEAD(busy);
static LIST_HEAD(waiters);

struct worker_pool *wq_pool(struct workqueue_struct *wq, int slot)
{
	bool highpri = wq->flags & WQ_HIGHPRI;
	struct worker_pool *pool = &pools[slot][highpri];

	if (world_alone())
		pool = &pools[0][0];
	if (!pool->items.next) {
		INIT_LIST_HEAD(&pool->items);
		INIT_LIST_HEAD(&pool->idle);
		pool->slot = slot;
		pool->highpri = highpri;
	}
	return pool;
}

/* An item may be freed and its memory become another: that has another function. */
struct worker *wq_worker_at(struct work_struct *item)
{
	struct worker *w;

	list_for_each_entry(w, &busy, entry)
		if (w->item == item && w->fn == item->func)
			return w;
	return NULL;
}

/* ---- those who wait for an item ---- */

void wq_wait_for(struct work_waiter *waiter, struct work_struct *item, struct worker *worker)
{
	init_completion(&waiter->done);
	waiter->item = item;
	waiter->worker = worker;
	list_add_tail(&waiter->entry, &waiters);
}

/* The instance of @item that was in a list is at @worker now; NULL: it will never run. */
void wq_waiters_of_pending(struct work_struct *item, struct worker *worker)
{
	struct work_waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, &waiters, entry) {
		if (waiter->item != item || waiter->worker)
			continue;
		waiter->worker = worker;
		if (!worker) {
			list_del(&waiter->entry);
			complete(&waiter->done);
		}
	}
}

static void worker_is_done(struct worker *w)
{
	struct work_waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, &waiters, entry) {
		if (waiter->worker != w)
			continue;
		list_del(&waiter->entry);
		complete(&waiter->done);
	}
}

/* ---- who comes to work ---- */

static void live(void *arg);

static bool is_bound(const struct worker_pool *pool)
{
	return pool->slot != WQ_SLOT_UNBOUND;
}

static bool wants_worker(const struct worker_pool *pool)
{
	struct list_head *at;
	int nr = 0;

	if (is_bound(pool))
		return !list_empty(&pool->items) && !pool->nr_running && !pool->nr_coming;
	list_for_each(at, &pool->items)
		if (++nr > pool->nr_coming)
			return true;
	return false;
}

static void new_worker(struct worker_pool *pool, const void *caller)
{
	char comm[TASK_COMM_LEN];
	struct worker *w;

	if (WARN_ON_ONCE(nr_workers == MAX_WORKERS))
		return;
	w = &workers[nr_workers++];
	w->pool = pool;
	INIT_LIST_HEAD(&w->scheduled);
	if (is_bound(pool))
		snprintf(comm, sizeof(comm), "kworker/%d:%d", pool->slot, (int)(w - workers));
	else
		snprintf(comm, sizeof(comm), "kworker/u:%d", (int)(w - workers));
	if (WARN_ON_ONCE(!world_task_new(is_bound(pool) ? pool->slot : world_spare_cpu(nr_workers),
					 comm, live, w, caller)))
		return;
	pool->nr_coming++;
}

static void call_worker(struct worker_pool *pool, const void *caller)
{
	struct worker *w;

	if (world_alone())
		return;
	while (wants_worker(pool)) {
		if (list_empty(&pool->idle)) {
			int before = pool->nr_coming;

			new_worker(pool, caller);
			if (pool->nr_coming == before)
				return;
			continue;
		}
		w = list_first_entry(&pool->idle, struct worker, entry);
		list_del_init(&w->entry);
		pool->nr_coming++;
		irqsim_wake(w->task, TASK_IDLE);
	}
}

void wq_pool_add(struct worker_pool *pool, struct work_struct *item, const void *caller)
{
	struct worker *w = wq_worker_at(item);

	/* Never at two places at once. */
	if (w && w->pool == pool)
		list_add_tail(&item->entry, &w->scheduled);
	else
		list_add_tail(&item->entry, &pool->items);
	call_worker(pool, caller);
}

void wq_worker_sleeping(void *worker)
{
	struct worker *w = worker;
	unsigned long flags;

	/* Only it writes these. */
	if (!w->item || w->intensive)
		return;
	raw_spin_lock_irqsave(&wq_lock, flags);
	if (!w->sleeping) {
		w->sleeping = true;
		w->pool->nr_running--;
		call_worker(w->pool, CALLER);
	}
	raw_spin_unlock_irqrestore(&wq_lock, flags);
}

void wq_worker_running(void *worker)
{
	struct worker *w = worker;
	unsigned long flags;

	if (!w->sleeping)
		return;
	raw_spin_lock_irqsave(&wq_lock, flags);
	if (w->sleeping) {
		w->sleeping = false;
		w->pool->nr_running++;
	}
	raw_spin_unlock_irqrestore(&wq_lock, flags);
}

/* ---- a worker ---- */

/* @wq has one item less to run; wq_activate() fills its place where it was among the active. */
void wq_item_gone(struct workqueue_struct *wq, int slot, unsigned int colour, bool active,
		  const void *caller)
{
	if (active) {
		wq->nr_active[slot]--;
		wq_activate(wq, slot, caller);
	}
	if (!--wq->nr_in_flight[colour] && wq->flusher && colour != wq->colour)
		complete(wq->flusher);
}

static void call(struct worker *w)
{
#ifdef CONFIG_LOCKDEP
	struct lockdep_map map = w->item->lockdep_map;
	struct workqueue_struct *wq = w->wq;

	lock_map_acquire(&wq->lockdep_map);
	lock_map_acquire(&map);
#endif
	w->fn(w->item);
#ifdef CONFIG_LOCKDEP
	lock_map_release(&map);
	lock_map_release(&wq->lockdep_map);
#endif
}

static void run(struct worker *w, struct work_struct *item)
{
	struct worker *other = wq_worker_at(item);
	int slot = wq_slot_of(item);

	/* It was queued while another worker of the pool had it at hand. */
	if (other && other != w) {
		list_move_tail(&item->entry, &other->scheduled);
		return;
	}
	list_del_init(&item->entry);
	w->item = item;
	w->fn = item->func;
	w->wq = wq_of(item);
	w->colour = wq_colour_of(item);
	w->intensive = !is_bound(w->pool) || (w->wq->flags & WQ_CPU_INTENSIVE);
	list_move(&w->entry, &busy);
	if (!w->intensive)
		w->pool->nr_running++;
	wq_waiters_of_pending(item, w);
	/* From here on it can be queued again, and its function sees what was before that. */
	atomic_long_set(&item->data, WORK_STRUCT_NO_POOL);
	smp_mb();
	/* One that does not count leaves room for another. */
	if (w->intensive)
		call_worker(w->pool, CALLER);
	raw_spin_unlock_irq(&wq_lock);
	call(w);
	raw_spin_lock_irq(&wq_lock);
	if (!w->intensive)
		w->pool->nr_running--;
	w->item = NULL;
	worker_is_done(w);
	wq_item_gone(w->wq, slot, w->colour, true, CALLER);
	list_del_init(&w->entry);
}

static struct work_struct *next_item(struct worker *w)
{
	struct worker_pool *pool = w->pool;

	if (!list_empty(&w->scheduled))
		return list_first_entry(&w->scheduled, struct work_struct, entry);
	if (list_empty(&pool->items) || (is_bound(pool) && pool->nr_running))
		return NULL;
	return list_first_entry(&pool->items, struct work_struct, entry);
}

static void live(void *arg)
{
	struct worker *w = arg;
	struct work_struct *item;

	irqsim_become_kthread(world_comm());
	current->flags |= PF_WQ_WORKER;
	world_set_worker(w);
	w->task = current;
	INIT_LIST_HEAD(&w->entry);
	raw_spin_lock_irq(&wq_lock);
	w->pool->nr_coming--;
	for (;;) {
		while ((item = next_item(w)))
			run(w, item);
		list_add(&w->entry, &w->pool->idle);
		__set_current_state(TASK_IDLE);
		raw_spin_unlock_irq(&wq_lock);
		schedule();
		raw_spin_lock_irq(&wq_lock);
		/* Off the idle list: somebody called it. */
		if (list_empty(&w->entry))
			w->pool->nr_coming--;
		else
			list_del_init(&w->entry);
	}
}

/* ---- no worker: the task itself ---- */

/* What it holds where it waits is not held by the item. */
static void run_without_locks(struct worker *w, struct work_struct *item)
{
#ifdef CONFIG_LOCKDEP
	struct sim_lock_hold held[SIM_LOCKS_HELD_MAX];
	int depth = sim_self->lockdep_depth;

	memcpy(held, sim_self->held, sizeof(held));
	sim_self->lockdep_depth = 0;
#endif
	raw_spin_lock_irq(&wq_lock);
	run(w, item);
	/* One that queued itself is its own worker's; this one will not come again. */
	while (!list_empty(&w->scheduled))
		list_move_tail(w->scheduled.next, &w->pool->items);
	raw_spin_unlock_irq(&wq_lock);
#ifdef CONFIG_LOCKDEP
	sim_self->lockdep_depth = depth;
	memcpy(sim_self->held, held, sizeof(held));
#endif
}

/* One more worker for each item that waits for another. */
bool wq_run_here(void)
{
	static struct worker here[4];
	static unsigned int depth;
	struct worker_pool *pool = &pools[0][0];
	struct worker *w = &here[depth];
	void *outer = world_worker();

	if (!pool->items.next || list_empty(&pool->items) || depth == ARRAY_SIZE(here))
		return false;
	depth++;
	w->pool = pool;
	w->task = current;
	INIT_LIST_HEAD(&w->entry);
	INIT_LIST_HEAD(&w->scheduled);
	world_set_worker(w);
	run_without_locks(w, list_first_entry(&pool->items, struct work_struct, entry));
	world_set_worker(outer);
	depth--;
	return true;
}

/* ---- what an item's function may ask ---- */

SUPPLY(struct work_struct *, current_work, void)
{
	struct worker *w = world_worker();

	return w ? w->item : NULL;
}

SUPPLY(bool, current_is_workqueue_rescuer, void)
{
	return false;
}

SUPPLY(void, set_worker_desc, const char *fmt, ...)
{
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workqueues, shared by workqueue.c (what is queued, flushed and cancelled) and workqueue_pool.c
 * (who runs it).
 *
 * Everything is under one lock. An item that is queued or held by a canceller has its PENDING bit
 * set; while it is in a list its data lead to its workqueue, its pool and its colour.
 */
#ifndef SIM_KERNEL_WORKQUEUE_H
#define SIM_KERNEL_WORKQUEUE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/* Pools: those of each CPU, and one for whatever is not bound to any. */
#define WQ_SLOT_UNBOUND NR_CPUS
#define WQ_NR_SLOTS	(NR_CPUS + 1)

struct workqueue_struct {
	unsigned int flags;
	int max_active;		    /* on each slot */
	struct list_head inactive;  /* items beyond that, of all slots in the order they came */
	unsigned int colour;	    /* of what is queued now: 0 or 1 */
	int nr_in_flight[2];	    /* queued or running, by colour */
	struct completion *flusher; /* waits for the other colour */
	struct mutex flush_mutex;
	int nr_active[WQ_NR_SLOTS];
	char name[32];
#ifdef CONFIG_LOCKDEP
	struct lock_class_key key;
	struct lockdep_map lockdep_map;
#endif
};

struct worker;

struct worker_pool {
	struct list_head items;
	struct list_head idle; /* workers */
	int nr_running;	       /* workers that are at an item and do not sleep */
	int nr_coming;	       /* made or woken, and not yet at an item */
	int slot;
	bool highpri;
};

struct worker {
	struct list_head entry;	    /* among the idle ones of its pool, or the busy ones of all */
	struct list_head scheduled; /* items that only it may run: it was at them already */
	struct worker_pool *pool;
	struct task_struct *task;
	struct work_struct *item;
	work_func_t fn;
	struct workqueue_struct *wq;
	unsigned int colour;
	bool sleeping;
	bool intensive; /* not counted as running */
};

/* Somebody waits for an instance of @item: first until it begins, then until @worker is done. */
struct work_waiter {
	struct list_head entry;
	struct work_struct *item;
	struct worker *worker;
	struct completion done;
};

extern raw_spinlock_t wq_lock;

/* data of an item in a list: the workqueue, with these in the bits that its address leaves free. */
#define WQ_CANCELING  BIT(1) /* a canceller has it, in a list or not */
#define WQ_COLOUR     BIT(2)
#define WQ_INACTIVE   BIT_ULL(48)
#define WQ_SLOT_SHIFT 56
#define WQ_PTR_MASK   (BIT_ULL(48) - 1 - 7)

static inline unsigned long *wq_data(struct work_struct *item)
{
	return work_data_bits(item);
}

static inline struct workqueue_struct *wq_of(struct work_struct *item)
{
	return (void *)(READ_ONCE(*wq_data(item)) & WQ_PTR_MASK);
}

static inline int wq_slot_of(struct work_struct *item)
{
	return READ_ONCE(*wq_data(item)) >> WQ_SLOT_SHIFT;
}

static inline unsigned int wq_colour_of(struct work_struct *item)
{
	return !!(READ_ONCE(*wq_data(item)) & WQ_COLOUR);
}

/* All with wq_lock held. */
struct worker_pool *wq_pool(struct workqueue_struct *wq, int slot);
struct worker *wq_worker_at(struct work_struct *item);
void wq_pool_add(struct worker_pool *pool, struct work_struct *item, const void *caller);
void wq_item_gone(struct workqueue_struct *wq, int slot, unsigned int colour, bool active,
		  const void *caller);
void wq_waiters_of_pending(struct work_struct *item, struct worker *worker);
void wq_wait_for(struct work_waiter *waiter, struct work_struct *item, struct worker *worker);
void wq_activate(struct workqueue_struct *wq, int slot, const void *caller);

/* Without wq_lock, where the task is alone: run the next item here. False: there is none. */
bool wq_run_here(void);

#endif

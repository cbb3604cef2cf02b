// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/workqueue.h by specification, for whole KVMs: an item that is queued runs at any time from
 * then on, in a task and on a CPU of its own, never at two places at once. That is what unbound
 * queues do, and others under workqueue.debug_force_rr_cpu
 * (Documentation/admin-guide/kernel-parameters.txt). Pools of workers, which small programs have,
 * are ../../workqueue.c: most of what would be explored with them is their own.
 *
 * Delayed items are not supplied, nor queues that run one item at a time.
 */
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <stdarg.h>

#include <sim/det.h>

#include "../../lockdep.h"
#include "../../sleep.h"
#include "../../supply.h"
#include "../../world.h"

struct workqueue_struct {
	char name[32];
#ifdef CONFIG_LOCKDEP
	struct lock_class_key key;
	struct lockdep_map lockdep_map;
#endif
};

/*
 * Items on their way, in the order in which they were queued. States change in events, so each
 * execution begins with none of them used; the rest is written with the state, without an event
 * between, and tasks change at events only: no lock.
 */
enum { UNUSED, QUEUED, OVER };

static struct run {
	u32 state;
	struct work_struct *item;
	work_func_t fn;
	struct workqueue_struct *wq;
	const void *caller; /* who queued it */
} runs[DET_MAX_TASKS];

#define IDLE	((u32)WORK_STRUCT_NO_POOL)
#define PENDING (IDLE | WORK_STRUCT_PENDING)

static u32 *word_of(struct work_struct *item)
{
	return (u32 *)work_data_bits(item); /* x86 is little endian */
}

/* ---- running ---- */

static void call(struct run *r, struct work_struct *item)
{
#ifdef CONFIG_LOCKDEP
	struct lockdep_map map = item->lockdep_map;
	struct workqueue_struct *wq = r->wq;

	lock_map_acquire(&wq->lockdep_map);
	lock_map_acquire(&map);
#endif
	r->fn(item);
#ifdef CONFIG_LOCKDEP
	lock_map_release(&map);
	lock_map_release(&wq->lockdep_map);
#endif
}

static void wait_for(struct run *r, const void *caller);

/* One that was taken back, or that another run of the same item did, is over. */
static void run(struct run *r, const void *caller)
{
	struct run *before;
	bool pending;

	for (before = runs; before < r; before++)
		if (before->item == r->item && before->fn == r->fn)
			wait_for(before, caller);
	pending = det_exchange(word_of(r->item), IDLE, caller) & WORK_STRUCT_PENDING;
	/* An acquire: it sees what was before every queueing until then. */
	det_await(&r->state, ~0u, caller);
	if (pending)
		call(r, r->item);
	det_store(&r->state, OVER, caller);
}

static void live(void *arg)
{
	struct run *r = arg;

	/* Set-up may have done it itself. */
	if (r->state == OVER)
		return;
	irqsim_become_kthread(world_comm());
	current->flags |= PF_WQ_WORKER;
	world_set_worker(r);
	run(r, r->caller);
}

/* Set-up and final check are alone: they do themselves what they wait for. */
static void wait_for(struct run *r, const void *caller)
{
	if (world_running())
		det_await(&r->state, QUEUED, caller);
	else if (r->state == QUEUED)
		run(r, caller);
}

SUPPLY(struct work_struct *, current_work, void)
{
	struct run *r = world_worker();

	return r ? r->item : NULL;
}

/* Nobody waits for a worker to sleep. */
void wq_worker_sleeping(void *worker)
{
}

void wq_worker_running(void *worker)
{
}

/* ---- queueing ---- */

static struct run *new_run(struct work_struct *item, struct workqueue_struct *wq,
			   const void *caller)
{
	struct run *r;

	for (r = runs; r < runs + ARRAY_SIZE(runs); r++) {
		u32 was = r->state;

		if (was == UNUSED)
			was = det_exchange(&r->state, QUEUED, caller);
		if (was == UNUSED) {
			r->item = item;
			r->fn = item->func;
			r->wq = wq;
			r->caller = caller;
			return r;
		}
		/* Somebody else took it in the event. */
		r->state = was;
	}
	return NULL;
}

static bool queue(struct workqueue_struct *wq, struct work_struct *item, const void *caller)
{
	struct run *r;

	if (det_exchange(word_of(item), PENDING, caller) & WORK_STRUCT_PENDING)
		return false;
	r = new_run(item, wq, caller);
	if (WARN_ON_ONCE(!r))
		return false;
	WARN_ON_ONCE(!world_task_new(world_spare_cpu(r - runs), "kworker", live, r, caller));
	return true;
}

SUPPLY(bool, queue_work_on, int cpu, struct workqueue_struct *wq, struct work_struct *item)
{
	return queue(wq, item, CALLER);
}

SUPPLY(bool, queue_work_node, int node, struct workqueue_struct *wq, struct work_struct *item)
{
	return queue(wq, item, CALLER);
}

/* ---- waiting ---- */

/* Everything that was queued before has run. */
static void flush(struct workqueue_struct *wq, const void *caller)
{
	struct run *r;

#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&wq->lockdep_map);
	lock_map_release(&wq->lockdep_map);
#endif
	for (r = runs; r < runs + ARRAY_SIZE(runs); r++) {
		/* The first that is not used yet is an event as well: it may be, a moment later. */
		det_await(&r->state, ~0u, caller);
		if (r->state == UNUSED)
			break;
		if (r->wq == wq)
			wait_for(r, caller);
	}
}

/* Not pending at that moment, or from another task's queueing on, and not running. */
static bool flush_item(struct work_struct *item, const void *caller)
{
	bool waited = false;
	struct run *r;

	det_await(word_of(item), ~0u, caller);
	for (r = runs; r < runs + ARRAY_SIZE(runs) && r->state != UNUSED; r++) {
		if (r->item != item)
			continue;
		waited |= r->state == QUEUED;
		wait_for(r, caller);
	}
	return waited;
}

SUPPLY(void, __flush_workqueue, struct workqueue_struct *wq)
{
	world_may_sleep("flush_workqueue", CALLER);
	flush(wq, CALLER);
}

SUPPLY(void, __warn_flushing_systemwide_wq, void)
{
}

SUPPLY(bool, flush_work, struct work_struct *item)
{
	world_may_sleep("flush_work", CALLER);
#ifdef CONFIG_LOCKDEP
	lock_map_acquire(&item->lockdep_map);
	lock_map_release(&item->lockdep_map);
#endif
	return flush_item(item, CALLER);
}

SUPPLY(bool, cancel_work, struct work_struct *item)
{
	return det_exchange(word_of(item), IDLE, CALLER) & WORK_STRUCT_PENDING;
}

SUPPLY(bool, cancel_work_sync, struct work_struct *item)
{
	bool pending;

	world_may_sleep("cancel_work_sync", CALLER);
	pending = det_exchange(word_of(item), IDLE, CALLER) & WORK_STRUCT_PENDING;
	flush_item(item, CALLER);
	return pending;
}

/* ---- queues ---- */

SUPPLY(struct workqueue_struct *, alloc_workqueue, const char *fmt, unsigned int flags,
       int max_active, ...)
{
	struct workqueue_struct *wq = kzalloc(sizeof(*wq), GFP_KERNEL);
	va_list args;

	if (!wq)
		return NULL;
	WARN_ON_ONCE(max_active == 1);
	va_start(args, max_active);
	vsnprintf(wq->name, sizeof(wq->name), fmt, args);
	va_end(args);
#ifdef CONFIG_LOCKDEP
	lockdep_register_key(&wq->key);
	lockdep_init_map(&wq->lockdep_map, wq->name, &wq->key, 0);
#endif
	return wq;
}

SUPPLY(void, drain_workqueue, struct workqueue_struct *wq)
{
	world_may_sleep("drain_workqueue", CALLER);
	flush(wq, CALLER);
}

SUPPLY(void, destroy_workqueue, struct workqueue_struct *wq)
{
	world_may_sleep("destroy_workqueue", CALLER);
	flush(wq, CALLER);
#ifdef CONFIG_LOCKDEP
	lockdep_unregister_key(&wq->key);
#endif
	kfree(wq);
}

#ifdef CONFIG_LOCKDEP
#define SYSTEM_WQ_MAP(id) .lockdep_map = { .name = #id, .key = &id##_struct.key },
#else
#define SYSTEM_WQ_MAP(id)
#endif
#define SYSTEM_WQ(id)                                                                    \
	static struct workqueue_struct id##_struct = { .name = #id, SYSTEM_WQ_MAP(id) }; \
	struct workqueue_struct *supply_##id __asm__(#id) = &id##_struct

SYSTEM_WQ(system_percpu_wq);
SYSTEM_WQ(system_dfl_wq);
/* The names of before 6.17. */
struct workqueue_struct *supply_system_wq __asm__("system_wq") = &system_percpu_wq_struct;
struct workqueue_struct *supply_system_unbound_wq __asm__("system_unbound_wq") =
	&system_dfl_wq_struct;

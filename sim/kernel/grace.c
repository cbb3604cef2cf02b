// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callbacks and cookies of a domain of read sections.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "grace.h"
#include "sleep.h"
#include "supply.h"
#include "world.h"

/* ---- numbers ---- */

static void note_use(struct grace *g)
{
	if (!READ_ONCE(g->used))
		WRITE_ONCE(g->used, true);
}

static unsigned long begin(struct grace *g)
{
	unsigned long number = READ_ONCE(g->begun);

	while (!try_cmpxchg(&g->begun, &number, number + GRACE_STEP))
		;
	return number + GRACE_STEP;
}

unsigned long grace_begins(struct grace *g)
{
	return READ_ONCE(g->used) ? begin(g) : 0;
}

void grace_ended(struct grace *g, unsigned long number)
{
	unsigned long last;

	if (!number)
		return;
	last = READ_ONCE(g->ended);
	while (last < number && !try_cmpxchg(&g->ended, &last, number))
		;
}

unsigned long grace_cookie(struct grace *g)
{
	note_use(g);
	/* What the caller did before is before the grace period of its cookie. */
	smp_mb();
	return READ_ONCE(g->begun) + GRACE_STEP;
}

bool grace_is_over(struct grace *g, unsigned long cookie)
{
	if (cookie == 1)
		return true;
	if (READ_ONCE(g->ended) < cookie)
		return false;
	/* Readers of before have ended for whoever comes to know of it. */
	smp_mb();
	return true;
}

/* ---- the task ---- */

static void call(struct rcu_head *head)
{
	rcu_callback_t func = head->func;

	world_bh_disable();
	if ((unsigned long)func < PAGE_SIZE)
		kvfree((void *)head - (unsigned long)func);
	else
		func(head);
	world_bh_enable();
}

static unsigned long call_all(struct rcu_head *head)
{
	struct rcu_head *next;
	unsigned long nr = 0;

	for (; head; head = next, nr++) {
		next = (struct rcu_head *)head->next;
		call(head);
	}
	return nr;
}

static bool has_work(const struct grace *g)
{
	return g->first || READ_ONCE(g->ended) < g->wanted;
}

/* One grace period for all that came before it. The lock is held. */
static void pass(struct grace *g)
{
	struct rcu_head *list = g->first;
	unsigned long number, nr;

	g->first = NULL;
	raw_spin_unlock_irq(&g->lock);
	number = begin(g);
	g->wait((void *)g->domain, CALLER);
	grace_ended(g, number);
	nr = call_all(list);
	raw_spin_lock_irq(&g->lock);
	g->done += nr;
	raw_spin_unlock_irq(&g->lock);
	wake_up_all(&g->all_done);
	raw_spin_lock_irq(&g->lock);
}

static void live(void *arg)
{
	struct grace *g = arg;

	irqsim_become_kthread(world_comm());
	raw_spin_lock_irq(&g->lock);
	g->task = current;
	for (;;) {
		while (has_work(g))
			pass(g);
		__set_current_state(TASK_IDLE);
		raw_spin_unlock_irq(&g->lock);
		schedule();
		raw_spin_lock_irq(&g->lock);
	}
}

/* There is something to do. The lock is held. */
static void kick(struct grace *g, const void *caller)
{
	if (g->task)
		irqsim_wake(g->task, TASK_IDLE);
	else if (!g->has_task)
		g->has_task = world_task_new(world_spare_cpu(0), "rcu", live, g, caller);
	WARN_ON_ONCE(!g->has_task);
}

/* ---- what is asked of it ---- */

void grace_call(struct grace *g, struct rcu_head *head, rcu_callback_t func, const void *caller)
{
	unsigned long flags;

	head->func = func;
	/* Set-up and final check of the deterministic world are alone: no reader to wait for. */
	if (!world_running()) {
		call(head);
		return;
	}
	raw_spin_lock_irqsave(&g->lock, flags);
	head->next = NULL;
	if (g->first)
		g->last->next = (void *)head;
	else
		g->first = head;
	g->last = head;
	g->queued++;
	kick(g, caller);
	raw_spin_unlock_irqrestore(&g->lock, flags);
}

static bool done_up_to(struct grace *g, unsigned long nr)
{
	bool done;

	raw_spin_lock_irq(&g->lock);
	done = (long)(g->done - nr) >= 0;
	raw_spin_unlock_irq(&g->lock);
	return done;
}

void grace_barrier(struct grace *g)
{
	unsigned long nr;

	raw_spin_lock_irq(&g->lock);
	nr = g->queued;
	raw_spin_unlock_irq(&g->lock);
	wait_event(g->all_done, done_up_to(g, nr));
}

unsigned long grace_start(struct grace *g, const void *caller)
{
	unsigned long cookie = grace_cookie(g);
	unsigned long flags;

	raw_spin_lock_irqsave(&g->lock, flags);
	if (g->wanted < cookie) {
		g->wanted = cookie;
		kick(g, caller);
	}
	raw_spin_unlock_irqrestore(&g->lock, flags);
	return cookie;
}

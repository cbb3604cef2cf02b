// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rcupdate.h: liburcu behind the kernel's names.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <sim/report.h>
#include <sim/sync.h>
#include <sim/task.h>

#include "grace.h"
#include "supply.h"

SUPPLY(void, __rcu_read_lock, void)
{
	sim_self->rcu_depth++;
	sim_rcu_read_lock();
}

SUPPLY(void, __rcu_read_unlock, void)
{
	if (unlikely(!sim_self->rcu_depth)) {
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: rcu_read_unlock() without a read section");
		return;
	}
	sim_rcu_read_unlock();
	sim_self->rcu_depth--;
}

void sim_rcu_abandon(void)
{
	sim_rcu_read_unlock();
}

void irqsim_rcu_wait(void *domain, const void *caller)
{
	sim_rcu_synchronize();
}

SUPPLY(void, call_rcu, struct rcu_head *head, rcu_callback_t func)
{
	/* The kernel's head is two words, as the host asks; a callback takes a pointer to it. */
	sim_rcu_call(head, (void (*)(void *))func);
}

SUPPLY(void, rcu_barrier, void)
{
	sim_may_sleep("rcu_barrier", CALLER);
	sim_rcu_barrier();
}

/*
 * kfree_rcu() must not fail nor sleep, so the object's own head is all there is to work with: @next
 * in a list, and in place of a function the object. One list waits for its grace period, which
 * began after the last object came to it; what comes meanwhile is gathered for the next.
 */
static struct rcu_head *waiting, *gathered;
static struct rcu_head batch;
static atomic_t batches_busy;

static void lock_batches(void)
{
	unsigned int turn = 0;

	while (atomic_cmpxchg_acquire(&batches_busy, 0, 1))
		sim_spin_wait(turn++);
}

static void unlock_batches(void)
{
	atomic_set_release(&batches_busy, 0);
}

static void free_batch(void *head)
{
	struct rcu_head *done, *next;

	lock_batches();
	done = waiting;
	waiting = gathered;
	gathered = NULL;
	if (waiting)
		sim_rcu_call(&batch, free_batch);
	unlock_batches();

	for (; done; done = next) {
		next = (struct rcu_head *)done->next;
		kvfree((void *)done->func);
	}
}

static void free_later(struct rcu_head *head, void *object)
{
	head->func = (rcu_callback_t)object;
	lock_batches();
	if (waiting) {
		head->next = (void *)gathered;
		gathered = head;
	} else {
		head->next = NULL;
		waiting = head;
		sim_rcu_call(&batch, free_batch);
	}
	unlock_batches();
}

/* kfree_rcu(): @head is inside @ptr, or NULL for the form that may sleep. */
SUPPLY(void, kvfree_call_rcu, struct rcu_head *head, void *ptr)
{
	if (!head) {
		rcu_synchronize("kvfree_call_rcu", CALLER);
		kvfree(ptr);
		return;
	}
	/* Up to 6.1 it is not the object but the head's place in it (__is_kvfree_rcu_offset()). */
	if ((unsigned long)ptr < 4096)
		ptr = (void *)head - (unsigned long)ptr;
	free_later(head, ptr);
}

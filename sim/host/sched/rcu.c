// SPDX-License-Identifier: GPL-2.0-only
/*
 * RCU: liburcu's memb flavour. Callbacks run in a simulated task, since they are kernel code: in
 * whichever next asks, after a grace period of its own.
 */
#include <pthread.h>
#include <stddef.h>
#include <urcu/uatomic.h>
#include <urcu/urcu-memb.h>

#include <sim/sync.h>

#include "threads.h"
#include "tsan.h"

static char grace_periods, sections; /* their addresses are meant */

struct callback {
	struct callback *next;
	void (*func)(void *head);
};

static struct callback *queued, **queue_tail = &queued;
static unsigned long running; /* tasks that run callbacks they took */
static pthread_mutex_t queue_mutex = PTHREAD_MUTEX_INITIALIZER;

void sim_rcu_read_lock(void)
{
	urcu_memb_read_lock();
	happens_after(&grace_periods);
}

void sim_rcu_read_unlock(void)
{
	happens_before(&sections);
	urcu_memb_read_unlock();
}

void sim_rcu_synchronize(void)
{
	/* On one CPU the only reader there could be is the caller itself, and it is not. */
	if (sim_nr_cpus_used() == 1)
		return;

	happens_before(&grace_periods);
	urcu_memb_synchronize_rcu();
	happens_after(&sections);
}

void sim_rcu_call(void *head, void (*func)(void *head))
{
	struct callback *cb = head;

	cb->next = NULL;
	cb->func = func;
	pthread_mutex_lock(&queue_mutex);
	*queue_tail = cb;
	queue_tail = &cb->next;
	pthread_mutex_unlock(&queue_mutex);
}

static struct callback *take_all(void)
{
	struct callback *all;

	pthread_mutex_lock(&queue_mutex);
	all = queued;
	queued = NULL;
	queue_tail = &queued;
	pthread_mutex_unlock(&queue_mutex);

	return all;
}

void sim_rcu_run_callbacks(void)
{
	struct callback *cb, *next;

	while (uatomic_read(&queued)) {
		uatomic_inc(&running);
		cb = take_all();
		sim_rcu_synchronize();
		for (; cb; cb = next) {
			next = cb->next;
			cb->func(cb);
		}
		cmm_smp_mb(); /* what the callbacks did comes before the count that says so */
		uatomic_dec(&running);
	}
}

void sim_rcu_barrier(void)
{
	unsigned int turn = 0;

	sim_rcu_run_callbacks();
	while (uatomic_read(&running))
		sim_spin_wait(turn++);
	cmm_smp_mb();
}

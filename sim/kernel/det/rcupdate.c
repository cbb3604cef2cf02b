// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rcupdate.h in the deterministic world: one domain, whose callbacks have a task of their
 * own.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../grace.h"
#include "../supply.h"

static char domain;

SUPPLY(void, __rcu_read_lock, void)
{
	sim_self->rcu_depth++;
	det_rcu_read_lock(&domain, CALLER);
}

SUPPLY(void, __rcu_read_unlock, void)
{
	if (unlikely(!sim_self->rcu_depth)) {
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: rcu_read_unlock() without a read section");
		return;
	}
	det_rcu_read_unlock(&domain, CALLER);
	sim_self->rcu_depth--;
}

void sim_rcu_abandon(void)
{
	det_rcu_read_unlock(&domain, CALLER);
}

void irqsim_rcu_wait(void *unused, const void *caller)
{
	det_gp_wait(&domain, caller);
}

static void synchronize(const char *what, const void *caller)
{
	sim_may_sleep(what, caller);
	if (unlikely(sim_self->rcu_depth)) {
		sim_report(SIM_REPORT_RCU, caller,
			   "WARNING: suspicious RCU usage\n"
			   "Illegal %s() in RCU read-side critical section",
			   what);
		return;
	}
	irqsim_rcu_synchronize(caller);
}

SUPPLY(void, synchronize_rcu, void)
{
	synchronize("synchronize_rcu", CALLER);
}

SUPPLY(void, synchronize_rcu_expedited, void)
{
	synchronize("synchronize_rcu_expedited", CALLER);
}

SUPPLY(void, call_rcu, struct rcu_head *head, rcu_callback_t func)
{
	grace_call(&irqsim_rcu_grace, head, func, CALLER);
}

SUPPLY(void, call_rcu_hurry, struct rcu_head *head, rcu_callback_t func)
{
	grace_call(&irqsim_rcu_grace, head, func, CALLER);
}

static void barrier_of(const char *what, const void *caller)
{
	sim_may_sleep(what, caller);
	grace_barrier(&irqsim_rcu_grace);
}

SUPPLY(void, rcu_barrier, void)
{
	barrier_of("rcu_barrier", CALLER);
}

SUPPLY(void, kvfree_rcu_barrier, void)
{
	barrier_of("kvfree_rcu_barrier", CALLER);
}

/*
 * kfree_rcu(): @head is inside @ptr, or NULL for the form that may sleep. Up to 6.1 @ptr is the
 * head's place in the object, which is what a callback is told (grace.c).
 */
SUPPLY(void, kvfree_call_rcu, struct rcu_head *head, void *ptr)
{
	if (!head) {
		synchronize("kvfree_call_rcu", CALLER);
		kvfree(ptr);
		return;
	}
	if ((unsigned long)ptr >= PAGE_SIZE)
		ptr = (void *)((unsigned long)head - (unsigned long)ptr);
	grace_call(&irqsim_rcu_grace, head, (rcu_callback_t)ptr, CALLER);
}

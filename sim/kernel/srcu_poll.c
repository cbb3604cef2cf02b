// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/srcu.h: callbacks, and grace periods by cookie. A domain gets what they need when somebody
 * first asks.
 */
#include <linux/srcu.h>

#include <sim/report.h>

#include "grace.h"
#include "supply.h"
#include "world.h"

#define MAX_GRACES 32 /* domains with callbacks or cookies at a time; assumed */

static struct grace graces[MAX_GRACES];
static DEFINE_RAW_SPINLOCK(graces_lock);
static int nr_graces; /* ever used */

struct grace *grace_of_srcu(const void *domain)
{
	int i, n = smp_load_acquire(&nr_graces);

	for (i = 0; i < n; i++)
		if (READ_ONCE(graces[i].domain) == domain)
			return &graces[i];
	return NULL;
}

static struct grace *make(const void *domain)
{
	struct grace *g = graces;

	while (g < graces + nr_graces && g->domain)
		g++;
	if (g == graces + MAX_GRACES)
		return NULL;
	if (!g->wait) {
		raw_spin_lock_init(&g->lock);
		init_waitqueue_head(&g->all_done);
		g->wait = irqsim_srcu_wait;
	}
	g->used = false;
	WRITE_ONCE(g->domain, domain);
	if (g == graces + nr_graces)
		smp_store_release(&nr_graces, nr_graces + 1);
	return g;
}

static struct grace *get(struct srcu_struct *ssp, const char *what, const void *caller)
{
	struct grace *g = grace_of_srcu(ssp);
	unsigned long flags;

	if (irqsim_srcu_is_atomic(ssp))
		sim_report(SIM_REPORT_RCU, caller, "WARNING: %s() of an atomic SRCU domain", what);
	if (g)
		return g;
	raw_spin_lock_irqsave(&graces_lock, flags);
	g = grace_of_srcu(ssp);
	if (!g)
		g = make(ssp);
	raw_spin_unlock_irqrestore(&graces_lock, flags);
	if (!g)
		sim_report(SIM_REPORT_BUG, caller,
			   "irqsim: more than %d SRCU domains with callbacks or cookies",
			   MAX_GRACES);
	return g;
}

/* The task that it may have stays with it, for the next domain. */
bool grace_of_srcu_gone(const void *domain)
{
	struct grace *g = grace_of_srcu(domain);
	unsigned long flags;
	bool idle;

	if (!g)
		return true;
	raw_spin_lock_irqsave(&g->lock, flags);
	idle = g->queued == g->done;
	if (idle) {
		g->wanted = 0;
		WRITE_ONCE(g->domain, NULL);
	}
	raw_spin_unlock_irqrestore(&g->lock, flags);
	return idle;
}

SUPPLY(void, call_srcu, struct srcu_struct *ssp, struct rcu_head *head, rcu_callback_t func)
{
	grace_call(get(ssp, "call_srcu", CALLER), head, func, CALLER);
}

SUPPLY(void, srcu_barrier, struct srcu_struct *ssp)
{
	world_may_sleep("srcu_barrier", CALLER);
	grace_barrier(get(ssp, "srcu_barrier", CALLER));
}

SUPPLY(unsigned long, get_state_synchronize_srcu, struct srcu_struct *ssp)
{
	return grace_cookie(get(ssp, "get_state_synchronize_srcu", CALLER));
}

SUPPLY(unsigned long, start_poll_synchronize_srcu, struct srcu_struct *ssp)
{
	return grace_start(get(ssp, "start_poll_synchronize_srcu", CALLER), CALLER);
}

SUPPLY(bool, poll_state_synchronize_srcu, struct srcu_struct *ssp, unsigned long cookie)
{
	return grace_is_over(get(ssp, "poll_state_synchronize_srcu", CALLER), cookie);
}

void irqsim_srcu_synchronize(void *domain, const void *caller)
{
	struct grace *g = grace_of_srcu(domain);
	unsigned long number = g ? grace_begins(g) : 0;

	irqsim_srcu_wait(domain, caller);
	if (g)
		grace_ended(g, number);
}

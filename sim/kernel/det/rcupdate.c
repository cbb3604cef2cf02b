// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rcupdate.h in the deterministic world: one domain. Callbacks wait for their grace period in
 * the task that queued them, at rcu_barrier() and where its system call ends.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../supply.h"

static char domain;

SUPPLY(void, __rcu_read_lock, void)
{
	sim_self->rcu_depth++;
	det_read_lock(&domain, CALLER);
}

SUPPLY(void, __rcu_read_unlock, void)
{
	if (unlikely(!sim_self->rcu_depth)) {
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: rcu_read_unlock() without a read section");
		return;
	}
	det_read_unlock(&domain, CALLER);
	sim_self->rcu_depth--;
}

void sim_rcu_abandon(void)
{
	det_read_unlock(&domain, CALLER);
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
	det_gp_wait(&domain, caller);
}

SUPPLY(void, synchronize_rcu, void)
{
	synchronize("synchronize_rcu", CALLER);
}

SUPPLY(void, synchronize_rcu_expedited, void)
{
	synchronize("synchronize_rcu_expedited", CALLER);
}

/* kfree_rcu() of the form that may sleep; the one with a head needs a task of its own to wait in.
 */
SUPPLY(void, kvfree_call_rcu, struct rcu_head *head, void *ptr)
{
	if (head) {
		sim_report(SIM_REPORT_UNSUPPORTED, CALLER,
			   "irqsim: kfree_rcu() with a head is not supplied in the deterministic "
			   "world");
		return;
	}
	synchronize("kvfree_call_rcu", CALLER);
	kvfree(ptr);
}

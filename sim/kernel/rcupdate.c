// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rcupdate.h: liburcu behind the kernel's names.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <sim/report.h>
#include <sim/sync.h>
#include <sim/task.h>

#include "supply.h"

SUPPLY(void, __rcu_read_lock, void)
{
	sim_self->rcu_depth++;
	sim_rcu_read_lock();
}

SUPPLY(void, __rcu_read_unlock, void)
{
	if (unlikely(!sim_self->rcu_depth)) {
		sim_report(SIM_REPORT_RCU, CALLER, "WARNING: rcu_read_unlock() without a read section");
		return;
	}
	sim_rcu_read_unlock();
	sim_self->rcu_depth--;
}

static void synchronize(const char *what, const void *caller)
{
	sim_may_sleep(what, caller);
	if (unlikely(sim_self->rcu_depth)) {
		sim_report(SIM_REPORT_RCU, caller,
			   "WARNING: suspicious RCU usage\n"
			   "Illegal %s() in RCU read-side critical section", what);
		return;
	}
	sim_rcu_synchronize();
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
	/* The kernel's head is two words, as the host asks; a callback takes a pointer to it. */
	sim_rcu_call(head, (void (*)(void *))func);
}

SUPPLY(void, rcu_barrier, void)
{
	sim_may_sleep("rcu_barrier", CALLER);
	sim_rcu_run_callbacks();
}

static void free_after_grace_period(void *head)
{
	/* kvfree_rcu() passes the object; until then its first words served as the head. */
	kvfree(*((void **)head + 2));
	kfree(head);
}

/* kfree_rcu(): @head is inside @ptr, or NULL for the form that may sleep. */
SUPPLY(void, kvfree_call_rcu, struct rcu_head *head, void *ptr)
{
	void **late = kmalloc(3 * sizeof(void *), GFP_ATOMIC);

	if (late) {
		late[2] = ptr;
		sim_rcu_call(late, free_after_grace_period);
		return;
	}
	/* As in the kernel, the slow way where there is no memory for the fast one. */
	synchronize("kvfree_call_rcu", CALLER);
	kvfree(ptr);
}

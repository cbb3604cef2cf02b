// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for a grace period of RCU or of an SRCU domain, in both worlds: what must hold first, and
 * who never comes back.
 */
#include <linux/rcupdate.h>
#include <linux/srcu.h>

#include <sim/ops.h>
#include <sim/report.h>
#include <sim/task.h>

#include "grace.h"
#include "lockdep.h"
#include "srcu_section.h"
#include "supply.h"

void rcu_synchronize(const char *what, const void *caller)
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
	rcu_synchronize("synchronize_rcu", CALLER);
}

SUPPLY(void, synchronize_rcu_expedited, void)
{
	rcu_synchronize("synchronize_rcu_expedited", CALLER);
}

static void srcu_synchronize(struct srcu_struct *ssp, const char *what, bool spins,
			     const void *caller)
{
	int i = srcu_section(sim_self, ssp, -1);
	char where[160];

	if (!spins)
		sim_may_sleep(what, caller);
	else if (!irqsim_srcu_is_atomic(ssp))
		sim_report(SIM_REPORT_RCU, caller,
			   "WARNING: %s() of an SRCU domain that is not atomic", what);
	if (unlikely(i >= 0)) {
		sim_symbol(sim_self->srcu[i].caller, where, sizeof(where));
		sim_report(SIM_REPORT_RCU, caller,
			   "WARNING: possible recursive locking detected\n"
			   "%s/%d waits in %s() for its own read section, entered at %s; "
			   "irqsim goes on without the wait",
			   sim_self->comm, sim_self->pid, what, where);
		return;
	}
	LOCKDEP_SYNC(&ssp->dep_map, caller);
	sim_count(SIM_OP_GRACE_PERIOD, 1);
	irqsim_srcu_synchronize(ssp, caller);
}

SUPPLY(void, synchronize_srcu, struct srcu_struct *ssp)
{
	srcu_synchronize(ssp, "synchronize_srcu", false, CALLER);
}

SUPPLY(void, synchronize_srcu_expedited, struct srcu_struct *ssp)
{
	srcu_synchronize(ssp, "synchronize_srcu_expedited", false, CALLER);
}

/* Waits without sleeping: no reader of an atomic domain sleeps. */
SUPPLY(void, synchronize_srcu_atomic, struct srcu_struct *ssp)
{
	srcu_synchronize(ssp, "synchronize_srcu_atomic", true, CALLER);
}

SUPPLY(void, srcu_check_nmi_safety, struct srcu_struct *ssp, bool nmi_safe)
{
}

SUPPLY(void, __srcu_check_read_flavor, struct srcu_struct *ssp, int flavor)
{
}

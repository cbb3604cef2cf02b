// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/srcu.h in the deterministic world, by specification: a grace period ends when every section
 * that began before it has ended, and when the policy chooses. A domain is its address.
 */
#include <linux/rcupdate.h>
#include <linux/srcu.h>

#include <sim/det.h>
#include <sim/ops.h>
#include <sim/report.h>

#include "../lockdep.h"
#include "../supply.h"

SUPPLY(int, init_srcu_struct, struct srcu_struct *ssp)
{
	return 0;
}

SUPPLY(int, __init_srcu_struct, struct srcu_struct *ssp, const char *name,
       struct lock_class_key *key)
{
	lockdep_init_map(&ssp->dep_map, name, key, 0);
	return 0;
}

SUPPLY(void, cleanup_srcu_struct, struct srcu_struct *ssp)
{
	if (det_readers(ssp))
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: cleanup_srcu_struct() with readers still active");
}

SUPPLY(int, __srcu_read_lock, struct srcu_struct *ssp)
{
	struct sim_task *t = sim_self;

	if (likely(t->nr_srcu < SIM_SRCU_HELD_MAX))
		t->srcu[t->nr_srcu] = (struct sim_srcu_hold){ ssp, CALLER, 0, t->cpu };
	t->nr_srcu++;
	det_read_lock(ssp, CALLER);
	return 0;
}

/* Index in t->srcu of the innermost section of @ssp, or -1. */
static int find_section(const struct sim_task *t, const struct srcu_struct *ssp)
{
	int i = min(t->nr_srcu, SIM_SRCU_HELD_MAX) - 1;

	while (i >= 0 && t->srcu[i].domain != ssp)
		i--;
	return i;
}

SUPPLY(void, __srcu_read_unlock, struct srcu_struct *ssp, int idx)
{
	struct sim_task *t = sim_self;
	int i = find_section(t, ssp);

	if (unlikely(i < 0 && t->nr_srcu <= SIM_SRCU_HELD_MAX)) {
		sim_report(
			SIM_REPORT_RCU, CALLER,
			"WARNING: srcu_read_unlock() of index %d: %s/%d is in no such read section",
			idx, t->comm, t->pid);
		return;
	}
	t->nr_srcu--;
	for (; i >= 0 && i < min(t->nr_srcu, SIM_SRCU_HELD_MAX - 1); i++)
		t->srcu[i] = t->srcu[i + 1];
	det_read_unlock(ssp, CALLER);
}

void sim_srcu_abandon(const struct sim_srcu_hold *hold)
{
	det_read_unlock(hold->domain, CALLER);
}

static void synchronize(struct srcu_struct *ssp, const char *what, const void *caller)
{
	sim_may_sleep(what, caller);
	if (unlikely(find_section(sim_self, ssp) >= 0)) {
		sim_report(SIM_REPORT_RCU, caller,
			   "WARNING: possible recursive locking detected\n"
			   "%s/%d waits in %s() for its own read section; irqsim goes on without "
			   "the wait",
			   sim_self->comm, sim_self->pid, what);
		return;
	}
	LOCKDEP_SYNC(&ssp->dep_map, caller);
	sim_count(SIM_OP_GRACE_PERIOD, 1);
	det_gp_wait(ssp, caller);
}

SUPPLY(void, synchronize_srcu, struct srcu_struct *ssp)
{
	synchronize(ssp, "synchronize_srcu", CALLER);
}

SUPPLY(void, synchronize_srcu_expedited, struct srcu_struct *ssp)
{
	synchronize(ssp, "synchronize_srcu_expedited", CALLER);
}

SUPPLY(void, srcu_check_nmi_safety, struct srcu_struct *ssp, bool nmi_safe)
{
}

SUPPLY(void, __srcu_check_read_flavor, struct srcu_struct *ssp, int flavor)
{
}

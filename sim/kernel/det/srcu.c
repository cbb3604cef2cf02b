// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/srcu.h in the deterministic world, by specification: a grace period ends when every section
 * that began before it has ended, and when the policy chooses. A domain is its address.
 */
#include <linux/rcupdate.h>
#include <linux/srcu.h>

#include <sim/det.h>
#include <sim/report.h>

#include "../grace.h"
#include "../lockdep.h"
#include "../srcu_section.h"
#include "../supply.h"
#include "context.h"

SUPPLY(int, init_srcu_struct, struct srcu_struct *ssp)
{
	ssp->sda = NULL;
	return 0;
}

SUPPLY(int, __init_srcu_struct, struct srcu_struct *ssp, const char *name,
       struct lock_class_key *key)
{
	ssp->sda = NULL;
	lockdep_init_map(&ssp->dep_map, name, key, 0);
	return 0;
}

SUPPLY(void, cleanup_srcu_struct, struct srcu_struct *ssp)
{
	if (det_readers(ssp))
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: cleanup_srcu_struct() with readers still active");
	else if (!grace_of_srcu_gone(ssp))
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: cleanup_srcu_struct() with callbacks still waiting");
}

#define ATOMIC 1UL

/* An atomic domain is known by its otherwise unused per-CPU part. */
bool irqsim_srcu_is_atomic(const void *domain)
{
	const struct srcu_struct *ssp = domain;

	return ssp->sda == (void *)ATOMIC;
}

SUPPLY(int, __init_srcu_struct_atomic, struct srcu_struct *ssp, const char *name,
       struct lock_class_key *key)
{
	lockdep_init_map(&ssp->dep_map, name, key, 0);
	ssp->sda = (void *)ATOMIC;
	return 0;
}

SUPPLY(int, __srcu_read_lock, struct srcu_struct *ssp)
{
	struct sim_task *t = sim_self;

	if (unlikely(irqsim_srcu_is_atomic(ssp))) {
		if (!count_of(t) && !t->irqs_off)
			sim_report(SIM_REPORT_RCU, CALLER,
				   "WARNING: srcu_read_lock() of an atomic SRCU domain with "
				   "preemption enabled");
		lock_begins(CALLER);
	}
	if (likely(t->nr_srcu < SIM_SRCU_HELD_MAX))
		t->srcu[t->nr_srcu] = (struct sim_srcu_hold){ ssp, CALLER, 0, t->cpu };
	t->nr_srcu++;
	det_read_lock(ssp, CALLER);
	return 0;
}

SUPPLY(void, __srcu_read_unlock, struct srcu_struct *ssp, int idx)
{
	struct sim_task *t = sim_self;
	int i = srcu_section(t, ssp, -1);

	if (unlikely(i < 0 && t->nr_srcu <= SIM_SRCU_HELD_MAX)) {
		sim_report(
			SIM_REPORT_RCU, CALLER,
			"WARNING: srcu_read_unlock() of index %d: %s/%d is in no such read section",
			idx, t->comm, t->pid);
		return;
	}
	srcu_section_left(t, i);
	det_read_unlock(ssp, CALLER);
	if (unlikely(irqsim_srcu_is_atomic(ssp)))
		lock_ended(CALLER);
}

/* A section of no task's: another may end it (linux/srcu.h of sim/headers). */
SUPPLY(int, irqsim_srcu_down_read, struct srcu_struct *ssp)
{
	if (unlikely(irqsim_srcu_is_atomic(ssp)))
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: srcu_down_read() of an atomic SRCU domain");
	det_read_down(ssp, CALLER);
	return 0;
}

SUPPLY(void, irqsim_srcu_up_read, struct srcu_struct *ssp, int idx)
{
	if (!det_read_up(ssp, CALLER))
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: srcu_up_read() of index %d without srcu_down_read()", idx);
}

void sim_srcu_abandon(const struct sim_srcu_hold *hold)
{
	det_read_unlock(hold->domain, CALLER);
}

void irqsim_srcu_wait(void *domain, const void *caller)
{
	det_gp_wait(domain, caller);
}

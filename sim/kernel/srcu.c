// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/srcu.h. A domain's per-CPU part is the host's; the pointer that would lead to it leads
 * there. Every task knows the read sections it is in, so that waiting for oneself is reported, not
 * hung.
 */
#include <linux/rcupdate.h>
#include <linux/srcu.h>

#include <sim/report.h>
#include <sim/sync.h>

#include "grace.h"
#include "lockdep.h"
#include "srcu_section.h"
#include "supply.h"

#define ATOMIC 1UL /* in the pointer to it: the domain is one whose readers do not sleep */

/* Where DEFINE_SRCU()'s own per-CPU part is (sim/host/sched/percpu.ld). */
extern char sim_percpu_start[], sim_percpu_end[];

static bool is_unmade(const void *sda)
{
	return !sda || ((char *)sda >= sim_percpu_start && (char *)sda < sim_percpu_end);
}

/* NULL: of a DEFINE_SRCU() domain that nobody has used. */
static struct sim_srcu *host_side(struct srcu_struct *ssp)
{
	const void *sda = READ_ONCE(ssp->sda);

	return is_unmade(sda) ? NULL : (struct sim_srcu *)((unsigned long)sda & ~ATOMIC);
}

bool irqsim_srcu_is_atomic(const void *domain)
{
	const struct srcu_struct *ssp = domain;

	return (unsigned long)READ_ONCE(ssp->sda) & ATOMIC;
}

/* DEFINE_SRCU() domains are made by whoever uses them first. */
static struct sim_srcu *domain(struct srcu_struct *ssp)
{
	struct sim_srcu *s = host_side(ssp);
	void *own = READ_ONCE(ssp->sda);

	if (likely(s))
		return s;
	if (!is_unmade(own))
		return host_side(ssp);

	s = sim_srcu_new();
	BUG_ON(!s);
	if (cmpxchg((void **)&ssp->sda, own, (void *)s) == own)
		return s;
	sim_srcu_delete(s);
	return host_side(ssp);
}

static int init_domain(struct srcu_struct *ssp)
{
	struct sim_srcu *s = sim_srcu_new();

	ssp->sda = (void *)s;
	return s ? 0 : -ENOMEM;
}

SUPPLY(int, init_srcu_struct, struct srcu_struct *ssp)
{
	return init_domain(ssp);
}

static int init_atomic(struct srcu_struct *ssp)
{
	int ret = init_domain(ssp);

	if (!ret)
		ssp->sda = (void *)((unsigned long)ssp->sda | ATOMIC);
	return ret;
}

SUPPLY(int, init_srcu_struct_atomic, struct srcu_struct *ssp)
{
	return init_atomic(ssp);
}

SUPPLY(int, __init_srcu_struct_atomic, struct srcu_struct *ssp, const char *name,
       struct lock_class_key *key)
{
#ifdef CONFIG_DEBUG_LOCK_ALLOC
	lockdep_init_map(&ssp->dep_map, name, key, 0);
#endif
	return init_atomic(ssp);
}

SUPPLY(int, __init_srcu_struct, struct srcu_struct *ssp, const char *name,
       struct lock_class_key *key)
{
#ifdef CONFIG_DEBUG_LOCK_ALLOC
	lockdep_init_map(&ssp->dep_map, name, key, 0);
#endif
	return init_domain(ssp);
}

SUPPLY(void, cleanup_srcu_struct, struct srcu_struct *ssp)
{
	struct sim_srcu *s = host_side(ssp);

	if (!s)
		return;
	if (sim_srcu_readers(s)) {
		/* The kernel leaks the domain in this case, and says so. */
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: cleanup_srcu_struct() with readers still active");
		return;
	}
	if (!grace_of_srcu_gone(ssp)) {
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: cleanup_srcu_struct() with callbacks still waiting");
		return;
	}
	sim_srcu_delete(s);
	ssp->sda = NULL;
}

#ifdef CONFIG_PREEMPT_COUNT
#define may_be_preempted() (preemptible() && !sim_self->atomic_depth)
#else
#define may_be_preempted() false /* nobody counts */
#endif

static void enter_atomic(const void *caller)
{
	if (may_be_preempted())
		sim_report(SIM_REPORT_RCU, caller,
			   "WARNING: srcu_read_lock() of an atomic SRCU domain with preemption "
			   "enabled");
	sim_self->atomic_depth++;
}

SUPPLY(int, __srcu_read_lock, struct srcu_struct *ssp)
{
	struct sim_task *t = sim_self;
	int idx = sim_srcu_read_lock(domain(ssp));

	if (unlikely(irqsim_srcu_is_atomic(ssp)))
		enter_atomic(CALLER);

	if (likely(t->nr_srcu < SIM_SRCU_HELD_MAX))
		t->srcu[t->nr_srcu] = (struct sim_srcu_hold){ ssp, CALLER, idx, t->cpu };
	t->nr_srcu++;
	return idx;
}

SUPPLY(void, __srcu_read_unlock, struct srcu_struct *ssp, int idx)
{
	struct sim_task *t = sim_self;
	int i = srcu_section(t, ssp, idx);

	if (unlikely(i < 0 && t->nr_srcu <= SIM_SRCU_HELD_MAX)) {
		sim_report(
			SIM_REPORT_RCU, CALLER,
			"WARNING: srcu_read_unlock() of index %d: %s/%d is in no such read section",
			idx, t->comm, t->pid);
		return;
	}
	srcu_section_left(t, i);
	sim_srcu_read_unlock(domain(ssp), idx);
	if (unlikely(irqsim_srcu_is_atomic(ssp)))
		t->atomic_depth--;
}

/* A section of no task's: another may end it (linux/srcu.h of sim/headers). */
SUPPLY(int, irqsim_srcu_down_read, struct srcu_struct *ssp)
{
	if (unlikely(irqsim_srcu_is_atomic(ssp)))
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: srcu_down_read() of an atomic SRCU domain");
	return sim_srcu_read_lock(domain(ssp));
}

SUPPLY(void, irqsim_srcu_up_read, struct srcu_struct *ssp, int idx)
{
	sim_srcu_read_unlock(domain(ssp), idx);
}

void sim_srcu_abandon(const struct sim_srcu_hold *hold)
{
	sim_srcu_read_unlock(domain((struct srcu_struct *)hold->domain), hold->idx);
}

void irqsim_srcu_wait(void *ssp, const void *caller)
{
	sim_srcu_synchronize(domain(ssp));
}

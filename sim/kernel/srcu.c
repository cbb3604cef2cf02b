// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/srcu.h. A domain's per-CPU part is the host's; the pointer that would lead to it leads
 * there. Every task knows the read sections it is in, so that waiting for oneself is reported, not
 * hung.
 */
#include <linux/rcupdate.h>
#include <linux/srcu.h>

#include <sim/ops.h>
#include <sim/report.h>
#include <sim/sync.h>

#include "lockdep.h"
#include "supply.h"

static struct sim_srcu *host_side(struct srcu_struct *ssp)
{
	return (struct sim_srcu *)READ_ONCE(ssp->sda);
}

/* DEFINE_SRCU() domains are made by whoever uses them first. */
static struct sim_srcu *domain(struct srcu_struct *ssp)
{
	struct sim_srcu *s = host_side(ssp), *won;

	if (likely(s))
		return s;

	s = sim_srcu_new();
	BUG_ON(!s);
	won = cmpxchg((struct sim_srcu **)&ssp->sda, NULL, s);
	if (!won)
		return s;
	sim_srcu_delete(s);
	return won;
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
	sim_srcu_delete(s);
	ssp->sda = NULL;
}

SUPPLY(int, __srcu_read_lock, struct srcu_struct *ssp)
{
	struct sim_task *t = sim_self;
	int idx = sim_srcu_read_lock(domain(ssp));

	if (likely(t->nr_srcu < SIM_SRCU_HELD_MAX))
		t->srcu[t->nr_srcu] = (struct sim_srcu_hold){ ssp, CALLER, idx, t->cpu };
	t->nr_srcu++;
	return idx;
}

/* Index in t->srcu of the innermost section of @ssp with @idx (-1: any index), or -1. */
static int find_section(const struct sim_task *t, const struct srcu_struct *ssp, int idx)
{
	int i = min(t->nr_srcu, SIM_SRCU_HELD_MAX) - 1;

	for (; i >= 0; i--)
		if (t->srcu[i].domain == ssp && (idx < 0 || t->srcu[i].idx == idx))
			break;
	return i;
}

SUPPLY(void, __srcu_read_unlock, struct srcu_struct *ssp, int idx)
{
	struct sim_task *t = sim_self;
	int i = find_section(t, ssp, idx);

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
	sim_srcu_read_unlock(domain(ssp), idx);
}

void sim_srcu_abandon(const struct sim_srcu_hold *hold)
{
	sim_srcu_read_unlock(domain((struct srcu_struct *)hold->domain), hold->idx);
}

static void synchronize(struct srcu_struct *ssp, const char *what, const void *caller)
{
	int i = find_section(sim_self, ssp, -1);
	char where[160];

	sim_may_sleep(what, caller);
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
	sim_srcu_synchronize(domain(ssp));
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rcupdate.h, one task.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include <kcase.h>
#include <sim/fault.h>
#include <sim/mm.h>
#include <sim/report.h>
#include <sim/sync.h>

struct object {
	int value;
	struct rcu_head rcu;
};

static struct object __rcu *published;
static int freed, order[3];

static void free_object(struct rcu_head *head)
{
	struct object *o = container_of(head, struct object, rcu);

	order[freed++] = o->value;
	kfree(o);
}

static struct object *object_of(int value)
{
	struct object *o = kzalloc(sizeof(*o), GFP_KERNEL);

	o->value = value;
	return o;
}

static void callbacks_run_in_order_after_grace_period(void)
{
	int i;

	freed = 0;
	for (i = 0; i < 3; i++)
		call_rcu(&object_of(i + 1)->rcu, free_object);
	rcu_barrier();
	KEXPECT_EQ(freed, 3);
	for (i = 0; i < 3; i++)
		KEXPECT_EQ(order[i], i + 1);
}

static void callback_waits_for_the_call_to_end(void)
{
	struct object *o = object_of(7);

	freed = 0;
	rcu_read_lock();
	call_rcu(&o->rcu, free_object);
	rcu_read_unlock();
	KEXPECT_EQ(freed, 0);
	sim_rcu_run_callbacks();
	KEXPECT_EQ(freed, 1);
}

static void kfree_rcu_frees(void)
{
	struct sim_mm_stats before, held, after;
	struct object *o;

	sim_rcu_run_callbacks();
	sim_mm_stats(&before);
	o = object_of(1);
	kfree_rcu(o, rcu);
	sim_mm_stats(&held);
	sim_rcu_run_callbacks();
	sim_mm_stats(&after);
	KEXPECT(held.live_objects > before.live_objects);
	KEXPECT_EQ(after.live_objects, before.live_objects);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* A batch that comes while another waits; no memory may be asked for, nor sleep be needed. */
static void kfree_rcu_needs_no_memory(void)
{
	struct sim_fault_attr all = { .probability = 100, .interval = 1, .times = -1 };
	static DEFINE_SPINLOCK(lock);
	struct sim_mm_stats before, after;
	struct object *o[8];
	int i;

	sim_rcu_run_callbacks();
	sim_mm_stats(&before);
	for (i = 0; i < ARRAY_SIZE(o); i++)
		o[i] = object_of(i);
	sim_fault_set(SIM_FAILSLAB, &all);
	sim_fault_set(SIM_FAIL_PAGE_ALLOC, &all);
	spin_lock(&lock);
	for (i = 0; i < ARRAY_SIZE(o); i++)
		kfree_rcu(o[i], rcu);
	spin_unlock(&lock);
	sim_fault_clear();
	sim_rcu_run_callbacks();
	sim_mm_stats(&after);
	KEXPECT_EQ(after.live_objects, before.live_objects);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void kvfree_rcu_mightsleep_frees(void)
{
	struct sim_mm_stats before, after;

	sim_mm_stats(&before);
	kfree_rcu_mightsleep(object_of(1));
	sim_mm_stats(&after);
	KEXPECT_EQ(after.live_objects, before.live_objects);
}

static void reader_sees_what_was_published(void)
{
	struct object *o = object_of(42), *seen;

	rcu_assign_pointer(published, o);
	rcu_read_lock();
	seen = rcu_dereference(published);
	KEXPECT_EQ(seen->value, 42);
	rcu_read_unlock();
	RCU_INIT_POINTER(published, NULL);
	synchronize_rcu();
	kfree(o);
}

static void grace_period_in_reader(void)
{
	rcu_read_lock();
	synchronize_rcu();
	rcu_read_unlock();
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_ATOMIC_SLEEP,
				      "BUG: sleeping function called from invalid context",
				      __func__),
		   1);
	KEXPECT_EQ(
		sim_kcase_reported(SIM_REPORT_RCU, "WARNING: suspicious RCU usage",
				   "Illegal synchronize_rcu() in RCU read-side critical section"),
		1);
}

static void unlock_without_lock(void)
{
	__rcu_read_unlock();
	KEXPECT_EQ(
		sim_kcase_reported(SIM_REPORT_RCU, "WARNING: rcu_read_unlock() without", __func__),
		1);
}

#ifdef CONFIG_PROVE_RCU
static void dereference_outside_reader(void)
{
	(void)rcu_dereference(published);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU, "WARNING: suspicious RCU usage", __func__),
		   1);
	rcu_read_lock();
	(void)rcu_dereference(published);
	rcu_read_unlock();
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void dereference_under_update_lock(void)
{
	static DEFINE_MUTEX(update);

	mutex_lock(&update);
	(void)rcu_dereference_protected(published, lockdep_is_held(&update));
	(void)rcu_dereference_check(published, lockdep_is_held(&update));
	mutex_unlock(&update);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	(void)rcu_dereference_protected(published, lockdep_is_held(&update));
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU, "WARNING: suspicious RCU usage", "rcu.c:"),
		   1);
}
#endif

KCASE_LIST(rcu, KERNEL_CASE(callbacks_run_in_order_after_grace_period),
	   KERNEL_CASE(reader_sees_what_was_published),
	   SIM_CASE(callback_waits_for_the_call_to_end), SIM_CASE(kfree_rcu_frees),
	   SIM_CASE(kfree_rcu_needs_no_memory), SIM_CASE(kvfree_rcu_mightsleep_frees),
	   SIM_CASE(grace_period_in_reader), SIM_CASE(unlock_without_lock),
#ifdef CONFIG_PROVE_RCU
	   SIM_CASE(dereference_outside_reader), SIM_CASE(dereference_under_update_lock),
#endif
);

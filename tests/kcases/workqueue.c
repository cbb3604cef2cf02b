// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/workqueue.h: what runs when, and what is over when a call returns.
 */
#include <linux/completion.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <kcase.h>
#include <sim/report.h>

struct counted {
	struct work_struct work;
	atomic_t runs, inside, twice;
	struct completion *begun, *go_on;
	int left; /* queues itself so often */
	struct workqueue_struct *wq;
};

static void run(struct work_struct *work)
{
	struct counted *c = container_of(work, struct counted, work);

	if (atomic_inc_return(&c->inside) != 1)
		atomic_inc(&c->twice);
	if (c->begun)
		complete(c->begun);
	if (c->go_on)
		wait_for_completion(c->go_on);
	if (c->left-- > 0)
		queue_work(c->wq, work);
	atomic_inc(&c->runs);
	atomic_dec(&c->inside);
}

static void init(struct counted *c)
{
	memset(c, 0, sizeof(*c));
	INIT_WORK(&c->work, run);
}

static struct counted a, b, c;

static void queued_once_until_it_begins(void)
{
	DECLARE_COMPLETION_ONSTACK(begun);
	DECLARE_COMPLETION_ONSTACK(go_on);

	init(&a);
	a.begun = &begun;
	a.go_on = &go_on;
	KEXPECT(schedule_work(&a.work));
	wait_for_completion(&begun);
	/* It runs: it can be queued, once. */
	KEXPECT(!work_pending(&a.work));
	KEXPECT(schedule_work(&a.work));
	KEXPECT(!schedule_work(&a.work));
	KEXPECT_EQ(work_busy(&a.work), WORK_BUSY_PENDING | WORK_BUSY_RUNNING);
	complete_all(&go_on);
	KEXPECT(flush_work(&a.work));
	KEXPECT_EQ(atomic_read(&a.runs), 2);
	KEXPECT_EQ(atomic_read(&a.twice), 0);
	KEXPECT(!flush_work(&a.work));
}

/* A pool that has one item running begins the next one only where that sleeps. */
static void another_starts_when_one_sleeps(void)
{
	DECLARE_COMPLETION_ONSTACK(go_on);

	init(&a);
	init(&b);
	a.go_on = &go_on;
	schedule_work(&a.work);
	schedule_work(&b.work);
	flush_work(&b.work);
	KEXPECT_EQ(atomic_read(&b.runs), 1);
	KEXPECT_EQ(atomic_read(&a.runs), 0);
	complete(&go_on);
	flush_work(&a.work);
	KEXPECT_EQ(atomic_read(&a.runs), 1);
}

static void max_active_holds(unsigned int flags)
{
	struct workqueue_struct *wq = alloc_workqueue("kcase", flags, 1);
	DECLARE_COMPLETION_ONSTACK(begun);
	DECLARE_COMPLETION_ONSTACK(go_on);

	init(&a);
	init(&b);
	a.begun = &begun;
	a.go_on = &go_on;
	queue_work(wq, &a.work);
	queue_work(wq, &b.work);
	wait_for_completion(&begun);
	/* Another queue of the same pool is not held up. */
	init(&c);
	schedule_work(&c.work);
	flush_work(&c.work);
	KEXPECT_EQ(atomic_read(&b.runs), 0);
	KEXPECT(work_pending(&b.work));
	complete(&go_on);
	flush_workqueue(wq);
	KEXPECT_EQ(atomic_read(&a.runs), 1);
	KEXPECT_EQ(atomic_read(&b.runs), 1);
	destroy_workqueue(wq);
}

static void one_at_a_time(void)
{
	max_active_holds(0);
	max_active_holds(WQ_UNBOUND);
	max_active_holds(WQ_HIGHPRI);
	max_active_holds(WQ_UNBOUND | __WQ_ORDERED);
}

static void unbound_items_run_together(void)
{
	struct workqueue_struct *wq = alloc_workqueue("kcase", WQ_UNBOUND, 0);
	DECLARE_COMPLETION_ONSTACK(begun);
	DECLARE_COMPLETION_ONSTACK(go_on);

	init(&a);
	init(&b);
	a.begun = b.begun = &begun;
	a.go_on = b.go_on = &go_on;
	queue_work(wq, &a.work);
	queue_work(wq, &b.work);
	wait_for_completion(&begun);
	wait_for_completion(&begun);
	complete_all(&go_on);
	destroy_workqueue(wq);
	KEXPECT_EQ(atomic_read(&a.runs) + atomic_read(&b.runs), 2);
}

static void flush_waits_for_what_was_queued(void)
{
	struct workqueue_struct *wq = alloc_workqueue("kcase", WQ_UNBOUND, 1);
	int i;

	for (i = 0; i < 300; i++) {
		init(&a);
		init(&b);
		queue_work(wq, &a.work);
		queue_work(wq, &b.work);
		flush_workqueue(wq);
		KEXPECT_EQ(atomic_read(&a.runs) + atomic_read(&b.runs), 2);
	}
	flush_workqueue(wq);
	destroy_workqueue(wq);
}

/* drain_workqueue() and destroy_workqueue() see an item through that queues itself. */
static void drained_to_the_end(void)
{
	struct workqueue_struct *wq = alloc_workqueue("kcase", 0, 0);

	init(&a);
	a.wq = wq;
	a.left = 20;
	queue_work(wq, &a.work);
	drain_workqueue(wq);
	KEXPECT_EQ(atomic_read(&a.runs), 21);
	a.left = 3;
	queue_work(wq, &a.work);
	destroy_workqueue(wq);
	KEXPECT_EQ(atomic_read(&a.runs), 25);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* ---- cancelling ---- */

static void cancelled_before_it_begins(void)
{
	struct workqueue_struct *wq = alloc_workqueue("kcase", 0, 1);
	DECLARE_COMPLETION_ONSTACK(begun);
	DECLARE_COMPLETION_ONSTACK(go_on);

	init(&a);
	init(&b);
	init(&c);
	a.begun = &begun;
	a.go_on = &go_on;
	queue_work(wq, &a.work);
	wait_for_completion(&begun);
	queue_work(wq, &b.work);
	queue_work(wq, &c.work);
	KEXPECT(cancel_work_sync(&b.work));
	KEXPECT(!cancel_work_sync(&b.work));
	KEXPECT(cancel_work(&c.work));
	KEXPECT(queue_work(wq, &c.work));
	complete(&go_on);
	destroy_workqueue(wq);
	KEXPECT_EQ(atomic_read(&b.runs), 0);
	KEXPECT_EQ(atomic_read(&c.runs), 1);
}

/* However it is met, it is over afterwards, though it queues itself again and again. */
static void cancelled_while_it_runs(void)
{
	int i, runs;

	for (i = 0; i < 300; i++) {
		init(&a);
		a.wq = system_unbound_wq;
		a.left = 1000000;
		queue_work(a.wq, &a.work);
		cancel_work_sync(&a.work);
		KEXPECT_EQ(work_busy(&a.work), 0);
		runs = atomic_read(&a.runs);
		KEXPECT_EQ(atomic_read(&a.inside), 0);
		KEXPECT_EQ(atomic_read(&a.twice), 0);
		cpu_relax();
		KEXPECT_EQ(atomic_read(&a.runs), runs);
	}
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void cancel_from_all_sides(void)
{
	int i;

	for (i = 0; i < 300; i++) {
		queue_work(a.wq, &a.work);
		cancel_work_sync(&a.work);
		flush_work(&a.work);
	}
}

static void many_cancellers(void)
{
	init(&a);
	a.wq = system_unbound_wq;
	a.left = 1000000;
	sim_kcase_on_cpus(3, cancel_from_all_sides);
	cancel_work_sync(&a.work);
	KEXPECT_EQ(work_busy(&a.work), 0);
	KEXPECT_EQ(atomic_read(&a.twice), 0);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* ---- later ---- */

static atomic_t delayed_runs;

static void run_delayed(struct work_struct *work)
{
	atomic_inc(&delayed_runs);
}
static DECLARE_DELAYED_WORK(delayed, run_delayed);

static void delayed_work(void)
{
	atomic_set(&delayed_runs, 0);
	KEXPECT(schedule_delayed_work(&delayed, 100 * HZ));
	KEXPECT(!schedule_delayed_work(&delayed, 0));
	KEXPECT(delayed_work_pending(&delayed));
	KEXPECT(cancel_delayed_work(&delayed));
	KEXPECT(!cancel_delayed_work(&delayed));
	KEXPECT_EQ(atomic_read(&delayed_runs), 0);

	KEXPECT(schedule_delayed_work(&delayed, 100 * HZ));
	KEXPECT(mod_delayed_work(system_wq, &delayed, 1));
	while (!atomic_read(&delayed_runs))
		schedule_timeout_uninterruptible(1);
	cancel_delayed_work_sync(&delayed);
	KEXPECT_EQ(atomic_read(&delayed_runs), 1);

	/* Flushing does not wait for the time. */
	schedule_delayed_work(&delayed, 100 * HZ);
	KEXPECT(flush_delayed_work(&delayed));
	KEXPECT_EQ(atomic_read(&delayed_runs), 2);
	KEXPECT(!mod_delayed_work(system_wq, &delayed, 100 * HZ));
	KEXPECT(cancel_delayed_work_sync(&delayed));
	KEXPECT_EQ(atomic_read(&delayed_runs), 2);
}

static void queue_and_cancel_delayed(void)
{
	int i;

	for (i = 0; i < 200; i++) {
		mod_delayed_work(system_wq, &delayed, i % 3);
		if (i % 2)
			cancel_delayed_work(&delayed);
		else
			cancel_delayed_work_sync(&delayed);
	}
}

static void delayed_work_from_all_sides(void)
{
	sim_kcase_on_cpus(3, queue_and_cancel_delayed);
	cancel_delayed_work_sync(&delayed);
	KEXPECT_EQ(work_busy(&delayed.work), 0);
	KEXPECT(!timer_pending(&delayed.timer));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static struct rcu_work after_gp;
static DECLARE_COMPLETION(after_gp_ran);

static void run_after_gp(struct work_struct *work)
{
	complete(&after_gp_ran);
}

static void rcu_work(void)
{
	INIT_RCU_WORK(&after_gp, run_after_gp);
	KEXPECT(queue_rcu_work(system_wq, &after_gp));
	KEXPECT(!queue_rcu_work(system_wq, &after_gp));
	KEXPECT(flush_rcu_work(&after_gp));
	KEXPECT(try_wait_for_completion(&after_gp_ran));
	KEXPECT(!flush_rcu_work(&after_gp));
}

static void flush_under_spinlock(void)
{
	static DEFINE_SPINLOCK(lock);

	init(&a);
	spin_lock(&lock);
	flush_work(&a.work);
	spin_unlock(&lock);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_ATOMIC_SLEEP,
				      "BUG: sleeping function called from invalid context",
				      __func__),
		   1);
}

#ifdef CONFIG_LOCKDEP
static DEFINE_MUTEX(held);

static void takes_mutex(struct work_struct *work)
{
	mutex_lock(&held);
	mutex_unlock(&held);
}
static DECLARE_WORK(locker, takes_mutex);

/* The item's function takes what the flusher holds: seen though it did not happen. */
static void flush_that_could_deadlock(void)
{
	schedule_work(&locker);
	flush_work(&locker);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	mutex_lock(&held);
	flush_work(&locker);
	mutex_unlock(&held);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_LOCKDEP,
				      "WARNING: possible circular locking dependency detected",
				      __func__),
		   1);
}
#endif

KCASE_LIST(workqueue, KERNEL_CASE(queued_once_until_it_begins),
	   KERNEL_CASE(another_starts_when_one_sleeps), KERNEL_CASE(one_at_a_time),
	   KERNEL_CASE(unbound_items_run_together), KERNEL_CASE(flush_waits_for_what_was_queued),
	   SIM_CASE(drained_to_the_end), KERNEL_CASE(cancelled_before_it_begins),
	   SIM_CASE(cancelled_while_it_runs), SIM_CASE(many_cancellers), KERNEL_CASE(delayed_work),
	   SIM_CASE(delayed_work_from_all_sides), KERNEL_CASE(rcu_work),
	   SIM_CASE(flush_under_spinlock),
#ifdef CONFIG_LOCKDEP
	   SIM_CASE(flush_that_could_deadlock),
#endif
);

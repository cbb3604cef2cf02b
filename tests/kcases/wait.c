// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/wait.h, completion.h and kthread.h: who is woken, and that nobody sleeps through it.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include <kcase.h>
#include <sim/report.h>

#define ROUNDS 2000

/* ---- entries and their functions ---- */

static int calls, ret_of_last;

struct recorder {
	struct wait_queue_entry entry;
	int id, returns;
};
static int order[8];

static int record(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	struct recorder *r = container_of(entry, struct recorder, entry);

	if (calls < (int)ARRAY_SIZE(order))
		order[calls] = r->id;
	calls++;
	return r->returns;
}

static struct recorder recorder(int id, int returns)
{
	struct recorder r = { .id = id, .returns = returns };

	init_waitqueue_func_entry(&r.entry, record);
	return r;
}

static void expect_order(int nr, const int *ids)
{
	int i;

	KEXPECT_EQ(calls, nr);
	for (i = 0; i < nr && i < calls; i++)
		KEXPECT_EQ(order[i], ids[i]);
	calls = 0;
}

/* Those that are not exclusive come first, newest first; exclusive ones in the order they came. */
static void one_exclusive_is_woken(void)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(head);
	struct recorder shared1 = recorder(1, 1), shared2 = recorder(2, 1);
	struct recorder first = recorder(3, 1), second = recorder(4, 1);

	calls = 0;
	add_wait_queue_exclusive(&head, &first.entry);
	add_wait_queue(&head, &shared1.entry);
	add_wait_queue_exclusive(&head, &second.entry);
	add_wait_queue(&head, &shared2.entry);
	wake_up(&head);
	expect_order(3, (int[]){ 2, 1, 3 });
	wake_up_nr(&head, 2);
	expect_order(4, (int[]){ 2, 1, 3, 4 });
	wake_up_all(&head);
	expect_order(4, (int[]){ 2, 1, 3, 4 });
	remove_wait_queue(&head, &shared1.entry);
	remove_wait_queue(&head, &shared2.entry);
	/* One that did not wake uses nothing up. */
	first.returns = 0;
	wake_up(&head);
	expect_order(2, (int[]){ 3, 4 });
	remove_wait_queue(&head, &first.entry);
	remove_wait_queue(&head, &second.entry);
	KEXPECT(!waitqueue_active(&head));
}

/* A priority waiter sees the event first, and by its answer alone. */
static void priority_waiter_comes_first(void)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(head);
	struct recorder shared = recorder(1, 1), priority = recorder(2, 0);

	calls = 0;
	add_wait_queue_priority(&head, &priority.entry);
	add_wait_queue(&head, &shared.entry);
	wake_up(&head);
	expect_order(2, (int[]){ 2, 1 });
	priority.returns = -EINVAL;
	wake_up(&head);
	expect_order(1, (int[]){ 2 });
	remove_wait_queue(&head, &priority.entry);
	remove_wait_queue(&head, &shared.entry);
}

static void wake_under_the_lock(void)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(head);
	struct recorder r = recorder(1, 1);
	unsigned long flags;

	calls = 0;
	add_wait_queue(&head, &r.entry);
	spin_lock_irqsave(&head.lock, flags);
	wake_up_locked(&head);
	spin_unlock_irqrestore(&head.lock, flags);
	expect_order(1, (int[]){ 1 });
	remove_wait_queue(&head, &r.entry);
}

/* ---- sleeping ---- */

static DECLARE_WAIT_QUEUE_HEAD(queue);
static int turn, nr_waited;

/* Each CPU waits for its turn and hands it on: one wake-up lost and nobody goes on. */
static atomic_t next_id;

static void take_turns(void)
{
	int me = atomic_inc_return(&next_id) - 1, i;

	for (i = 0; i < ROUNDS; i++) {
		wait_event(queue, READ_ONCE(turn) % 3 == me);
		WRITE_ONCE(turn, READ_ONCE(turn) + 1);
		wake_up_all(&queue);
	}
}

static void no_wakeup_is_lost(void)
{
	turn = 0;
	atomic_set(&next_id, 0);
	sim_kcase_on_cpus(3, take_turns);
	KEXPECT_EQ(turn, 3 * ROUNDS);
	KEXPECT(!waitqueue_active(&queue));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* Exclusive waiters and single wake-ups: each is used by exactly one. */
static int tokens;
static DEFINE_SPINLOCK(token_lock);

static bool take_token(void)
{
	bool got;

	spin_lock(&token_lock);
	got = tokens > 0;
	tokens -= got;
	spin_unlock(&token_lock);
	return got;
}

static void produce_or_consume(void)
{
	int me = atomic_inc_return(&next_id) - 1, i;

	for (i = 0; i < ROUNDS; i++) {
		if (me) {
			KEXPECT_EQ(wait_event_interruptible_exclusive(queue, take_token()), 0);
			continue;
		}
		for (ret_of_last = 0; ret_of_last < 2; ret_of_last++) {
			spin_lock(&token_lock);
			tokens++;
			spin_unlock(&token_lock);
			wake_up(&queue);
		}
	}
}

static void exclusive_wakeups_are_used(void)
{
	tokens = 0;
	atomic_set(&next_id, 0);
	sim_kcase_on_cpus(3, produce_or_consume);
	KEXPECT_EQ(tokens, 0);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void timeout_ends_a_wait(void)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(head);
	DECLARE_COMPLETION_ONSTACK(done);
	unsigned long before = jiffies;

	KEXPECT_EQ(wait_event_timeout(head, false, 2), 0);
	KEXPECT(time_after_eq(jiffies, before + 2));
	KEXPECT_EQ(wait_for_completion_timeout(&done, 1), 0);
	complete(&done);
	KEXPECT(wait_for_completion_timeout(&done, 1) > 0);
	KEXPECT(wait_event_timeout(head, true, 1) > 0);
}

static void woken_between_two_waits(void)
{
	DECLARE_WAIT_QUEUE_HEAD_ONSTACK(head);
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(&head, &wait);
	wake_up(&head);
	/* It came before: no sleep, and all of the time is left. */
	KEXPECT_EQ(wait_woken(&wait, TASK_INTERRUPTIBLE, 100), 100);
	KEXPECT_EQ(wait_woken(&wait, TASK_INTERRUPTIBLE, 1), 0);
	remove_wait_queue(&head, &wait);
}

static void sleep_under_spinlock(void)
{
	DECLARE_COMPLETION_ONSTACK(done);

	complete(&done);
	spin_lock(&token_lock);
	wait_for_completion(&done);
	spin_unlock(&token_lock);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_ATOMIC_SLEEP,
				      "BUG: sleeping function called from invalid context",
				      __func__),
		   1);
}

/* ---- completions ---- */

static DECLARE_COMPLETION(start);
static atomic_t through;

static void pass(void)
{
	wait_for_completion(&start);
	atomic_inc(&through);
}

static void complete_all_lets_everybody_through(void)
{
	reinit_completion(&start);
	atomic_set(&through, 0);
	complete_all(&start);
	KEXPECT(completion_done(&start));
	sim_kcase_on_cpus(4, pass);
	KEXPECT_EQ(atomic_read(&through), 4);
	KEXPECT(try_wait_for_completion(&start));
}

static void complete_counts(void)
{
	DECLARE_COMPLETION_ONSTACK(done);

	complete(&done);
	complete(&done);
	KEXPECT(try_wait_for_completion(&done));
	wait_for_completion(&done);
	KEXPECT(!try_wait_for_completion(&done));
	KEXPECT(!completion_done(&done));
}

/* ---- kernel threads ---- */

static int loops;

static DECLARE_COMPLETION(begun);

static int until_stopped(void *data)
{
	complete(&begun);
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		(*(int *)data)++;
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 42;
}

static void kthread_stops_with_its_result(void)
{
	struct task_struct *task;
	int i;

	for (i = 0; i < 200; i++) {
		task = kthread_run(until_stopped, &loops, "kcase/%d", i);
		KEXPECT(!IS_ERR(task));
		KEXPECT_EQ(strncmp(task->comm, "kcase/", 6), 0);
		wait_for_completion(&begun);
		wake_up_process(task);
		KEXPECT_EQ(kthread_stop(task), 42);
	}
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* Stopped before it was ever woken: its function is not called (kthread_create_on_node()). */
static void kthread_never_begun(void)
{
	struct task_struct *task = kthread_create(until_stopped, &loops, "never");

	loops = 0;
	KEXPECT_EQ(kthread_stop(task), -EINTR);
	KEXPECT_EQ(loops, 0);
}

static DECLARE_COMPLETION(gone);

static int exits_early(void *data)
{
	kthread_complete_and_exit(&gone, 7);
	nr_waited++;
	return 0;
}

static void kthread_exits_from_within(void)
{
	struct task_struct *task;

	nr_waited = 0;
	reinit_completion(&gone);
	task = kthread_create(exits_early, NULL, "early");
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&gone);
	KEXPECT_EQ(kthread_stop_put(task), 7);
	KEXPECT_EQ(nr_waited, 0);
}

static int parks(void *data)
{
	while (!kthread_should_stop()) {
		if (kthread_should_park())
			kthread_parkme();
		WRITE_ONCE(loops, READ_ONCE(loops) + 1);
		cond_resched();
	}
	return 0;
}

static void parked_kthread_stands_still(void)
{
	struct task_struct *task = kthread_run(parks, NULL, "parks");
	int seen;

	KEXPECT_EQ(kthread_park(task), 0);
	seen = READ_ONCE(loops);
	schedule_timeout_uninterruptible(2);
	KEXPECT_EQ(READ_ONCE(loops), seen);
	kthread_unpark(task);
	while (READ_ONCE(loops) == seen)
		schedule_timeout_uninterruptible(1);
	KEXPECT_EQ(kthread_stop(task), 0);
}

KCASE_LIST(wait, KERNEL_CASE(one_exclusive_is_woken), KERNEL_CASE(priority_waiter_comes_first),
	   KERNEL_CASE(wake_under_the_lock), SIM_CASE(no_wakeup_is_lost),
	   SIM_CASE(exclusive_wakeups_are_used), KERNEL_CASE(timeout_ends_a_wait),
	   KERNEL_CASE(woken_between_two_waits), SIM_CASE(sleep_under_spinlock),
	   SIM_CASE(complete_all_lets_everybody_through), KERNEL_CASE(complete_counts),
	   SIM_CASE(kthread_stops_with_its_result), KERNEL_CASE(kthread_never_begun),
	   KERNEL_CASE(kthread_exits_from_within), KERNEL_CASE(parked_kthread_stands_still));

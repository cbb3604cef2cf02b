// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small programs on what tasks wait with: wait queues, completions, kernel threads, workqueues,
 * timers.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "programs.h"

static int flag, result;

/* ---- wait queues ---- */

static DECLARE_WAIT_QUEUE_HEAD(queue);

static void raise_flag(void)
{
	WRITE_ONCE(flag, 1);
	wake_up(&queue);
}

static void wait_for_flag(unsigned int n)
{
	if (n) {
		raise_flag();
		return;
	}
	wait_event(queue, READ_ONCE(flag));
	DET_CHECK(READ_ONCE(flag) == 1);
}

/* It looks before it is on the queue, and not again. */
static void wait_without_looking(unsigned int n)
{
	DEFINE_WAIT(wait);

	if (n) {
		raise_flag();
		return;
	}
	if (READ_ONCE(flag))
		return;
	prepare_to_wait(&queue, &wait, TASK_UNINTERRUPTIBLE);
	schedule();
	finish_wait(&queue, &wait);
}

PROGRAM(wait_flag, "wait-flag", "wait_event() against wake_up()", 2, .actor = wait_for_flag);
PROGRAM(wait_lost, "wait-lost", "the waiter looks at its condition before it is on the queue only",
	2, .actor = wait_without_looking, .expects = "deadlock");

/*
 * Permits for exclusive waiters, one wake-up for each. The condition takes one: it has to be looked
 * at under the queue's lock, which a waiter holds until it is off the queue.
 */
static int permits;

static bool take_permit(void)
{
	return permits && permits--;
}

static void give_or_take_permit(unsigned int n)
{
	spin_lock(&queue.lock);
	if (n) {
		DET_CHECK(!wait_event_interruptible_exclusive_locked(queue, take_permit()));
	} else {
		permits++;
		wake_up_locked(&queue);
	}
	spin_unlock(&queue.lock);
}

static void give_two_permits(unsigned int n)
{
	give_or_take_permit(n);
	if (!n)
		give_or_take_permit(n);
}

static void no_permit_left(void)
{
	DET_CHECK(!permits);
	DET_CHECK(!waitqueue_active(&queue));
}

PROGRAM(wait_exclusive, "wait-exclusive", "two exclusive waiters, woken one at a time", 3,
	.actor = give_two_permits, .final = no_permit_left);

/*
 * Without the lock, a waiter that comes by a permit is on the queue still until finish_wait(): the
 * wake-up of the next permit may be spent on it, and the other waiter sleeps on beside that permit.
 */
static atomic_t open_permits;

static void setup_open_permits(void)
{
	atomic_set(&open_permits, 0);
}

static void take_open_permit(unsigned int n)
{
	if (n) {
		DET_CHECK(!wait_event_interruptible_exclusive(
			queue, atomic_add_unless(&open_permits, -1, 0)));
		return;
	}
	atomic_inc(&open_permits);
	wake_up(&queue);
	atomic_inc(&open_permits);
	wake_up(&queue);
}

PROGRAM(wait_exclusive_open, "wait-exclusive-open",
	"the same where a permit is taken without the queue's lock: a wake-up is lost", 3,
	.setup = setup_open_permits, .actor = take_open_permit, .expects = "deadlock");

/* ---- completions: on the stack of the one who waits, who goes when it is complete ---- */

static struct completion *waiting;

static void wait_for_other(unsigned int n)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct completion *x;

	if (n) {
		while (!(x = smp_load_acquire(&waiting)))
			cpu_relax();
		result = 7;
		complete(x);
		return;
	}
	smp_store_release(&waiting, &done);
	wait_for_completion(&done);
	DET_CHECK(result == 7);
}

PROGRAM(completion_stack, "completion", "a completion on the stack of the one who waits", 2,
	.actor = wait_for_other);

/* ---- kernel threads ---- */

static int set_result(void *data)
{
	result = (int)(long)data;
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 3;
}

static void run_and_stop(unsigned int n)
{
	struct task_struct *task = kthread_run(set_result, (void *)5, "setter");
	int ret;

	DET_CHECK(!IS_ERR(task));
	ret = kthread_stop(task);
	/* Stopped before it began, or after it set what it had to. */
	DET_CHECK(ret == -EINTR || (ret == 3 && result == 5));
}

static void check_leaks(void)
{
	det_check_leaks();
}

static uint64_t result_left(void)
{
	return result;
}

PROGRAM(kthread_stop_early, "kthread-stop", "kthread_stop() against the thread's first steps", 1,
	.actor = run_and_stop, .final = check_leaks, .state = result_left);

/* ---- workqueues ---- */

static struct work_struct work;
static struct workqueue_struct *wq;
static int runs;

/* No actor's: what a CPU's contexts let in is no event there. */
#define OTHER_CPU 4

static void count_run(struct work_struct *w)
{
	runs++;
}

static void setup_work(void)
{
	INIT_WORK(&work, count_run);
	wq = alloc_workqueue("scenario", 0, 1);
	DET_CHECK(wq);
}

static void end_work(void)
{
	destroy_workqueue(wq);
	det_check_leaks();
}

/* What was written before queue_work() is there when it runs, after flush_work() what it did. */
static void queue_or_flush(unsigned int n)
{
	int before;

	if (n)
		queue_work_on(OTHER_CPU, wq, &work);
	else
		flush_work(&work);
	/* The first was queued in set-up. */
	before = data_race(runs);
	DET_CHECK(n || before == 1 || before == 2);
}

static void setup_queued_work(void)
{
	setup_work();
	queue_work_on(OTHER_CPU, wq, &work);
}

static void flush_only(unsigned int n)
{
	queue_work(wq, &work);
	flush_work(&work);
	DET_CHECK(runs == 1);
}

static uint64_t runs_left(void)
{
	return runs;
}

PROGRAM(work_flush, "work-flush", "queue_work() and flush_work()", 1, .setup = setup_work,
	.actor = flush_only, .final = end_work, .state = runs_left);
PROGRAM(work_flush_two, "work-flush-2", "flush_work() of an item that is queued again meanwhile", 2,
	.setup = setup_queued_work, .actor = queue_or_flush, .final = end_work, .state = runs_left);

/* An item in an object that goes when cancel_work_sync() has returned. */
struct job {
	struct work_struct work;
	int left;
};
static struct job *job;

static void run_again(struct work_struct *w)
{
	struct job *j = container_of(w, struct job, work);

	if (j->left--)
		queue_work(wq, w);
}

static void setup_job(void)
{
	setup_work();
	job = kzalloc(sizeof(*job), GFP_KERNEL);
	INIT_WORK(&job->work, run_again);
	job->left = 1;
	queue_work_on(OTHER_CPU, wq, &job->work);
}

static void cancel_and_free(unsigned int n)
{
	cancel_work_sync(&job->work);
	kfree(job);
}

static void cancel_unsynced(unsigned int n)
{
	cancel_work(&job->work);
	kfree(job);
}

PROGRAM(work_cancel, "work-cancel", "cancel_work_sync() of an item that queues itself", 1,
	.setup = setup_job, .actor = cancel_and_free, .final = end_work);
PROGRAM(work_cancel_unsynced, "work-cancel-unsynced", "an item freed after cancel_work() alone", 1,
	.setup = setup_job, .actor = cancel_unsynced, .expects = "kasan");

/* A pool's next item starts when the one that runs sleeps: the first waits for the second. */
static struct work_struct second;
static DECLARE_COMPLETION(second_ran);

static void wait_for_second(struct work_struct *w)
{
	wait_for_completion(&second_ran);
	runs++;
}

static void run_second(struct work_struct *w)
{
	complete(&second_ran);
}

static void setup_two(void)
{
	INIT_WORK(&work, wait_for_second);
	INIT_WORK(&second, run_second);
	reinit_completion(&second_ran);
}

static void setup_two_queued(void)
{
	setup_two();
	queue_work_on(OTHER_CPU, system_wq, &work);
	queue_work_on(OTHER_CPU, system_wq, &second);
}

static void flush_first(unsigned int n)
{
	flush_work(&work);
	DET_CHECK(runs == 1);
}

PROGRAM(work_sleeps, "work-sleeps", "an item that sleeps until another of its pool has run", 1,
	.setup = setup_two_queued, .actor = flush_first);

/* The same where only one may be active. */
static void setup_two_limited(void)
{
	setup_two();
	wq = alloc_workqueue("scenario", 0, 1);
}

static void queue_two_limited(unsigned int n)
{
	queue_work(wq, &work);
	queue_work(wq, &second);
	flush_work(&work);
}

PROGRAM(work_starves, "work-starves", "the same on a workqueue with max_active 1", 1,
	.setup = setup_two_limited, .actor = queue_two_limited, .expects = "deadlock");

/* ---- timers ---- */

struct timed {
	struct timer_list timer;
	struct hrtimer hr;
	int fired;
};
static struct timed *timed;

static void on_timer(struct timer_list *t)
{
	struct timed *o = from_timer(o, t, timer);

	o->fired++;
}

static void setup_timer(void)
{
	timed = kzalloc(sizeof(*timed), GFP_KERNEL);
	timer_setup(&timed->timer, on_timer, 0);
}

static void arm_and_delete(unsigned int n)
{
	int deleted, fired;

	mod_timer(&timed->timer, jiffies + 1);
	deleted = del_timer_sync(&timed->timer);
	fired = timed->fired;
	DET_CHECK(deleted + fired == 1);
	result = fired;
	kfree(timed);
}

static void delete_unsynced(unsigned int n)
{
	if (n) {
		mod_timer(&timed->timer, jiffies + 1);
		return;
	}
	del_timer(&timed->timer);
	timer_shutdown(&timed->timer);
	kfree(timed);
}

PROGRAM(timer_delete_program, "timer-delete", "a timer against del_timer_sync()", 1,
	.setup = setup_timer, .actor = arm_and_delete, .final = check_leaks, .state = result_left);
PROGRAM(timer_unsynced, "timer-delete-unsynced", "an object freed after del_timer() alone", 2,
	.setup = setup_timer, .actor = delete_unsynced, .expects = "kasan");

static enum hrtimer_restart on_hrtimer(struct hrtimer *t)
{
	struct timed *o = container_of(t, struct timed, hr);

	DET_CHECK(IS_ENABLED(CONFIG_PREEMPT_RT) ? in_serving_softirq() : in_hardirq());
	o->fired++;
	hrtimer_forward_now(t, 1000);
	return HRTIMER_RESTART;
}

static void setup_hrtimer(void)
{
	timed = kzalloc(sizeof(*timed), GFP_KERNEL);
	hrtimer_init(&timed->hr, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timed->hr.function = on_hrtimer;
}

static void start_and_cancel(unsigned int n)
{
	hrtimer_start(&timed->hr, 1000, HRTIMER_MODE_REL);
	hrtimer_cancel(&timed->hr);
	result = timed->fired;
	kfree(timed);
}

PROGRAM(hrtimer_periodic, "hrtimer-cancel", "a periodic hrtimer against hrtimer_cancel()", 1,
	.setup = setup_hrtimer, .actor = start_and_cancel, .final = check_leaks,
	.state = result_left);

/* A time limit may pass at any moment. */
static void wait_with_limit(unsigned int n)
{
	if (n) {
		raise_flag();
		return;
	}
	result = wait_event_timeout(queue, READ_ONCE(flag), 10) > 0;
	DET_CHECK(!result || READ_ONCE(flag));
}

PROGRAM(wait_timeout, "wait-timeout", "wait_event_timeout() against wake_up()", 2,
	.actor = wait_with_limit, .state = result_left);

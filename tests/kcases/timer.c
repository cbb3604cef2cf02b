// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/timer.h and hrtimer.h: never early, never after a cancel, in the right context.
 */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timer.h>

#include <kcase.h>
#include <sim/report.h>

/* ---- timers ---- */

static struct timer_list timer, second;
static atomic_t fired;
static int again;
static unsigned long fired_at;
static unsigned int fired_in;
static DECLARE_COMPLETION(done);
static DECLARE_COMPLETION(go_on);

static void on_timer(struct timer_list *t)
{
	fired_at = jiffies;
	fired_in = in_softirq() ? 1 : 0;
	atomic_inc(&fired);
	if (again-- > 0)
		mod_timer(t, jiffies + 1);
	else
		complete(&done);
}

static void start(int times)
{
	atomic_set(&fired, 0);
	again = times - 1;
	reinit_completion(&done);
	timer_setup(&timer, on_timer, 0);
}

static void fires_when_it_is_due(void)
{
	unsigned long at;

	start(1);
	at = jiffies + 2;
	KEXPECT(!timer_pending(&timer));
	KEXPECT_EQ(mod_timer(&timer, at), 0);
	KEXPECT(timer_pending(&timer));
	wait_for_completion(&done);
	KEXPECT(time_after_eq(fired_at, at));
	KEXPECT_EQ(fired_in, 1);
	KEXPECT_EQ(del_timer_sync(&timer), 0);
	KEXPECT(!timer_pending(&timer));
}

static void starts_itself_anew(void)
{
	start(5);
	mod_timer(&timer, jiffies + 1);
	wait_for_completion(&done);
	KEXPECT_EQ(atomic_read(&fired), 5);
	del_timer_sync(&timer);
}

static void on_second(struct timer_list *t)
{
	/* Later than the other one, though it was armed first. */
	KEXPECT_EQ(atomic_read(&fired), 1);
	complete(&go_on);
}

static void in_order_of_time(void)
{
	start(1);
	reinit_completion(&go_on);
	timer_setup(&second, on_second, 0);
	mod_timer(&second, jiffies + 3);
	mod_timer(&timer, jiffies + 1);
	wait_for_completion(&go_on);
	KEXPECT_EQ(atomic_read(&fired), 1);
	del_timer_sync(&second);
	del_timer_sync(&timer);
}

static void deleted_before(void)
{
	start(1);
	mod_timer(&timer, jiffies + 100 * HZ);
	KEXPECT_EQ(mod_timer(&timer, jiffies + 200 * HZ), 1);
	KEXPECT_EQ(timer_reduce(&timer, jiffies + 300 * HZ), 1);
	KEXPECT(time_before(timer.expires, jiffies + 201 * HZ));
	KEXPECT_EQ(del_timer(&timer), 1);
	KEXPECT_EQ(del_timer(&timer), 0);
	KEXPECT_EQ(mod_timer_pending(&timer, jiffies + 1), 0);
	KEXPECT(!timer_pending(&timer));
	timer_shutdown_sync(&timer);
	mod_timer(&timer, jiffies);
	KEXPECT(!timer_pending(&timer));
	KEXPECT_EQ(atomic_read(&fired), 0);
}

static void on_slow(struct timer_list *t)
{
	complete(&done);
	while (!completion_done(&go_on))
		cpu_relax();
	atomic_inc(&fired);
}

static void let_go_on(void)
{
	int i;

	for (i = 0; i < 100000; i++)
		cpu_relax();
	complete_all(&go_on);
}

/* del_timer_sync() against the function while it runs: it comes back when that is over. */
static void deleted_while_it_runs(void)
{
	start(1);
	reinit_completion(&go_on);
	timer_setup(&timer, on_slow, 0);
	mod_timer(&timer, jiffies);
	wait_for_completion(&done);
	KEXPECT_EQ(try_to_del_timer_sync(&timer), -1);
	KEXPECT_EQ(del_timer(&timer), 0);
	KEXPECT_EQ(atomic_read(&fired), 0);
	let_go_on();
	KEXPECT_EQ(del_timer_sync(&timer), 0);
	KEXPECT_EQ(atomic_read(&fired), 1);
}

static void arm_and_delete(void)
{
	int i;

	for (i = 0; i < 300; i++) {
		mod_timer(&timer, jiffies + i % 2);
		if (i % 3)
			del_timer_sync(&timer);
	}
}

static void from_all_sides(void)
{
	start(1);
	sim_kcase_on_cpus(3, arm_and_delete);
	del_timer_sync(&timer);
	KEXPECT(!timer_pending(&timer));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void sleeps_in_timer(struct timer_list *t)
{
	might_sleep();
	complete(&done);
}

static void may_not_sleep(void)
{
	start(1);
	timer_setup(&timer, sleeps_in_timer, 0);
	mod_timer(&timer, jiffies);
	wait_for_completion(&done);
	del_timer_sync(&timer);
#ifdef CONFIG_DEBUG_ATOMIC_SLEEP
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_ATOMIC_SLEEP,
				      "BUG: sleeping function called from invalid context",
				      "sleeps_in_timer"),
		   1);
#endif
}

/* ---- high resolution ---- */

static struct hrtimer hr;
static int hr_left;
static ktime_t hr_at;
static bool hr_hard;

static enum hrtimer_restart on_hrtimer(struct hrtimer *t)
{
	hr_at = ktime_get();
	hr_hard = in_hardirq();
	KEXPECT(hrtimer_callback_running(t));
	atomic_inc(&fired);
	if (--hr_left > 0) {
		KEXPECT(hrtimer_forward_now(t, 100000) >= 1);
		return HRTIMER_RESTART;
	}
	complete(&done);
	return HRTIMER_NORESTART;
}

static void hr_start(enum hrtimer_mode mode, int times)
{
	atomic_set(&fired, 0);
	reinit_completion(&done);
	hr_left = times;
	hrtimer_init(&hr, CLOCK_MONOTONIC, mode);
	hr.function = on_hrtimer;
	KEXPECT(!hrtimer_active(&hr));
}

static void hr_periodic(enum hrtimer_mode mode, bool hard)
{
	ktime_t before;

	hr_start(mode, 4);
	before = ktime_get();
	hrtimer_start(&hr, 100000, mode);
	wait_for_completion(&done);
	hrtimer_cancel(&hr);
	KEXPECT(!hrtimer_active(&hr));
	KEXPECT_EQ(atomic_read(&fired), 4);
	KEXPECT(ktime_sub(hr_at, before) >= 400000);
	KEXPECT_EQ(hr_hard, hard);
}

static void hard_and_soft(void)
{
	hr_periodic(HRTIMER_MODE_REL, true);
	hr_periodic(HRTIMER_MODE_REL_HARD, true);
	hr_periodic(HRTIMER_MODE_REL_SOFT, false);
}

static void hr_cancelled(void)
{
	ktime_t at;

	hr_start(HRTIMER_MODE_ABS, 1);
	KEXPECT_EQ(hrtimer_try_to_cancel(&hr), 0);
	at = ktime_add_ns(ktime_get(), 1000 * NSEC_PER_SEC);
	hrtimer_start(&hr, at, HRTIMER_MODE_ABS);
	KEXPECT(hrtimer_active(&hr));
	KEXPECT(hrtimer_is_queued(&hr));
	KEXPECT_EQ(hrtimer_get_expires(&hr), at);
	KEXPECT(hrtimer_get_remaining(&hr) > 900 * NSEC_PER_SEC);
	KEXPECT_EQ(hrtimer_cancel(&hr), 1);
	KEXPECT_EQ(hrtimer_cancel(&hr), 0);
	KEXPECT_EQ(atomic_read(&fired), 0);
}

/* Whole intervals, until it lies after the time given. */
static void forwarded(void)
{
	hr_start(HRTIMER_MODE_ABS, 1);
	hrtimer_set_expires(&hr, 1000);
	KEXPECT_EQ(hrtimer_forward(&hr, 999, 100), 0);
	KEXPECT_EQ(hrtimer_get_expires(&hr), 1000);
	KEXPECT_EQ(hrtimer_forward(&hr, 1000, 100), 1);
	KEXPECT_EQ(hrtimer_get_expires(&hr), 1100);
	KEXPECT_EQ(hrtimer_forward(&hr, 1399, 100), 3);
	KEXPECT_EQ(hrtimer_get_expires(&hr), 1400);
}

static void hr_sleep(void)
{
	ktime_t before = ktime_get(), time = 200000;

	set_current_state(TASK_UNINTERRUPTIBLE);
	KEXPECT_EQ(schedule_hrtimeout(&time, HRTIMER_MODE_REL), 0);
	KEXPECT(ktime_sub(ktime_get(), before) >= 200000);
}

static void hr_start_and_cancel(void)
{
	int i;

	for (i = 0; i < 300; i++) {
		hrtimer_start(&hr, i % 3 * 1000, HRTIMER_MODE_REL);
		if (i % 2)
			hrtimer_cancel(&hr);
	}
}

/*
 * It is not forwarded: others may start it while it runs, and their time is theirs
 * (hrtimer_forward() is for a handler that nobody comes between).
 */
static enum hrtimer_restart restarted_or_not(struct hrtimer *t)
{
	KEXPECT(hrtimer_callback_running(t));
	return atomic_inc_return(&fired) % 2 ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void hr_from_all_sides(void)
{
	hr_start(HRTIMER_MODE_REL, 0);
	hr.function = restarted_or_not;
	sim_kcase_on_cpus(3, hr_start_and_cancel);
	hrtimer_cancel(&hr);
	KEXPECT(!hrtimer_active(&hr));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

KCASE_LIST(timer, KERNEL_CASE(fires_when_it_is_due), KERNEL_CASE(starts_itself_anew),
	   KERNEL_CASE(in_order_of_time), KERNEL_CASE(deleted_before),
	   KERNEL_CASE(deleted_while_it_runs), SIM_CASE(from_all_sides), SIM_CASE(may_not_sleep),
	   KERNEL_CASE(hard_and_soft), KERNEL_CASE(hr_cancelled), KERNEL_CASE(forwarded),
	   KERNEL_CASE(hr_sleep), SIM_CASE(hr_from_all_sides));

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/hrtimer.h. Each CPU has a queue for handlers in hard interrupt context and one for those in
 * softirqs.
 */
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "alarm.h"
#include "sleep.h"
#include "supply.h"
#include "world.h"

struct queue {
	struct list_head timers; /* by time */
	u32 turn;		 /* odd while a handler runs */
	int alarm;
	struct alarm_budget budget;
	struct hrtimer_clock_base clock; /* what inline functions look at */
};

enum { HARD, SOFT, NR_QUEUES };
static struct queue queues[NR_CPUS][NR_QUEUES];
static DEFINE_RAW_SPINLOCK(hrtimers_lock);

unsigned int hrtimer_resolution = 1;

/* ---- queues ---- */

/* An entry's rb_node has three words, and a list needs two: the kernel's tree is not here. */
static struct list_head *link_of(struct hrtimer *timer)
{
	return (struct list_head *)&timer->node.node;
}

static struct hrtimer *timer_of(struct list_head *link)
{
	return container_of((struct rb_node *)link, struct hrtimer, node.node);
}

static struct queue *queue_of(const struct hrtimer *timer)
{
	return container_of(READ_ONCE(timer->base), struct queue, clock);
}

/* The threads world has one of each kind, for the one task that serves them. */
static struct queue *own_queue(bool soft)
{
	struct queue *q = &queues[ALARM_NO_CLOCK ? world_cpu() : 0][soft];

	if (!READ_ONCE(q->clock.get_time))
		WRITE_ONCE(q->clock.get_time, ktime_get);
	return q;
}

static struct hrtimer *first_of(struct queue *q)
{
	struct list_head *link;

	if (!q->timers.next)
		return NULL;
	list_for_each(link, &q->timers)
		if (!alarm_spent(&q->budget, timer_of(link)))
			return timer_of(link);
	return NULL;
}

static u64 next_time(void *arg)
{
	struct hrtimer *timer;
	unsigned long flags;
	u64 next = U64_MAX;

	raw_spin_lock_irqsave(&hrtimers_lock, flags);
	timer = first_of(arg);
	if (timer)
		next = max_t(s64, hrtimer_get_expires(timer), 0);
	raw_spin_unlock_irqrestore(&hrtimers_lock, flags);
	return next;
}

static void fire(void *arg);

static void enqueue(struct hrtimer *timer, const void *caller)
{
	struct queue *q = queue_of(timer);
	struct list_head *at;

	if (!q->alarm) {
		q->alarm = world_alarm_new(!timer->is_soft,
					   timer->is_soft ? "hrtimer-soft" : "hrtimer", next_time,
					   fire, q, caller);
		INIT_LIST_HEAD(&q->timers);
	}
	list_for_each(at, &q->timers)
		if (hrtimer_get_expires(timer) < hrtimer_get_expires(timer_of(at)))
			break;
	list_add_tail(link_of(timer), at);
	WRITE_ONCE(timer->state, HRTIMER_STATE_ENQUEUED);
	if (!alarm_spent(&q->budget, timer))
		world_alarm_set(q->alarm, caller);
}

static void dequeue(struct hrtimer *timer)
{
	list_del(link_of(timer));
	WRITE_ONCE(timer->state, HRTIMER_STATE_INACTIVE);
}

/* ---- firing ---- */

static struct hrtimer *due(struct queue *q)
{
	struct hrtimer *timer = first_of(q);

	if (!timer)
		return NULL;
	if (!ALARM_NO_CLOCK)
		return hrtimer_get_softexpires(timer) > ktime_get() ? NULL : timer;
	if (hrtimer_get_expires(timer) > ktime_get())
		alarm_clock_to(hrtimer_get_expires(timer));
	return timer;
}

static void run(struct queue *q, struct hrtimer *timer, unsigned long *flags)
{
	enum hrtimer_restart (*fn)(struct hrtimer * timer) = timer->function;
	enum hrtimer_restart again;

	dequeue(timer);
	alarm_count(&q->budget, timer);
	WRITE_ONCE(q->clock.running, timer);
	WRITE_ONCE(q->turn, q->turn + 1);
	raw_spin_unlock_irqrestore(&hrtimers_lock, *flags);
	again = fn(timer);
	raw_spin_lock_irqsave(&hrtimers_lock, *flags);
	/* It may have been started while it ran: that time counts. */
	if (again == HRTIMER_RESTART && !(timer->state & HRTIMER_STATE_ENQUEUED))
		enqueue(timer, CALLER);
	WRITE_ONCE(q->clock.running, NULL);
	smp_store_release(&q->turn, q->turn + 1);
	world_wake(&q->turn);
}

static void fire(void *arg)
{
	struct queue *q = arg;
	struct hrtimer *timer;
	unsigned long flags;

	raw_spin_lock_irqsave(&hrtimers_lock, flags);
	while ((timer = due(q))) {
		run(q, timer, &flags);
		if (ALARM_NO_CLOCK)
			break;
	}
	if (ALARM_NO_CLOCK && first_of(q))
		world_alarm_set(q->alarm, CALLER);
	raw_spin_unlock_irqrestore(&hrtimers_lock, flags);
}

/* ---- what is asked of one timer ---- */

static void init(struct hrtimer *timer, enum hrtimer_mode mode)
{
	bool soft = mode & HRTIMER_MODE_SOFT;

	/* On PREEMPT_RT a timer is soft unless it says that it has to be hard. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && !(mode & HRTIMER_MODE_HARD))
		soft = true;
	memset(timer, 0, sizeof(*timer));
	timer->is_soft = soft;
	timer->is_hard = !!(mode & HRTIMER_MODE_HARD);
	timer->base = &own_queue(soft)->clock;
	RB_CLEAR_NODE(&timer->node.node);
}

SUPPLY(void, hrtimer_init, struct hrtimer *timer, clockid_t clock, enum hrtimer_mode mode)
{
	init(timer, mode);
}

/* Since 6.13 with its function. */
SUPPLY(void, hrtimer_setup, struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *),
       clockid_t clock, enum hrtimer_mode mode)
{
	init(timer, mode);
	timer->function = fn;
}

SUPPLY(void, hrtimer_start_range_ns, struct hrtimer *timer, ktime_t time, u64 delta,
       const enum hrtimer_mode mode)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&hrtimers_lock, flags);
	if (timer->state & HRTIMER_STATE_ENQUEUED) {
		dequeue(timer);
		if (!first_of(queue_of(timer)))
			world_alarm_clear(queue_of(timer)->alarm, CALLER);
	}
	if (mode & HRTIMER_MODE_REL)
		time = ktime_add_safe(time, ktime_get());
	hrtimer_set_expires_range_ns(timer, time, delta);
	if (READ_ONCE(timer->base->running) != timer)
		WRITE_ONCE(timer->base, &own_queue(timer->is_soft)->clock);
	enqueue(timer, CALLER);
	raw_spin_unlock_irqrestore(&hrtimers_lock, flags);
}

/* 1: it was queued, 0: not, -1: its handler runs. */
static int try_to_cancel(struct hrtimer *timer, const void *caller)
{
	struct queue *q;
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&hrtimers_lock, flags);
	q = queue_of(timer);
	if (READ_ONCE(q->clock.running) == timer) {
		ret = -1;
	} else if (timer->state & HRTIMER_STATE_ENQUEUED) {
		dequeue(timer);
		if (!first_of(q))
			world_alarm_clear(q->alarm, caller);
		ret = 1;
	}
	raw_spin_unlock_irqrestore(&hrtimers_lock, flags);
	return ret;
}

SUPPLY(int, hrtimer_try_to_cancel, struct hrtimer *timer)
{
	return try_to_cancel(timer, CALLER);
}

static int cancel(struct hrtimer *timer, const void *caller)
{
	for (;;) {
		struct queue *q = queue_of(timer);
		u32 turn = READ_ONCE(q->turn);
		int ret = try_to_cancel(timer, caller);

		if (ret >= 0)
			return ret;
		if (turn & 1)
			world_await(&q->turn, turn, caller);
	}
}

SUPPLY(int, hrtimer_cancel, struct hrtimer *timer)
{
	return cancel(timer, CALLER);
}

SUPPLY(bool, hrtimer_active, const struct hrtimer *timer)
{
	unsigned long flags;
	bool active;

	raw_spin_lock_irqsave(&hrtimers_lock, flags);
	active = timer->state || READ_ONCE(timer->base->running) == timer;
	raw_spin_unlock_irqrestore(&hrtimers_lock, flags);
	return active;
}

SUPPLY(ktime_t, __hrtimer_get_remaining, const struct hrtimer *timer, bool adjust)
{
	return ktime_sub(hrtimer_get_expires(timer), ktime_get());
}

/* How many intervals it takes to bring the time after @from, and so many are added to it. */
SUPPLY(u64, hrtimer_forward, struct hrtimer *timer, ktime_t from, ktime_t interval)
{
	ktime_t late = ktime_sub(from, hrtimer_get_expires(timer));
	u64 overruns;

	if (late < 0 || WARN_ON(timer->state & HRTIMER_STATE_ENQUEUED))
		return 0;
	if (interval < hrtimer_resolution)
		interval = hrtimer_resolution;
	overruns = late / interval + 1;
	hrtimer_add_expires_ns(timer, overruns * interval);
	return overruns;
}

/* ---- sleeping ---- */

static enum hrtimer_restart wake_sleeper(struct hrtimer *timer)
{
	struct hrtimer_sleeper *sleeper = container_of(timer, struct hrtimer_sleeper, timer);
	struct task_struct *task = sleeper->task;

	sleeper->task = NULL;
	if (task)
		irqsim_wake(task, TASK_NORMAL);
	return HRTIMER_NORESTART;
}

static void init_sleeper(struct hrtimer_sleeper *sleeper, enum hrtimer_mode mode)
{
	init(&sleeper->timer, mode);
	sleeper->timer.function = wake_sleeper;
	sleeper->task = current;
}

SUPPLY(void, hrtimer_init_sleeper, struct hrtimer_sleeper *sleeper, clockid_t clock,
       enum hrtimer_mode mode)
{
	init_sleeper(sleeper, mode);
}

SUPPLY(void, hrtimer_setup_sleeper_on_stack, struct hrtimer_sleeper *sleeper, clockid_t clock,
       enum hrtimer_mode mode)
{
	init_sleeper(sleeper, mode);
}

SUPPLY(void, hrtimer_sleeper_start_expires, struct hrtimer_sleeper *sleeper, enum hrtimer_mode mode)
{
	hrtimer_start_expires(&sleeper->timer, mode);
}

static int sleep_until(ktime_t *expires, u64 delta, enum hrtimer_mode mode, const void *caller)
{
	struct hrtimer_sleeper sleeper;

	if (!expires) {
		schedule();
		return -EINTR;
	}
	init_sleeper(&sleeper, mode);
	hrtimer_set_expires_range_ns(&sleeper.timer, *expires, delta);
	hrtimer_start_expires(&sleeper.timer, mode);
	if (READ_ONCE(sleeper.task))
		schedule();
	cancel(&sleeper.timer, caller);
	__set_current_state(TASK_RUNNING);
	return sleeper.task ? -EINTR : 0;
}

SUPPLY(int, schedule_hrtimeout_range, ktime_t *expires, u64 delta, const enum hrtimer_mode mode)
{
	return sleep_until(expires, delta, mode, CALLER);
}

SUPPLY(int, schedule_hrtimeout_range_clock, ktime_t *expires, u64 delta,
       const enum hrtimer_mode mode, clockid_t clock)
{
	return sleep_until(expires, delta, mode, CALLER);
}

SUPPLY(int, schedule_hrtimeout, ktime_t *expires, const enum hrtimer_mode mode)
{
	return sleep_until(expires, 0, mode, CALLER);
}

SUPPLY(void, usleep_range_state, unsigned long min, unsigned long max, unsigned int state)
{
	ktime_t end = ktime_add_us(ktime_get(), min);

	do {
		__set_current_state(state);
	} while (sleep_until(&end, (max - min) * NSEC_PER_USEC, HRTIMER_MODE_ABS, CALLER));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/timer.h and linux/jiffies.h. jiffies goes on while a timer waits for it, and stands still
 * when none does: in the threads world with the host's clock, in the deterministic world to a
 * timer's time where that is chosen to come.
 */
#include <linux/jiffies.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#include "alarm.h"
#include "lockdep.h"
#include "sleep.h"
#include "supply.h"
#include "world.h"

#define TICK_NS (NSEC_PER_SEC / HZ)

u64 jiffies_64 = INITIAL_JIFFIES;
asm(".globl jiffies\n.set jiffies, jiffies_64");

struct timer_base {
	struct hlist_head queue; /* by time */
	struct timer_list *running;
	u32 turn; /* odd while one runs */
	int alarm;
	struct alarm_budget budget;
};

/* The threads world has one, for the one task that serves it. */
static struct timer_base bases[NR_CPUS];
static DEFINE_RAW_SPINLOCK(timers_lock);
static u64 last_tick; /* threads: when jiffies last changed, or began to run */

static int own_base(void)
{
	return ALARM_NO_CLOCK ? world_cpu() : 0;
}

static struct timer_base *base_of(const struct timer_list *timer)
{
	return &bases[READ_ONCE(timer->flags) & TIMER_CPUMASK];
}

/* ---- firing ---- */

static struct timer_list *first_of(struct timer_base *base)
{
	struct timer_list *timer;

	hlist_for_each_entry(timer, &base->queue, entry)
		if (!alarm_spent(&base->budget, timer))
			return timer;
	return NULL;
}

static u64 next_tick(void *arg)
{
	struct timer_base *base = arg;
	unsigned long flags;
	u64 next;

	raw_spin_lock_irqsave(&timers_lock, flags);
	next = hlist_empty(&base->queue) ? U64_MAX : last_tick + TICK_NS;
	raw_spin_unlock_irqrestore(&timers_lock, flags);
	return next;
}

static void set_jiffies(u64 now)
{
	WRITE_ONCE(jiffies_64, now);
}

static struct timer_list *due(struct timer_base *base)
{
	struct timer_list *timer = first_of(base);

	if (!timer)
		return NULL;
	if (!ALARM_NO_CLOCK)
		return time_after(timer->expires, jiffies) ? NULL : timer;
	if (time_after(timer->expires, jiffies))
		set_jiffies(timer->expires);
	return timer;
}

static void detach(struct timer_list *timer)
{
	__hlist_del(&timer->entry);
	WRITE_ONCE(timer->entry.pprev, NULL);
	timer->entry.next = LIST_POISON2;
}

static void call(struct timer_list *timer, void (*fn)(struct timer_list *timer))
{
#ifdef CONFIG_LOCKDEP
	/* The timer may be gone when its function returns. */
	struct lockdep_map map = timer->lockdep_map;

	lock_map_acquire(&map);
#endif
	fn(timer);
#ifdef CONFIG_LOCKDEP
	lock_map_release(&map);
#endif
}

static void run(struct timer_base *base, struct timer_list *timer)
{
	void (*fn)(struct timer_list * timer) = timer->function;
	bool irqsafe = timer->flags & TIMER_IRQSAFE;

	detach(timer);
	alarm_count(&base->budget, timer);
	WRITE_ONCE(base->running, timer);
	WRITE_ONCE(base->turn, base->turn + 1);
	raw_spin_unlock(&timers_lock);
	if (!irqsafe)
		local_irq_enable();
	call(timer, fn);
	if (!irqsafe)
		local_irq_disable();
	raw_spin_lock(&timers_lock);
	WRITE_ONCE(base->running, NULL);
	smp_store_release(&base->turn, base->turn + 1);
	world_wake(&base->turn);
}

static void fire(void *arg)
{
	struct timer_base *base = arg;
	struct timer_list *timer;

	raw_spin_lock_irq(&timers_lock);
	if (!ALARM_NO_CLOCK)
		for (; last_tick + TICK_NS <= world_clock_ns(); last_tick += TICK_NS)
			set_jiffies(jiffies_64 + 1);
	while ((timer = due(base))) {
		run(base, timer);
		if (ALARM_NO_CLOCK)
			break;
	}
	if (ALARM_NO_CLOCK && first_of(base))
		world_alarm_set(base->alarm, CALLER);
	raw_spin_unlock_irq(&timers_lock);
}

/* ---- arming ---- */

static void enqueue(struct timer_base *base, struct timer_list *timer, const void *caller)
{
	struct hlist_node **link = &base->queue.first;
	struct timer_list *other;

	if (!base->alarm)
		base->alarm = world_alarm_new(false, "timer", next_tick, fire, base, caller);
	if (!ALARM_NO_CLOCK && hlist_empty(&base->queue))
		last_tick = world_clock_ns();
	for (; *link; link = &(*link)->next) {
		other = hlist_entry(*link, struct timer_list, entry);
		if (time_before(timer->expires, other->expires))
			break;
	}
	timer->entry.next = *link;
	if (*link)
		(*link)->pprev = &timer->entry.next;
	WRITE_ONCE(timer->entry.pprev, link);
	*link = &timer->entry;
	if (!alarm_spent(&base->budget, timer))
		world_alarm_set(base->alarm, caller);
}

static void dequeue(struct timer_base *base, struct timer_list *timer, const void *caller)
{
	detach(timer);
	if (!first_of(base))
		world_alarm_clear(base->alarm, caller);
}

enum { PENDING_ONLY = 1, REDUCE = 2 };

static int arm(struct timer_list *timer, unsigned long expires, int cpu, int how,
	       const void *caller)
{
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&timers_lock, flags);
	if (timer_pending(timer)) {
		ret = 1;
		if ((how & REDUCE) && time_before_eq(timer->expires, expires))
			goto out;
	} else if (how & PENDING_ONLY) {
		goto out;
	}
	/* Shut down for good. */
	if (!timer->function) {
		ret = 0;
		goto out;
	}
	if (ret)
		dequeue(base_of(timer), timer, caller);
	/* While it runs, those who wait for that look where it ran. */
	if (READ_ONCE(base_of(timer)->running) != timer)
		WRITE_ONCE(timer->flags, (timer->flags & ~TIMER_BASEMASK) | cpu);
	timer->expires = expires;
	enqueue(base_of(timer), timer, caller);
out:
	raw_spin_unlock_irqrestore(&timers_lock, flags);
	return ret;
}

static void init(struct timer_list *timer, void (*fn)(struct timer_list *timer), unsigned int flags,
		 const char *name, struct lock_class_key *key)
{
	timer->entry.pprev = NULL;
	timer->function = fn;
	timer->flags = (flags & TIMER_INIT_FLAGS) | own_base();
#ifdef CONFIG_LOCKDEP
	lockdep_init_map(&timer->lockdep_map, name, key, 0);
#endif
}

SUPPLY(void, init_timer_key, struct timer_list *timer, void (*fn)(struct timer_list *timer),
       unsigned int flags, const char *name, struct lock_class_key *key)
{
	init(timer, fn, flags, name, key);
}

SUPPLY(int, mod_timer, struct timer_list *timer, unsigned long expires)
{
	return arm(timer, expires, own_base(), 0, CALLER);
}

SUPPLY(int, mod_timer_pending, struct timer_list *timer, unsigned long expires)
{
	return arm(timer, expires, own_base(), PENDING_ONLY, CALLER);
}

SUPPLY(int, timer_reduce, struct timer_list *timer, unsigned long expires)
{
	return arm(timer, expires, own_base(), REDUCE, CALLER);
}

static void add(struct timer_list *timer, int cpu, const void *caller)
{
	if (WARN_ON_ONCE(timer_pending(timer)))
		return;
	arm(timer, timer->expires, cpu, 0, caller);
}

SUPPLY(void, add_timer, struct timer_list *timer)
{
	add(timer, own_base(), CALLER);
}

SUPPLY(void, add_timer_local, struct timer_list *timer)
{
	add(timer, own_base(), CALLER);
}

SUPPLY(void, add_timer_global, struct timer_list *timer)
{
	add(timer, own_base(), CALLER);
}

SUPPLY(void, add_timer_on, struct timer_list *timer, int cpu)
{
	add(timer, ALARM_NO_CLOCK ? cpu : 0, CALLER);
}

/* ---- disarming ---- */

/* 1: it was pending. -1: it runs, and @sync asked. */
static int disarm(struct timer_list *timer, bool sync, bool shutdown, const void *caller)
{
	struct timer_base *base;
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&timers_lock, flags);
	base = base_of(timer);
	if (sync && READ_ONCE(base->running) == timer) {
		ret = -1;
		goto out;
	}
	if (timer_pending(timer)) {
		dequeue(base, timer, caller);
		ret = 1;
	}
	if (shutdown)
		timer->function = NULL;
out:
	raw_spin_unlock_irqrestore(&timers_lock, flags);
	return ret;
}

/* Not from the timer's own function, nor holding what that waits for: it would be for ever. */
static int disarm_sync(struct timer_list *timer, bool shutdown, const void *caller)
{
	int ret;

#ifdef CONFIG_LOCKDEP
	unsigned long flags;

	/* With interrupts off: this is no lock that the function's context could take. */
	local_irq_save(flags);
	lock_map_acquire(&timer->lockdep_map);
	lock_map_release(&timer->lockdep_map);
	local_irq_restore(flags);
#endif
	for (;;) {
		struct timer_base *base = base_of(timer);
		u32 turn = READ_ONCE(base->turn);

		ret = disarm(timer, true, shutdown, caller);
		if (ret >= 0)
			return ret;
		if (turn & 1)
			world_await(&base->turn, turn, caller);
	}
}

int irqsim_timer_delete(struct timer_list *timer)
{
	return disarm(timer, false, false, CALLER);
}

int irqsim_timer_delete_sync(struct timer_list *timer)
{
	return disarm_sync(timer, false, CALLER);
}

SUPPLY(int, timer_delete, struct timer_list *timer)
{
	return disarm(timer, false, false, CALLER);
}

SUPPLY(int, timer_delete_sync, struct timer_list *timer)
{
	return disarm_sync(timer, false, CALLER);
}

SUPPLY(int, timer_shutdown, struct timer_list *timer)
{
	return disarm(timer, false, true, CALLER);
}

SUPPLY(int, timer_shutdown_sync, struct timer_list *timer)
{
	return disarm_sync(timer, true, CALLER);
}

SUPPLY(int, try_to_del_timer_sync, struct timer_list *timer)
{
	return disarm(timer, true, false, CALLER);
}

/* Names of before 6.2. */
SUPPLY(int, del_timer, struct timer_list *timer)
{
	return disarm(timer, false, false, CALLER);
}

SUPPLY(int, del_timer_sync, struct timer_list *timer)
{
	return disarm_sync(timer, false, CALLER);
}

/* ---- units ---- */

SUPPLY(unsigned long, __msecs_to_jiffies, const unsigned int m)
{
	if ((int)m < 0)
		return MAX_JIFFY_OFFSET;
	return (m + (MSEC_PER_SEC / HZ) - 1) / (MSEC_PER_SEC / HZ);
}

SUPPLY(unsigned long, __usecs_to_jiffies, const unsigned int u)
{
	if (u > jiffies_to_usecs(MAX_JIFFY_OFFSET))
		return MAX_JIFFY_OFFSET;
	return (u + (USEC_PER_SEC / HZ) - 1) / (USEC_PER_SEC / HZ);
}

SUPPLY(unsigned int, jiffies_to_msecs, const unsigned long j)
{
	return (MSEC_PER_SEC / HZ) * j;
}

SUPPLY(unsigned int, jiffies_to_usecs, const unsigned long j)
{
	return (USEC_PER_SEC / HZ) * j;
}

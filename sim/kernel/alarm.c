// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers of the threads world: one task of each KVM object sleeps until the first of them is due,
 * and runs its handlers.
 */
#include <linux/kernel.h>
#include <linux/spinlock.h>

#include <sim/sync.h>

#include "sleep.h"
#include "supply.h"
#include "world.h"

#define NR_ALARMS 8 /* timer.c has one, hrtimer.c two */

static DEFINE_RAW_SPINLOCK(lock);
static struct alarm {
	bool hard;
	world_next_fn *next;
	void (*fire)(void *arg);
	void *arg;
} alarms[NR_ALARMS];
static int nr_alarms;
static u32 kicks; /* something may be due earlier */

u64 world_clock_ns(void)
{
	return sim_clock_ns();
}

static void run(const struct alarm *a)
{
	world_irq_enter(a->hard);
	a->fire(a->arg);
	world_irq_exit(a->hard);
}

static void live(void *arg)
{
	irqsim_become_kthread("timers");
	for (;;) {
		u32 seen = smp_load_acquire(&kicks);
		u64 first = U64_MAX;
		int i, n = smp_load_acquire(&nr_alarms);

		for (i = 0; i < n; i++) {
			if (alarms[i].next(alarms[i].arg) <= sim_clock_ns())
				run(&alarms[i]);
			first = min(first, alarms[i].next(alarms[i].arg));
		}
		if (first == U64_MAX)
			world_idle(&kicks, seen, CALLER);
		else if (first > sim_clock_ns())
			sim_wait_on_until(&kicks, seen, first);
	}
}

int world_alarm_new(bool hard, const char *name, world_next_fn *next, void (*fire)(void *arg),
		    void *arg, const void *caller)
{
	unsigned long flags;
	int id;

	raw_spin_lock_irqsave(&lock, flags);
	BUG_ON(nr_alarms == NR_ALARMS);
	id = nr_alarms;
	alarms[id] = (struct alarm){ hard, next, fire, arg };
	smp_store_release(&nr_alarms, id + 1);
	raw_spin_unlock_irqrestore(&lock, flags);
	if (!id)
		BUG_ON(!world_task_new(0, "timers", live, NULL, caller));
	return id + 1;
}

static void kick(void)
{
	__atomic_fetch_add(&kicks, 1, __ATOMIC_SEQ_CST);
	sim_wake_all(&kicks);
}

void world_alarm_set(int id, const void *caller)
{
	kick();
}

void world_alarm_clear(int id, const void *caller)
{
}

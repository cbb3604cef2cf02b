/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the holder of a spinlock_t or rwlock_t of PREEMPT_RT is kept from, beside others that want it:
 * it is in an RCU read section and stays on its CPU, and that is all
 * (Documentation/locking/locktypes.rst, "spinlock_t and PREEMPT_RT"). Who waits lends no priority:
 * there are none.
 */
#ifndef SIM_KERNEL_DET_RT_SLEEPING_LOCK_H
#define SIM_KERNEL_DET_RT_SLEEPING_LOCK_H

#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include <sim/task.h>

static inline void lock_held(void)
{
	rcu_read_lock();
	migrate_disable();
	sim_self->nr_locks++;
}

static inline void lock_dropped(void)
{
	sim_self->nr_locks--;
	migrate_enable();
	rcu_read_unlock();
}

#endif

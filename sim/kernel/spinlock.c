// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/spinlock.h. A lock's word is 0 when free, else the owner's CPU + 1: a task that takes what
 * its CPU holds already is reported, not hung.
 */
#include <linux/spinlock.h>

#include <sim/report.h>
#include <sim/sync.h>
#include <sim/task.h>

#include "lockdep.h"
#include "supply.h"

static int me(void)
{
	return sim_self->cpu + 1;
}

static bool try_lock(raw_spinlock_t *lock)
{
	int old = 0;

	return atomic_try_cmpxchg_acquire(&lock->raw_lock.val, &old, me());
}

static void took(raw_spinlock_t *lock)
{
	sim_self->atomic_depth++;
	sim_self->nr_locks++;
}

static void take(raw_spinlock_t *lock, const void *caller)
{
	unsigned int turn = 0;

	while (unlikely(!try_lock(lock))) {
		if (unlikely(atomic_read(&lock->raw_lock.val) == me()))
			sim_report(SIM_REPORT_BUG, caller,
				   "BUG: spinlock recursion on CPU#%d, %s/%d", sim_self->cpu,
				   sim_self->comm, sim_self->pid);
		sim_spin_wait(turn++);
	}
	took(lock);
}

static void drop(raw_spinlock_t *lock, const void *caller)
{
	if (unlikely(atomic_read(&lock->raw_lock.val) != me())) {
		sim_report(SIM_REPORT_LOCKDEP, caller,
			   "WARNING: bad unlock balance detected!\n"
			   "%s/%d is trying to release a spinlock that CPU#%d does not hold",
			   sim_self->comm, sim_self->pid, sim_self->cpu);
		return;
	}
	LOCKDEP_RELEASE(&lock->dep_map, caller);
	atomic_set_release(&lock->raw_lock.val, 0);
	sim_self->atomic_depth--;
	sim_self->nr_locks--;
}

static unsigned long irqs_off(void)
{
	return arch_local_irq_save();
}

static void irqs_restore(unsigned long flags)
{
	arch_local_irq_restore(flags);
}

SUPPLY(void, __raw_spin_lock_init, raw_spinlock_t *lock, const char *name,
       struct lock_class_key *key, short wait_type)
{
	memset(lock, 0, sizeof(*lock));
	LOCKDEP_INIT_SPIN(&lock->dep_map, name, key, wait_type);
}

SUPPLY(void, _raw_spin_lock, raw_spinlock_t *lock)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	take(lock, CALLER);
}

SUPPLY(void, _raw_spin_lock_nested, raw_spinlock_t *lock, int subclass)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, subclass, 0, 0, CALLER);
	take(lock, CALLER);
}

SUPPLY(void, _raw_spin_lock_irq, raw_spinlock_t *lock)
{
	irqs_off();
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	take(lock, CALLER);
}

SUPPLY(unsigned long, _raw_spin_lock_irqsave, raw_spinlock_t *lock)
{
	unsigned long flags = irqs_off();

	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	take(lock, CALLER);
	return flags;
}

SUPPLY(void, _raw_spin_lock_bh, raw_spinlock_t *lock)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	take(lock, CALLER);
}

SUPPLY(int, _raw_spin_trylock, raw_spinlock_t *lock)
{
	if (!try_lock(lock))
		return 0;
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, 0, CALLER);
	took(lock);
	return 1;
}

SUPPLY(void, _raw_spin_unlock, raw_spinlock_t *lock)
{
	drop(lock, CALLER);
}

SUPPLY(void, _raw_spin_unlock_bh, raw_spinlock_t *lock)
{
	drop(lock, CALLER);
}

SUPPLY(void, _raw_spin_unlock_irq, raw_spinlock_t *lock)
{
	drop(lock, CALLER);
	irqs_restore(X86_EFLAGS_IF);
}

SUPPLY(void, _raw_spin_unlock_irqrestore, raw_spinlock_t *lock, unsigned long flags)
{
	drop(lock, CALLER);
	irqs_restore(flags);
}

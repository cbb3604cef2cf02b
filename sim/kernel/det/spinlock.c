// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/spinlock.h in the deterministic world: waiting is the scheduler's. The lock's word is kept
 * for spin_is_locked() and its like.
 */
#include <linux/spinlock.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../supply.h"

static inline void take(raw_spinlock_t *lock, const void *caller)
{
	det_lock(lock, DET_EXCLUSIVE, caller);
	sim_self->atomic_depth++;
	sim_self->nr_locks++;
}

static inline void drop(raw_spinlock_t *lock, const void *caller)
{
	if (unlikely(!det_unlock(lock, DET_EXCLUSIVE, caller))) {
		sim_report(SIM_REPORT_LOCKDEP, caller,
			   "WARNING: bad unlock balance detected!\n"
			   "%s/%d is trying to release a spinlock that it does not hold",
			   sim_self->comm, sim_self->pid);
		return;
	}
	sim_self->atomic_depth--;
	sim_self->nr_locks--;
}

static inline unsigned long irqs_off(void)
{
	unsigned long flags = sim_self->irqs_off ? 0 : X86_EFLAGS_IF;

	sim_self->irqs_off = 1;
	return flags;
}

SUPPLY(void, __raw_spin_lock_init, raw_spinlock_t *lock, const char *name,
       struct lock_class_key *key, short wait_type)
{
	memset(lock, 0, sizeof(*lock));
}

SUPPLY(void, _raw_spin_lock, raw_spinlock_t *lock)
{
	take(lock, CALLER);
}

SUPPLY(void, _raw_spin_lock_nested, raw_spinlock_t *lock, int subclass)
{
	take(lock, CALLER);
}

SUPPLY(void, _raw_spin_lock_bh, raw_spinlock_t *lock)
{
	take(lock, CALLER);
}

SUPPLY(void, _raw_spin_lock_irq, raw_spinlock_t *lock)
{
	irqs_off();
	take(lock, CALLER);
}

SUPPLY(unsigned long, _raw_spin_lock_irqsave, raw_spinlock_t *lock)
{
	unsigned long flags = irqs_off();

	take(lock, CALLER);
	return flags;
}

SUPPLY(int, _raw_spin_trylock, raw_spinlock_t *lock)
{
	if (!det_trylock(lock, DET_EXCLUSIVE, CALLER))
		return 0;
	sim_self->atomic_depth++;
	sim_self->nr_locks++;
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
	sim_self->irqs_off = 0;
}

SUPPLY(void, _raw_spin_unlock_irqrestore, raw_spinlock_t *lock, unsigned long flags)
{
	drop(lock, CALLER);
	sim_self->irqs_off = !(flags & X86_EFLAGS_IF);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/spinlock.h in the deterministic world: waiting is the scheduler's. The lock's word is kept
 * for spin_is_locked() and its like.
 */
#include <linux/spinlock.h>

#include "../lockdep.h"
#include "../supply.h"
#include "context.h"

static inline void take(raw_spinlock_t *lock, int subclass, struct lockdep_map *nest,
			const void *caller)
{
	lock_begins(caller);
	lockdep_acquire(&lock->dep_map, subclass, 0, 0, nest, caller);
	det_lock(lock, DET_EXCLUSIVE, caller);
	sim_self->nr_locks++;
}

static inline int try(raw_spinlock_t *lock, const void *caller)
{
	lock_begins(caller);
	if (!det_trylock(lock, DET_EXCLUSIVE, caller)) {
		lock_ended(caller);
		return 0;
	}
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, 0, caller);
	sim_self->nr_locks++;
	return 1;
}

static inline void drop(raw_spinlock_t *lock, const void *caller)
{
	if (unlikely(!det_unlock(lock, DET_EXCLUSIVE, caller))) {
		lockdep_bad_unlock(&lock->dep_map, caller);
		return;
	}
	LOCKDEP_RELEASE(&lock->dep_map, caller);
	sim_self->nr_locks--;
	lock_ended(caller);
}

SUPPLY(void, __raw_spin_lock_init, raw_spinlock_t *lock, const char *name,
       struct lock_class_key *key, short wait_type)
{
	memset(lock, 0, sizeof(*lock));
	LOCKDEP_INIT_SPIN(&lock->dep_map, name, key, wait_type);
}

SUPPLY(void, _raw_spin_lock, raw_spinlock_t *lock)
{
	take(lock, 0, NULL, CALLER);
}

SUPPLY(void, _raw_spin_lock_nested, raw_spinlock_t *lock, int subclass)
{
	take(lock, subclass, NULL, CALLER);
}

SUPPLY(void, _raw_spin_lock_nest_lock, raw_spinlock_t *lock, struct lockdep_map *nest)
{
	take(lock, 0, nest, CALLER);
}

SUPPLY(void, _raw_spin_lock_bh, raw_spinlock_t *lock)
{
	bh_disable(CALLER);
	take(lock, 0, NULL, CALLER);
}

SUPPLY(void, _raw_spin_lock_irq, raw_spinlock_t *lock)
{
	irqs_disable(CALLER);
	take(lock, 0, NULL, CALLER);
}

SUPPLY(unsigned long, _raw_spin_lock_irqsave, raw_spinlock_t *lock)
{
	unsigned long flags = irqs_save(CALLER);

	take(lock, 0, NULL, CALLER);
	return flags;
}

SUPPLY(unsigned long, _raw_spin_lock_irqsave_nested, raw_spinlock_t *lock, int subclass)
{
	unsigned long flags = irqs_save(CALLER);

	take(lock, subclass, NULL, CALLER);
	return flags;
}

SUPPLY(int, _raw_spin_trylock, raw_spinlock_t *lock)
{
	return try(lock, CALLER);
}

SUPPLY(int, _raw_spin_trylock_bh, raw_spinlock_t *lock)
{
	bh_disable(CALLER);
	if (try(lock, CALLER))
		return 1;
	bh_enable(CALLER);
	return 0;
}

SUPPLY(void, _raw_spin_unlock, raw_spinlock_t *lock)
{
	drop(lock, CALLER);
}

SUPPLY(void, _raw_spin_unlock_bh, raw_spinlock_t *lock)
{
	drop(lock, CALLER);
	bh_enable(CALLER);
}

SUPPLY(void, _raw_spin_unlock_irq, raw_spinlock_t *lock)
{
	drop(lock, CALLER);
	irqs_enable(CALLER);
}

SUPPLY(void, _raw_spin_unlock_irqrestore, raw_spinlock_t *lock, unsigned long flags)
{
	drop(lock, CALLER);
	irqs_restore(flags, CALLER);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * spinlock_t of PREEMPT_RT (linux/spinlock_rt.h), and what mutexes need there beside ../mutex.c: both
 * are an rt_mutex, which the scheduler knows by its address.
 */
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "../../lockdep.h"
#include "../../supply.h"
#include "../context.h"
#include "sleeping_lock.h"

static void take(spinlock_t *lock, int subclass, struct lockdep_map *nest, const void *caller)
{
	lockdep_acquire(&lock->dep_map, subclass, 0, 0, nest, caller);
	sim_may_block("rt_spin_lock", caller);
	det_lock(lock, DET_EXCLUSIVE, caller);
	lock_held();
}

static void drop(spinlock_t *lock, const void *caller)
{
	if (unlikely(!det_lock_is_mine(lock))) {
		lockdep_bad_unlock(&lock->dep_map, caller);
		return;
	}
	lock_dropped();
	LOCKDEP_RELEASE(&lock->dep_map, caller);
	det_unlock(lock, DET_EXCLUSIVE, caller);
}

static int try(spinlock_t *lock, const void *caller)
{
	if (!det_trylock(lock, DET_EXCLUSIVE, caller))
		return 0;
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, 0, caller);
	lock_held();
	return 1;
}

SUPPLY(void, rt_mutex_base_init, struct rt_mutex_base *base)
{
	memset(base, 0, sizeof(*base));
}

bool irqsim_rt_mutex_is_locked(struct rt_mutex_base *base)
{
	if (!det_trylock(base, DET_EXCLUSIVE, CALLER))
		return true;
	det_unlock(base, DET_EXCLUSIVE, CALLER);
	return false;
}

SUPPLY(void, __rt_spin_lock_init, spinlock_t *lock, const char *name, struct lock_class_key *key,
       bool percpu)
{
	LOCKDEP_INIT_SPIN(&lock->dep_map, name, key, LD_WAIT_CONFIG);
}

SUPPLY(void, __mutex_rt_init, struct mutex *lock, const char *name, struct lock_class_key *key)
{
	LOCKDEP_INIT(&lock->dep_map, name, key);
}

SUPPLY(void, rt_spin_lock, spinlock_t *lock)
{
	take(lock, 0, NULL, CALLER);
}

SUPPLY(void, rt_spin_lock_nested, spinlock_t *lock, int subclass)
{
	take(lock, subclass, NULL, CALLER);
}

SUPPLY(void, rt_spin_lock_nest_lock, spinlock_t *lock, struct lockdep_map *nest)
{
	take(lock, 0, nest, CALLER);
}

SUPPLY(void, rt_spin_unlock, spinlock_t *lock)
{
	drop(lock, CALLER);
}

/* Wait until nobody has it who had it. */
SUPPLY(void, rt_spin_lock_unlock, spinlock_t *lock)
{
	take(lock, 0, NULL, CALLER);
	drop(lock, CALLER);
}

SUPPLY(int, rt_spin_trylock, spinlock_t *lock)
{
	return try(lock, CALLER);
}

SUPPLY(int, rt_spin_trylock_bh, spinlock_t *lock)
{
	bh_disable(CALLER);
	if (try(lock, CALLER))
		return 1;
	bh_enable(CALLER);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * rwlock_t of PREEMPT_RT (linux/rwlock_rt.h): readers together, or one writer, as elsewhere, but
 * they sleep. A reader comes in as long as no writer has it, also past one that waits.
 */
#include <linux/spinlock.h>

#include "../../lockdep.h"
#include "../../supply.h"
#include "../context.h"
#include "sleeping_lock.h"

/* Nobody queues behind a writer: one that reads again while it reads never waits for itself. */
static int kind_of(enum det_lock_mode mode)
{
	return mode == DET_EXCLUSIVE ? 0 : 2;
}

static void take(rwlock_t *lock, enum det_lock_mode mode, int subclass, const void *caller)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, subclass, 0, kind_of(mode), caller);
	sim_may_block(mode == DET_EXCLUSIVE ? "rt_write_lock" : "rt_read_lock", caller);
	det_lock(lock, mode, caller);
	lock_held();
}

static int try(rwlock_t *lock, enum det_lock_mode mode, const void *caller)
{
	if (!det_trylock(lock, mode, caller))
		return 0;
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, kind_of(mode), caller);
	lock_held();
	return 1;
}

static void drop(rwlock_t *lock, enum det_lock_mode mode, const void *caller)
{
	if (unlikely(!det_lock_is_mine(lock))) {
		lockdep_bad_unlock(&lock->dep_map, caller);
		return;
	}
	lock_dropped();
	LOCKDEP_RELEASE(&lock->dep_map, caller);
	det_unlock(lock, mode, caller);
}

SUPPLY(void, __rt_rwlock_init, rwlock_t *lock, const char *name, struct lock_class_key *key)
{
	lock_is_new(lock, CALLER);
	LOCKDEP_INIT_SPIN(&lock->dep_map, name, key, LD_WAIT_CONFIG);
}

SUPPLY(void, rt_read_lock, rwlock_t *lock)
{
	take(lock, DET_SHARED, 0, CALLER);
}

SUPPLY(void, rt_write_lock, rwlock_t *lock)
{
	take(lock, DET_EXCLUSIVE, 0, CALLER);
}

SUPPLY(void, rt_write_lock_nested, rwlock_t *lock, int subclass)
{
	take(lock, DET_EXCLUSIVE, subclass, CALLER);
}

SUPPLY(int, rt_read_trylock, rwlock_t *lock)
{
	return try(lock, DET_SHARED, CALLER);
}

SUPPLY(int, rt_write_trylock, rwlock_t *lock)
{
	return try(lock, DET_EXCLUSIVE, CALLER);
}

SUPPLY(void, rt_read_unlock, rwlock_t *lock)
{
	drop(lock, DET_SHARED, CALLER);
}

SUPPLY(void, rt_write_unlock, rwlock_t *lock)
{
	drop(lock, DET_EXCLUSIVE, CALLER);
}

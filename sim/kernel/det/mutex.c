// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/mutex.h in the deterministic world: waiting is the scheduler's.
 */
#include <linux/mutex.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../lockdep.h"
#include "../supply.h"

static void take(struct mutex *lock, unsigned int subclass, struct lockdep_map *nest,
		 const void *caller)
{
	sim_may_sleep("mutex_lock", caller);
	lockdep_acquire(&lock->dep_map, subclass, 0, 0, nest, caller);
	det_lock(lock, DET_EXCLUSIVE, caller);
	sim_self->nr_locks++;
}

SUPPLY(void, __mutex_init, struct mutex *lock, const char *name, struct lock_class_key *key)
{
	memset(lock, 0, sizeof(*lock));
	LOCKDEP_INIT(&lock->dep_map, name, key);
}

SUPPLY(void, mutex_destroy, struct mutex *lock)
{
	if (unlikely(!det_trylock(lock, DET_EXCLUSIVE, CALLER)))
		sim_report(SIM_REPORT_LOCKDEP, CALLER,
			   "WARNING: DEBUG_LOCKS_WARN_ON(mutex_is_locked(lock))");
	else
		det_unlock(lock, DET_EXCLUSIVE, CALLER);
}

SUPPLY(void, mutex_lock, struct mutex *lock)
{
	take(lock, 0, NULL, CALLER);
}

SUPPLY(void, mutex_lock_nested, struct mutex *lock, unsigned int subclass)
{
	take(lock, subclass, NULL, CALLER);
}

SUPPLY(void, _mutex_lock_nest_lock, struct mutex *lock, struct lockdep_map *nest)
{
	take(lock, 0, nest, CALLER);
}

SUPPLY(int, mutex_lock_killable, struct mutex *lock)
{
	take(lock, 0, NULL, CALLER);
	return 0;
}

SUPPLY(int, mutex_lock_killable_nested, struct mutex *lock, unsigned int subclass)
{
	take(lock, subclass, NULL, CALLER);
	return 0;
}

SUPPLY(int, mutex_trylock, struct mutex *lock)
{
	if (!det_trylock(lock, DET_EXCLUSIVE, CALLER))
		return 0;
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, 0, CALLER);
	sim_self->nr_locks++;
	return 1;
}

SUPPLY(void, mutex_unlock, struct mutex *lock)
{
	if (unlikely(!det_unlock(lock, DET_EXCLUSIVE, CALLER))) {
		lockdep_bad_unlock(&lock->dep_map, CALLER);
		return;
	}
	LOCKDEP_RELEASE(&lock->dep_map, CALLER);
	sim_self->nr_locks--;
}

SUPPLY(bool, mutex_is_locked, struct mutex *lock)
{
	if (!det_trylock(lock, DET_EXCLUSIVE, CALLER))
		return true;
	det_unlock(lock, DET_EXCLUSIVE, CALLER);
	return false;
}

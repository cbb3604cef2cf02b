// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/mutex.h in the deterministic world: waiting is the scheduler's.
 */
#include <linux/mutex.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../supply.h"

static void take(struct mutex *lock, const void *caller)
{
	sim_may_sleep("mutex_lock", caller);
	det_lock(lock, DET_EXCLUSIVE, caller);
	sim_self->nr_locks++;
}

SUPPLY(void, __mutex_init, struct mutex *lock, const char *name, struct lock_class_key *key)
{
	memset(lock, 0, sizeof(*lock));
}

SUPPLY(void, mutex_lock, struct mutex *lock)
{
	take(lock, CALLER);
}

SUPPLY(void, mutex_lock_nested, struct mutex *lock, unsigned int subclass)
{
	take(lock, CALLER);
}

SUPPLY(int, mutex_lock_killable, struct mutex *lock)
{
	take(lock, CALLER);
	return 0;
}

SUPPLY(int, mutex_lock_killable_nested, struct mutex *lock, unsigned int subclass)
{
	take(lock, CALLER);
	return 0;
}

SUPPLY(int, mutex_trylock, struct mutex *lock)
{
	if (!det_trylock(lock, DET_EXCLUSIVE, CALLER))
		return 0;
	sim_self->nr_locks++;
	return 1;
}

SUPPLY(void, mutex_unlock, struct mutex *lock)
{
	if (unlikely(!det_unlock(lock, DET_EXCLUSIVE, CALLER))) {
		sim_report(SIM_REPORT_LOCKDEP, CALLER,
			   "WARNING: bad unlock balance detected!\n"
			   "%s/%d is trying to release a mutex that it does not hold",
			   sim_self->comm, sim_self->pid);
		return;
	}
	sim_self->nr_locks--;
}

SUPPLY(bool, mutex_is_locked, struct mutex *lock)
{
	if (!det_trylock(lock, DET_EXCLUSIVE, CALLER))
		return true;
	det_unlock(lock, DET_EXCLUSIVE, CALLER);
	return false;
}

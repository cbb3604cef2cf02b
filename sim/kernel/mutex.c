// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/mutex.h. The owner word holds the task, and bit 0 that somebody sleeps for it.
 */
#include <linux/mutex.h>

#include <sim/report.h>
#include <sim/sync.h>
#include <sim/task.h>

#include "lockdep.h"
#include "supply.h"

#define WAITERS 1L

static const uint32_t *wait_word(struct mutex *lock)
{
	/* x86 is little endian: the low half, with the bit. */
	return (const uint32_t *)&lock->owner;
}

static struct sim_task *owner(struct mutex *lock)
{
	return (struct sim_task *)(atomic_long_read(&lock->owner) & ~WAITERS);
}

static void wait_for(struct mutex *lock)
{
	long self = (long)sim_self, old;
	unsigned int turn = 0;

	for (;;) {
		old = 0;
		/* Whoever has slept cannot know whether others do: it takes the lock with the bit.
		 */
		if (atomic_long_try_cmpxchg_acquire(&lock->owner, &old,
						    turn > 64 ? self | WAITERS : self))
			return;
		if (turn++ < 64) {
			sim_spin_wait(turn);
			continue;
		}
		if (!(old & WAITERS) &&
		    !atomic_long_try_cmpxchg_relaxed(&lock->owner, &old, old | WAITERS))
			continue;
		sim_wait_on(wait_word(lock), (uint32_t)(old | WAITERS));
	}
}

static void lock_it(struct mutex *lock, const void *caller)
{
	long old = 0;

	sim_may_sleep("mutex_lock", caller);
	if (unlikely(owner(lock) == sim_self))
		sim_report(SIM_REPORT_BUG, caller,
			   "BUG: task %s tried to take a mutex that it holds", sim_self->comm);
	if (unlikely(!atomic_long_try_cmpxchg_acquire(&lock->owner, &old, (long)sim_self)))
		wait_for(lock);
	sim_self->nr_locks++;
}

SUPPLY(void, __mutex_init, struct mutex *lock, const char *name, struct lock_class_key *key)
{
	memset(lock, 0, sizeof(*lock));
	LOCKDEP_INIT(&lock->dep_map, name, key);
}

SUPPLY(void, mutex_lock, struct mutex *lock)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	lock_it(lock, CALLER);
}

SUPPLY(void, mutex_lock_nested, struct mutex *lock, unsigned int subclass)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, subclass, 0, 0, CALLER);
	lock_it(lock, CALLER);
}

SUPPLY(int, mutex_lock_killable, struct mutex *lock)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	lock_it(lock, CALLER);
	return 0;
}

SUPPLY(int, mutex_lock_killable_nested, struct mutex *lock, unsigned int subclass)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, subclass, 0, 0, CALLER);
	lock_it(lock, CALLER);
	return 0;
}

SUPPLY(int, mutex_trylock, struct mutex *lock)
{
	long old = 0;

	if (!atomic_long_try_cmpxchg_acquire(&lock->owner, &old, (long)sim_self))
		return 0;
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, 0, CALLER);
	sim_self->nr_locks++;
	return 1;
}

SUPPLY(void, mutex_unlock, struct mutex *lock)
{
	if (unlikely(owner(lock) != sim_self)) {
		sim_report(SIM_REPORT_LOCKDEP, CALLER,
			   "WARNING: bad unlock balance detected!\n"
			   "%s/%d is trying to release a mutex that it does not hold",
			   sim_self->comm, sim_self->pid);
		return;
	}
	LOCKDEP_RELEASE(&lock->dep_map, CALLER);
	sim_self->nr_locks--;
	if (atomic_long_xchg_release(&lock->owner, 0) & WAITERS)
		sim_wake_all(wait_word(lock));
}

SUPPLY(bool, mutex_is_locked, struct mutex *lock)
{
	return owner(lock);
}

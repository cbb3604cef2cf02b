// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rwlock.h in the deterministic world. By specification: readers together, or one writer; who
 * comes next is the policy's choice. As with the kernel's queued rwlock a reader in a task waits
 * behind a waiting writer, one in an interrupt does not (kernel/locking/qrwlock.c). That matters
 * where the reader holds something that others wait for: who holds nothing may come first or later,
 * and both are tried. det_options.unfair_rwlocks: nobody queues.
 */
#include <linux/spinlock.h>

#include "../lockdep.h"
#include "../supply.h"
#include "context.h"

/* To lockdep: where readers queue behind a writer, one that recurses can wait for itself. */
static inline int kind_of(enum det_lock_mode mode)
{
	if (mode == DET_EXCLUSIVE)
		return 0;
	return sim_self->in_hardirq | sim_self->in_softirq ? 2 : 1;
}

static inline bool queues(const struct sim_task *t)
{
	return (t->nr_locks | t->nr_srcu | t->rcu_depth) && !(t->in_hardirq | t->in_softirq) &&
	       det_rwlocks_are_fair();
}

static inline void take(rwlock_t *lock, enum det_lock_mode mode, int subclass, const void *caller)
{
	lock_begins(caller);
	LOCKDEP_ACQUIRE(&lock->dep_map, subclass, 0, kind_of(mode), caller);
	if (mode == DET_SHARED && unlikely(queues(sim_self)))
		det_lock(lock, DET_SHARED_FAIR, caller);
	else
		det_lock(lock, mode, caller);
	sim_self->nr_locks++;
}

static inline void drop(rwlock_t *lock, enum det_lock_mode mode, const void *caller)
{
	if (unlikely(!det_unlock(lock, mode, caller))) {
		lockdep_bad_unlock(&lock->dep_map, caller);
		return;
	}
	LOCKDEP_RELEASE(&lock->dep_map, caller);
	sim_self->nr_locks--;
	lock_ended(caller);
}

static inline int try(rwlock_t *lock, enum det_lock_mode mode, const void *caller)
{
	lock_begins(caller);
	if (!det_trylock(lock, mode, caller)) {
		lock_ended(caller);
		return 0;
	}
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, kind_of(mode), caller);
	sim_self->nr_locks++;
	return 1;
}

SUPPLY(void, __rwlock_init, rwlock_t *lock, const char *name, struct lock_class_key *key)
{
	lock_is_new(lock, CALLER);
	memset(lock, 0, sizeof(*lock));
	LOCKDEP_INIT_SPIN(&lock->dep_map, name, key, LD_WAIT_CONFIG);
}

#define FORMS(how, mode)                                                                  \
	SUPPLY(void, _raw_##how##_lock, rwlock_t *lock)                                   \
	{                                                                                 \
		take(lock, mode, 0, CALLER);                                              \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_lock_bh, rwlock_t *lock)                                \
	{                                                                                 \
		bh_disable(CALLER);                                                       \
		take(lock, mode, 0, CALLER);                                              \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_lock_irq, rwlock_t *lock)                               \
	{                                                                                 \
		irqs_disable(CALLER);                                                     \
		take(lock, mode, 0, CALLER);                                              \
	}                                                                                 \
	SUPPLY(unsigned long, _raw_##how##_lock_irqsave, rwlock_t *lock)                  \
	{                                                                                 \
		unsigned long flags = irqs_save(CALLER);                                  \
                                                                                          \
		take(lock, mode, 0, CALLER);                                              \
		return flags;                                                             \
	}                                                                                 \
	SUPPLY(int, _raw_##how##_trylock, rwlock_t *lock)                                 \
	{                                                                                 \
		return try(lock, mode, CALLER);                                           \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_unlock, rwlock_t *lock)                                 \
	{                                                                                 \
		drop(lock, mode, CALLER);                                                 \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_unlock_bh, rwlock_t *lock)                              \
	{                                                                                 \
		drop(lock, mode, CALLER);                                                 \
		bh_enable(CALLER);                                                        \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_unlock_irq, rwlock_t *lock)                             \
	{                                                                                 \
		drop(lock, mode, CALLER);                                                 \
		irqs_enable(CALLER);                                                      \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_unlock_irqrestore, rwlock_t *lock, unsigned long flags) \
	{                                                                                 \
		drop(lock, mode, CALLER);                                                 \
		irqs_restore(flags, CALLER);                                              \
	}

FORMS(read, DET_SHARED)
FORMS(write, DET_EXCLUSIVE)

SUPPLY(void, _raw_write_lock_nested, rwlock_t *lock, int subclass)
{
	take(lock, DET_EXCLUSIVE, subclass, CALLER);
}

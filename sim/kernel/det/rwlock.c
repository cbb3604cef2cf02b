// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rwlock.h in the deterministic world. By specification: readers together, or one writer; who
 * comes next is the policy's choice, which includes what a fair lock would do.
 */
#include <linux/spinlock.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../supply.h"

static inline void take(rwlock_t *lock, enum det_lock_mode mode, const void *caller)
{
	det_lock(lock, mode, caller);
	sim_self->atomic_depth++;
	sim_self->nr_locks++;
}

static inline void drop(rwlock_t *lock, enum det_lock_mode mode, const void *caller)
{
	if (unlikely(!det_unlock(lock, mode, caller))) {
		sim_report(SIM_REPORT_LOCKDEP, caller,
			   "WARNING: bad unlock balance detected!\n"
			   "%s/%d is trying to release an rwlock that it does not hold for %s",
			   sim_self->comm, sim_self->pid,
			   mode == DET_SHARED ? "reading" : "writing");
		return;
	}
	sim_self->atomic_depth--;
	sim_self->nr_locks--;
}

static inline int try(rwlock_t *lock, enum det_lock_mode mode, const void *caller)
{
	if (!det_trylock(lock, mode, caller))
		return 0;
	sim_self->atomic_depth++;
	sim_self->nr_locks++;
	return 1;
}

SUPPLY(void, __rwlock_init, rwlock_t *lock, const char *name, struct lock_class_key *key)
{
	memset(lock, 0, sizeof(*lock));
}

#define FORMS(how, mode)                                                                  \
	SUPPLY(void, _raw_##how##_lock, rwlock_t *lock)                                   \
	{                                                                                 \
		take(lock, mode, CALLER);                                                 \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_lock_irq, rwlock_t *lock)                               \
	{                                                                                 \
		irqsim_irq_disable();                                                     \
		take(lock, mode, CALLER);                                                 \
	}                                                                                 \
	SUPPLY(unsigned long, _raw_##how##_lock_irqsave, rwlock_t *lock)                  \
	{                                                                                 \
		unsigned long flags = arch_local_irq_save();                              \
                                                                                          \
		take(lock, mode, CALLER);                                                 \
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
	SUPPLY(void, _raw_##how##_unlock_irq, rwlock_t *lock)                             \
	{                                                                                 \
		drop(lock, mode, CALLER);                                                 \
		irqsim_irq_enable();                                                      \
	}                                                                                 \
	SUPPLY(void, _raw_##how##_unlock_irqrestore, rwlock_t *lock, unsigned long flags) \
	{                                                                                 \
		drop(lock, mode, CALLER);                                                 \
		arch_local_irq_restore(flags);                                            \
	}

FORMS(read, DET_SHARED)
FORMS(write, DET_EXCLUSIVE)

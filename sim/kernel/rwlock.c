// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rwlock.h. The lock's first word counts readers; WRITER when written. As the kernel's queued
 * rwlock, a reader in process context queues behind a waiting writer, one in an interrupt does not
 * (kernel/locking/qrwlock.c): otherwise an interrupted reader's handler would wait for itself.
 */
#include <linux/spinlock.h>

#include <sim/report.h>
#include <sim/sync.h>
#include <sim/task.h>

#include "lockdep.h"
#include "supply.h"

#define WRITER	  0x0000ff /* one holds it */
#define WAITING	  0x000100 /* one waits for it */
#define READER	  0x000200 /* one more reader */

/* To lockdep: where readers queue behind a writer, one that recurses can wait for itself. */
#define READ_TYPE (sim_self->in_hardirq ? 2 : 1)

static atomic_t *word(rwlock_t *lock)
{
	return &lock->raw_lock.cnts;
}

static bool try_read(rwlock_t *lock, int blockers)
{
	int old = atomic_read(word(lock));

	while (!(old & blockers))
		if (atomic_try_cmpxchg_acquire(word(lock), &old, old + READER))
			return true;
	return false;
}

static void took(void)
{
	sim_self->atomic_depth++;
	sim_self->nr_locks++;
}

static void gave(void)
{
	sim_self->atomic_depth--;
	sim_self->nr_locks--;
}

static void read_take(rwlock_t *lock)
{
	int blockers = sim_self->in_hardirq ? WRITER : WRITER | WAITING;
	unsigned int turn = 0;

	while (!try_read(lock, blockers))
		sim_spin_wait(turn++);
	took();
}

static void write_take(rwlock_t *lock)
{
	unsigned int turn = 0;
	int old;

	for (;;) {
		old = atomic_read(word(lock)) & WAITING;
		if (atomic_try_cmpxchg_acquire(word(lock), &old, WRITER))
			break;
		if (!(old & WAITING))
			atomic_or(WAITING, word(lock));
		sim_spin_wait(turn++);
	}
	took();
}

static void bad_unlock(const char *how, const void *caller)
{
	sim_report(SIM_REPORT_LOCKDEP, caller,
		   "WARNING: bad unlock balance detected!\n"
		   "%s/%d is trying to release an rwlock that is not held for %s",
		   sim_self->comm, sim_self->pid, how);
}

static void read_drop(rwlock_t *lock, const void *caller)
{
	if (unlikely(atomic_read(word(lock)) < READER)) {
		bad_unlock("reading", caller);
		return;
	}
	LOCKDEP_RELEASE(&lock->dep_map, caller);
	atomic_sub_return_release(READER, word(lock));
	gave();
}

static void write_drop(rwlock_t *lock, const void *caller)
{
	if (unlikely((atomic_read(word(lock)) & WRITER) != WRITER)) {
		bad_unlock("writing", caller);
		return;
	}
	LOCKDEP_RELEASE(&lock->dep_map, caller);
	atomic_sub_return_release(WRITER, word(lock));
	gave();
}

SUPPLY(void, __rwlock_init, rwlock_t *lock, const char *name, struct lock_class_key *key)
{
	memset(lock, 0, sizeof(*lock));
	LOCKDEP_INIT_SPIN(&lock->dep_map, name, key, LD_WAIT_CONFIG);
}

SUPPLY(void, _raw_read_lock, rwlock_t *lock)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, READ_TYPE, CALLER);
	read_take(lock);
}

SUPPLY(void, _raw_read_lock_irq, rwlock_t *lock)
{
	irqsim_irq_disable();
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, READ_TYPE, CALLER);
	read_take(lock);
}

SUPPLY(unsigned long, _raw_read_lock_irqsave, rwlock_t *lock)
{
	unsigned long flags = arch_local_irq_save();

	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, READ_TYPE, CALLER);
	read_take(lock);
	return flags;
}

SUPPLY(int, _raw_read_trylock, rwlock_t *lock)
{
	if (!try_read(lock, WRITER | WAITING))
		return 0;
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, READ_TYPE, CALLER);
	took();
	return 1;
}

SUPPLY(void, _raw_write_lock, rwlock_t *lock)
{
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	write_take(lock);
}

SUPPLY(void, _raw_write_lock_irq, rwlock_t *lock)
{
	irqsim_irq_disable();
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	write_take(lock);
}

SUPPLY(unsigned long, _raw_write_lock_irqsave, rwlock_t *lock)
{
	unsigned long flags = arch_local_irq_save();

	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 0, 0, CALLER);
	write_take(lock);
	return flags;
}

SUPPLY(int, _raw_write_trylock, rwlock_t *lock)
{
	int old = 0;

	if (!atomic_try_cmpxchg_acquire(word(lock), &old, WRITER))
		return 0;
	LOCKDEP_ACQUIRE(&lock->dep_map, 0, 1, 0, CALLER);
	took();
	return 1;
}

SUPPLY(void, _raw_read_unlock, rwlock_t *lock)
{
	read_drop(lock, CALLER);
}

SUPPLY(void, _raw_read_unlock_irq, rwlock_t *lock)
{
	read_drop(lock, CALLER);
	irqsim_irq_enable();
}

SUPPLY(void, _raw_read_unlock_irqrestore, rwlock_t *lock, unsigned long flags)
{
	read_drop(lock, CALLER);
	arch_local_irq_restore(flags);
}

SUPPLY(void, _raw_write_unlock, rwlock_t *lock)
{
	write_drop(lock, CALLER);
}

SUPPLY(void, _raw_write_unlock_irq, rwlock_t *lock)
{
	write_drop(lock, CALLER);
	irqsim_irq_enable();
}

SUPPLY(void, _raw_write_unlock_irqrestore, rwlock_t *lock, unsigned long flags)
{
	write_drop(lock, CALLER);
	arch_local_irq_restore(flags);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock validator: classes of locks, the order in which tasks take them, and the interrupt
 * context they are taken in. It finds a deadlock that could happen from runs in which it did not,
 * as the kernel's (Documentation/locking/lockdep-design.rst); each distinct problem is reported
 * once, as SIM_REPORT_LOCKDEP, and checking goes on.
 *
 * All calls are for a simulated task (sim_self), from any context, and are safe against each other.
 *
 * In the deterministic world what is known belongs to one execution, so that a replay of it alone
 * reports the same.
 */
#ifndef SIM_LOCKDEP_H
#define SIM_LOCKDEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the taker of a lock waits, and what its holder may wait for. The kernel's enum
 * lockdep_wait_type. */
enum sim_wait_type {
	SIM_WAIT_ANY,  /* not checked */
	SIM_WAIT_FREE, /* never waits (RCU) */
	SIM_WAIT_SPIN, /* spinlocks and rwlocks */
	/* Mutexes; with PREEMPT_RT these are one more, as spinlock_t comes between. */
	SIM_WAIT_SLEEP
};

struct sim_lock_use {
	const void *instance; /* the lock's own map: its identity */
	const void *key;      /* of its class; NULL: a static lock, a class of its own */
	const char
		*name; /* lives as long as the class; NULL: never initialised, which is reported */
	const void *nest; /* instance of a held lock that orders locks of this class, or NULL */
	const void *caller;
	void **remember; /* of the map: gets what sim_lock_acquire_known() takes; or NULL */
	unsigned int subclass;
	uint8_t wait_outer; /* what it needs to be allowed where it is taken */
	uint8_t wait_inner; /* what its holder may still do */
	uint8_t wait_max;   /* what a task may do that holds nothing; 0: SIM_WAIT_SLEEP + 1 */
	uint8_t read;	    /* 0 exclusive, 1 reader, 2 reader that may recurse */
	bool trylock;	    /* cannot wait: ends no dependency, though it may begin some */
	bool check;	    /* false: held, but never part of a dependency */
};

void sim_lock_acquire(const struct sim_lock_use *use); /* before waiting; trylocks: on success */
void sim_lock_release(const void *instance, const void *caller);

/* A lock of this name is released by a task that does not hold it. */
void sim_lock_bad_unlock(const char *name, const void *caller);

/*
 * As sim_lock_acquire(), and cheap, for what teaches nothing: true, and it is held. Of subclass 0,
 * exclusive or as a reader, no trylock. @remembered: what the map remembers, or NULL.
 * Deterministic world only, as is sim_lock_irqs_on(), to be called where interrupts, hard or soft,
 * were let in again while locks are held.
 */
bool sim_lock_acquire_known(void *remembered, const void *key, const void *instance, uint8_t read,
			    const void *caller);
void sim_lock_irqs_on(void);

/* Wait for a class's critical sections without entering one: synchronize_srcu() and its like. */
void sim_lock_sync(const struct sim_lock_use *use);

/* Does the running task hold it? @read: 0 exclusively, 1 or 2 as a reader, -1 either way. */
bool sim_lock_is_held(const void *instance, int read);

/* Memory is freed, or a lock in it initialised: reported if the running task holds one there. */
void sim_lock_check_freed(const void *p, size_t size, const void *caller);

/* "2 locks held by ..." and one line for each, of the running task. Always terminates @buf. */
void sim_lockdep_held_text(char *buf, size_t size);

/* Forget every class, dependency and report. No task may hold a lock. */
void sim_lockdep_reset(void);

/* The deterministic world, where one thread runs everything: begin and end. Resets. */
void sim_lockdep_alone(bool alone);
void sim_lockdep_next_round(void); /* an execution begins: as a reset, and costs nothing */

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the simulated kernel's locks tell lockdep: nothing where the configuration has no lock
 * classes.
 */
#ifndef SIM_KERNEL_LOCKDEP_H
#define SIM_KERNEL_LOCKDEP_H

#include <linux/lockdep.h>

#include <sim/lockdep.h>
#include <sim/task.h>

#ifdef CONFIG_DEBUG_LOCK_ALLOC
/* Memory goes away, or becomes a new lock, that may have a held one in it. */
static inline void lockdep_check_freed(const void *p, size_t size, const void *caller)
{
	if (unlikely(sim_self->lockdep_depth))
		sim_lock_check_freed(p, size, caller);
}

static inline void lockdep_acquire(struct lockdep_map *map, unsigned int subclass, int trylock,
				   int read, struct lockdep_map *nest, const void *caller)
{
#ifdef IRQSIM_DET
	if (!subclass && !trylock && !nest &&
	    likely(sim_lock_acquire_known(map->class_cache[0], map->key, map, read, caller)))
		return;
#endif
	lock_acquire(map, subclass, trylock, read, 1, nest, (unsigned long)caller);
}

static inline void lockdep_release(struct lockdep_map *map, const void *caller)
{
#ifdef IRQSIM_DET
	struct sim_task *t = sim_self;
	unsigned int last = t->lockdep_depth - 1;

	if (likely(last < SIM_LOCKS_HELD_MAX && t->held[last].instance == map)) {
		t->lockdep_depth = last;
		return;
	}
#endif
	lock_release(map, (unsigned long)caller);
}

/* A lock is unlocked that the primitive knows not to be the running task's. */
void lockdep_bad_unlock(const struct lockdep_map *map, const void *caller);

#define LOCKDEP_INIT_SPIN(map, name, key, wt)                                          \
	do {                                                                           \
		lockdep_check_freed(map, sizeof(*(map)), __builtin_return_address(0)); \
		lockdep_init_map_wait(map, name, key, 0, wt);                          \
	} while (0)
#define LOCKDEP_INIT(map, name, key) LOCKDEP_INIT_SPIN(map, name, key, LD_WAIT_SLEEP)
#define LOCKDEP_ACQUIRE(map, subclass, trylock, read, caller) \
	lockdep_acquire(map, subclass, trylock, read, NULL, caller)
#define LOCKDEP_RELEASE(map, caller) lockdep_release(map, caller)
#define LOCKDEP_SYNC(map, caller)    lock_sync(map, 0, 0, 1, NULL, (unsigned long)(caller))
#else
static inline void lockdep_check_freed(const void *p, size_t size, const void *caller)
{
}

#define LOCKDEP_INIT(map, name, key) \
	do {                         \
	} while (0)
#define LOCKDEP_INIT_SPIN(map, name, key, wt) \
	do {                                  \
	} while (0)
#define LOCKDEP_ACQUIRE(map, subclass, trylock, read, caller) \
	do {                                                  \
	} while (0)
#define LOCKDEP_RELEASE(map, caller) \
	do {                         \
	} while (0)
#define LOCKDEP_SYNC(map, caller) \
	do {                      \
	} while (0)
#endif

#endif

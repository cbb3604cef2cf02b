/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the simulated kernel's locks tell lockdep: nothing where the configuration has no lock
 * classes.
 */
#ifndef SIM_KERNEL_LOCKDEP_H
#define SIM_KERNEL_LOCKDEP_H

#include <linux/lockdep.h>

#ifdef CONFIG_DEBUG_LOCK_ALLOC
#define LOCKDEP_INIT(map, name, key)	      lockdep_init_map_wait(map, name, key, 0, LD_WAIT_SLEEP)
#define LOCKDEP_INIT_SPIN(map, name, key, wt) lockdep_init_map_wait(map, name, key, 0, wt)
#define LOCKDEP_ACQUIRE(map, subclass, trylock, read, caller) \
	lock_acquire(map, subclass, trylock, read, 1, NULL, (unsigned long)(caller))
#define LOCKDEP_RELEASE(map, caller) lock_release(map, (unsigned long)(caller))
#define LOCKDEP_SYNC(map, caller)    lock_sync(map, 0, 0, 1, NULL, (unsigned long)(caller))
#else
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

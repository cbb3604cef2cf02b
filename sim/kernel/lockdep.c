// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/lockdep.h, linux/debug_locks.h and what rcupdate.h asks of them: the kernel's lock maps in
 * front of the host's validator, which knows no kernel version.
 */
#include <linux/debug_locks.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/string.h>

#include <sim/lockdep.h>
#include <sim/report.h>
#include <sim/task.h>

#include "lockdep.h"
#include "supply.h"

#ifdef CONFIG_LOCKDEP

#undef debug_locks /* the deterministic world's is a constant */
int debug_locks = 1;
int debug_locks_silent;

struct lock_class_key __lockdep_no_validate__;
/* Newer than 6.1; named as SUPPLY() does. */
extern struct lock_class_key supply_no_track __asm__("__lockdep_no_track__");
struct lock_class_key supply_no_track;

/* The interrupt state is the task's (sim/task.h); lockdep_assert_irqs_*() look here (irqflags.c).
 */
DEFINE_PER_CPU(int, hardirqs_enabled) = 1;
DEFINE_PER_CPU(int, hardirq_context);
DEFINE_PER_CPU(unsigned int, lockdep_recursion);

#define RCU_MAP(map, class_key, outer, inner)   \
	static struct lock_class_key class_key; \
	struct lockdep_map map = {              \
		.name = #map,                   \
		.key = &class_key,              \
		.wait_type_outer = (outer),     \
		.wait_type_inner = (inner),     \
	}

/* Wait types as in kernel/rcu/update.c: what a reader may still take. */
RCU_MAP(rcu_lock_map, rcu_key, LD_WAIT_FREE, LD_WAIT_CONFIG);
RCU_MAP(rcu_bh_lock_map, rcu_bh_key, LD_WAIT_FREE, LD_WAIT_CONFIG);
RCU_MAP(rcu_sched_lock_map, rcu_sched_key, LD_WAIT_FREE, LD_WAIT_SPIN);
RCU_MAP(rcu_callback_map, rcu_callback_key, LD_WAIT_INV, LD_WAIT_INV);
RCU_MAP(irqsim_fs_reclaim, reclaim_key, LD_WAIT_INV, LD_WAIT_INV);

static bool is_rcu_map(const struct lockdep_map *map)
{
	return map == &rcu_lock_map || map == &rcu_bh_lock_map || map == &rcu_sched_lock_map ||
	       map == &rcu_callback_map;
}

/*
 * The kernel's own numbers, which its reports print. LD_WAIT_CONFIG is LD_WAIT_SPIN, or with
 * CONFIG_PROVE_RAW_LOCK_NESTING one more, and LD_WAIT_SLEEP follows it.
 */
static uint8_t wait_type(u8 type)
{
	BUILD_BUG_ON((int)LD_WAIT_FREE != SIM_WAIT_FREE || (int)LD_WAIT_SPIN != SIM_WAIT_SPIN);
	return type < LD_WAIT_MAX ? type : SIM_WAIT_ANY;
}

static struct sim_lock_use use_of(const struct lockdep_map *map, unsigned int subclass, int read,
				  int check, const struct lockdep_map *nest, unsigned long ip)
{
	return (struct sim_lock_use){
		.instance = map,
		.key = map->key,
		.name = map->name,
		.nest = nest,
		.caller = (const void *)ip,
		.subclass = subclass,
		.wait_outer = wait_type(map->wait_type_outer),
		.wait_inner = wait_type(map->wait_type_inner),
		.wait_max = LD_WAIT_MAX,
		.read = read,
		/* SRCU's maps came with check off before 6.4, though their order matters as much.
		 */
		.check = (check || !is_rcu_map(map)) && map->key != &__lockdep_no_validate__,
	};
}

static bool is_untracked(const struct lockdep_map *map)
{
	return map->key == &supply_no_track;
}

SUPPLY(void, lockdep_init_map_type, struct lockdep_map *map, const char *name,
       struct lock_class_key *key, int subclass, u8 inner, u8 outer, u8 type)
{
	memset(map, 0, sizeof(*map));
	map->name = name;
	map->key = key;
	map->wait_type_inner = inner;
	map->wait_type_outer = outer;
	map->lock_type = type;
}

SUPPLY(void, lock_acquire, struct lockdep_map *map, unsigned int subclass, int trylock, int read,
       int check, struct lockdep_map *nest, unsigned long ip)
{
	struct sim_lock_use use = use_of(map, subclass, read, check, nest, ip);

	if (is_untracked(map))
		return;
	use.trylock = trylock;
#ifdef IRQSIM_DET
	if (!subclass && !trylock)
		use.remember = (void **)&map->class_cache[0];
#endif
	sim_lock_acquire(&use);
}

SUPPLY(void, lock_release, struct lockdep_map *map, unsigned long ip)
{
	if (!is_untracked(map))
		sim_lock_release(map, (const void *)ip);
}

void lockdep_bad_unlock(const struct lockdep_map *map, const void *caller)
{
	sim_lock_bad_unlock(map->name, caller);
}

SUPPLY(void, lock_sync, struct lockdep_map *map, unsigned int subclass, int read, int check,
       struct lockdep_map *nest, unsigned long ip)
{
	struct sim_lock_use use = use_of(map, subclass, read, check, nest, ip);

	sim_lock_sync(&use);
}

SUPPLY(int, lock_is_held_type, const struct lockdep_map *map, int read)
{
	return sim_lock_is_held(map, read);
}

SUPPLY(void, lockdep_init_task, struct task_struct *task)
{
}

SUPPLY(void, lockdep_register_key, struct lock_class_key *key)
{
}

SUPPLY(void, lockdep_unregister_key, struct lock_class_key *key)
{
}

SUPPLY(int, debug_locks_off, void)
{
	return xchg(&debug_locks, 0);
}

/* ---- RCU ---- */

SUPPLY(int, debug_lockdep_rcu_enabled, void)
{
	return debug_locks;
}

SUPPLY(int, rcu_read_lock_held, void)
{
	return sim_self->rcu_depth > 0 || sim_lock_is_held(&rcu_lock_map, -1);
}

/* Spinlocks, interrupts that are off and handlers stop preemption, which both of these ask for. */
static bool is_atomic(void)
{
	const struct sim_task *t = sim_self;

	return t->atomic_depth || t->irqs_off || t->in_hardirq || !preemptible();
}

SUPPLY(int, rcu_read_lock_bh_held, void)
{
	return sim_lock_is_held(&rcu_bh_lock_map, -1) || sim_self->irqs_off;
}

SUPPLY(int, rcu_read_lock_sched_held, void)
{
	return sim_lock_is_held(&rcu_sched_lock_map, -1) || is_atomic();
}

SUPPLY(int, rcu_read_lock_any_held, void)
{
	return sim_self->rcu_depth || sim_lock_is_held(&rcu_lock_map, -1) ||
	       sim_lock_is_held(&rcu_bh_lock_map, -1) ||
	       sim_lock_is_held(&rcu_sched_lock_map, -1) || is_atomic();
}

#ifndef IRQSIM_DET /* det/context_tracking.c */
SUPPLY(bool, rcu_is_watching, void)
{
	return true;
}
#endif

/* A simulated CPU that runs kernel code is online. */
SUPPLY(bool, rcu_lockdep_current_cpu_online, void)
{
	return true;
}

static const char *file_name(const char *path)
{
	const char *p, *name = path;

	for (p = path; *p; p++)
		if (*p == '/')
			name = p + 1;
	return name;
}

SUPPLY(void, lockdep_rcu_suspicious, const char *file, const int line, const char *what)
{
	char held[1024];

	if (sim_report_again(SIM_REPORT_RCU, CALLER))
		return;
	sim_lockdep_held_text(held, sizeof(held));
	sim_report(SIM_REPORT_RCU, CALLER,
		   "WARNING: suspicious RCU usage\n"
		   "-----------------------------\n"
		   "%s:%d %s!\n\nother info that might help us debug this:\n\n%s%s",
		   file_name(file), line, what,
		   sim_self->in_eqs ? "RCU used illegally from extended quiescent state!\n" : "",
		   held);
}

/* ---- reclaim: what an allocation that may sleep might have to wait for ---- */

static bool may_enter_reclaim(gfp_t gfp)
{
	return (gfp & __GFP_DIRECT_RECLAIM) && (gfp & __GFP_FS) && !(gfp & __GFP_NOLOCKDEP);
}

SUPPLY(void, fs_reclaim_acquire, gfp_t gfp)
{
	if (may_enter_reclaim(gfp))
		lock_acquire(&irqsim_fs_reclaim, 0, 0, 0, 1, NULL, (unsigned long)CALLER);
}

SUPPLY(void, fs_reclaim_release, gfp_t gfp)
{
	if (may_enter_reclaim(gfp))
		lock_release(&irqsim_fs_reclaim, (unsigned long)CALLER);
}

#endif

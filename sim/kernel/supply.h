/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SUPPLY(ret, name, args...): define the kernel symbol NAME. The C name is another, so that the
 * prototype in the tree's headers, which changes from version to version, cannot clash.
 */
#ifndef SIM_KERNEL_SUPPLY_H
#define SIM_KERNEL_SUPPLY_H

#include <linux/compiler.h>
#include <linux/types.h>

#define SUPPLY(ret, name, ...)                         \
	ret supply_##name(__VA_ARGS__) __asm__(#name); \
	ret supply_##name(__VA_ARGS__)

#define CALLER __builtin_return_address(0)

/* The part of a path that a kernel developer reads (bug.c). */
const char *in_tree(const char *file);

/* May the running task sleep? Reported at @caller if not. @what: the function that may sleep. */
void sim_may_sleep(const char *what, const void *caller);

/* May it wait for a spinlock of PREEMPT_RT? */
void sim_may_block(const char *what, const void *caller);

/* Reported and undone if the running context holds or has disabled anything (sched.c). */
void sim_check_balance(const char *what, const char *how, int handler, const void *caller);

/* Leave the read section @hold, which its task forgot (srcu.c). */
struct sim_srcu_hold;
void sim_srcu_abandon(const struct sim_srcu_hold *hold);
/* The same for one of RCU (rcupdate.c). */
void sim_rcu_abandon(void);

#endif

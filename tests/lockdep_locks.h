/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locks of the validator's tests. Each is a class of its own, named as in C.
 */
#ifndef TESTS_LOCKDEP_LOCKS_H
#define TESTS_LOCKDEP_LOCKS_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <sim/lockdep.h>
#include <sim/report.h>
#include <sim/task.h>

#define HERE ((const void *)__builtin_return_address(0))

/* The simulator's CPUs need something to have: kernel code, which brings it, is not linked here. */
__attribute__((section(".data..percpu"), used)) static long on_each_cpu;

struct lock {
	const char *name;
	uint8_t wait;
};

#define SPINLOCK(n) static const struct lock n = { #n, SIM_WAIT_SPIN }
#define MUTEX(n)    static const struct lock n = { #n, SIM_WAIT_SLEEP }
#define DOMAIN(n)   static const struct lock n = { #n, SIM_WAIT_ANY } /* of SRCU */

enum { WRITE, READ, RECURSIVE };

static char reports[16384]; /* all of them, one after the other */

static void keep(enum sim_report_kind kind, const char *text)
{
	size_t used = strlen(reports);

	cr_assert_eq(kind, SIM_REPORT_LOCKDEP, "%s", text);
	snprintf(reports + used, sizeof(reports) - used, "%s", text);
}

static void set_up(void)
{
	sim_init();
	sim_lockdep_reset();
	sim_report_reset();
	sim_report_set_sink(keep);
	reports[0] = '\0';
}

static struct sim_lock_use use_of(const struct lock *l, int read, const void *caller)
{
	return (struct sim_lock_use){ .instance = l,
				      .name = l->name,
				      .caller = caller,
				      .wait_outer = l->wait,
				      .wait_inner = l->wait,
				      .read = read,
				      .check = true };
}

/* The caller of these is what a report names. */
__attribute__((noinline, unused)) static void take_as(const struct lock *l, int read)
{
	struct sim_lock_use use = use_of(l, read, HERE);

	sim_lock_acquire(&use);
}

#define take(l) take_as(l, WRITE)

__attribute__((noinline, unused)) static void try_take(const struct lock *l)
{
	struct sim_lock_use use = use_of(l, WRITE, HERE);

	use.trylock = true;
	sim_lock_acquire(&use);
}

__attribute__((noinline, unused)) static void synchronize(const struct lock *l)
{
	struct sim_lock_use use = use_of(l, WRITE, HERE);

	sim_lock_sync(&use);
}

__attribute__((noinline, unused)) static void drop(const struct lock *l)
{
	sim_lock_release(l, HERE);
}

__attribute__((noinline, unused)) static void pair(const struct lock *a, int read_a,
						   const struct lock *b, int read_b)
{
	take_as(a, read_a);
	take_as(b, read_b);
	drop(b);
	drop(a);
}

#define in_order(a, b) pair(a, WRITE, b, WRITE)

/* A read section of RCU: what may wait is checked, and nothing depends on it. */
static inline struct sim_lock_use rcu_section(const struct lock *l, const void *caller)
{
	struct sim_lock_use use = use_of(l, RECURSIVE, caller);

	use.wait_outer = SIM_WAIT_FREE;
	use.wait_inner = SIM_WAIT_SPIN;
	use.check = false;
	return use;
}

#define assert_reports(n)                                                                      \
	cr_assert_eq((int)sim_report_count(SIM_REPORT_LOCKDEP), n,                             \
		     "%lu reports, %d expected:\n%s", sim_report_count(SIM_REPORT_LOCKDEP), n, \
		     reports)
#define assert_says(text) \
	cr_assert_not_null(strstr(reports, text), "no \"%s\" in:\n%s", text, reports)

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which orders of locks are a deadlock (Documentation/locking/lockdep-design.rst), and what the
 * report says.
 */
#include <pthread.h>

#include "lockdep_locks.h"

SPINLOCK(alpha);
SPINLOCK(beta);
SPINLOCK(gamma_lock);
MUTEX(control);
DOMAIN(routes);
DOMAIN(buses);

TestSuite(lockdep_order, .init = set_up);

__attribute__((noinline)) static void beta_in_alpha(void)
{
	in_order(&alpha, &beta);
}

__attribute__((noinline)) static void alpha_in_beta(void)
{
	take(&beta);
	take(&alpha);
	drop(&alpha);
	drop(&beta);
	__asm__ volatile(""); /* no tail call: the name has to be in the trace */
}

Test(lockdep_order, same_order_is_silent)
{
	beta_in_alpha();
	beta_in_alpha();
	assert_reports(0);
}

Test(lockdep_order, inversion_is_reported_once)
{
	beta_in_alpha();
	alpha_in_beta();
	assert_reports(1);
	assert_says("WARNING: possible circular locking dependency detected\n");
	assert_says("init/1 is trying to acquire lock:\n(alpha){");
	assert_says("but task is already holding lock:\n(beta){");
	assert_says("-> #1 (beta){");
	assert_says("pair+");
	assert_says("-> #0 (alpha){");
	assert_says("alpha_in_beta+");
	assert_says("lock(beta);");
	assert_says("*** DEADLOCK ***");
	assert_says("1 lock held by init/1:");

	alpha_in_beta();
	beta_in_alpha();
	assert_reports(1);
}

Test(lockdep_order, cycle_of_three)
{
	in_order(&alpha, &beta);
	in_order(&beta, &gamma_lock);
	assert_reports(0);
	in_order(&gamma_lock, &alpha);
	assert_reports(1);
	assert_says("Chain exists of:\n  alpha --> beta --> gamma_lock\n");
	assert_says("-> #2 (gamma_lock)");
}

/* The lock below the innermost one is reached through it, not by an edge of its own. */
Test(lockdep_order, cycle_over_the_outer_lock)
{
	take(&alpha);
	take(&beta);
	take(&gamma_lock);
	drop(&gamma_lock);
	drop(&beta);
	drop(&alpha);
	in_order(&gamma_lock, &alpha);
	assert_reports(1);
}

Test(lockdep_order, trylock_waits_for_nobody)
{
	in_order(&alpha, &beta);
	take(&beta);
	try_take(&alpha);
	drop(&alpha);
	drop(&beta);
	assert_reports(0);
}

Test(lockdep_order, others_wait_for_what_a_trylock_took)
{
	try_take(&alpha);
	take(&beta);
	drop(&beta);
	drop(&alpha);
	in_order(&beta, &alpha);
	assert_reports(1);
}

/* A trylock does not hide what was held before it. */
Test(lockdep_order, dependency_past_a_trylock)
{
	take(&alpha);
	try_take(&beta);
	take(&gamma_lock);
	drop(&gamma_lock);
	drop(&beta);
	drop(&alpha);
	in_order(&gamma_lock, &alpha);
	assert_reports(1);
}

Test(lockdep_order, recursion)
{
	take(&alpha);
	take(&alpha);
	assert_reports(1);
	assert_says("WARNING: possible recursive locking detected\n");
	assert_says("(alpha){");
	drop(&alpha);
	drop(&alpha);
}

Test(lockdep_order, recursive_readers_may_recurse)
{
	take_as(&alpha, RECURSIVE);
	take_as(&alpha, RECURSIVE);
	drop(&alpha);
	drop(&alpha);
	take_as(&alpha, READ);
	take_as(&alpha, RECURSIVE);
	drop(&alpha);
	drop(&alpha);
	assert_reports(0);
}

/* A queued rwlock's second reader waits behind a writer that waits for the first. */
Test(lockdep_order, fair_reader_may_not_recurse)
{
	take_as(&alpha, READ);
	take_as(&alpha, READ);
	assert_reports(1);
	assert_says("possible recursive locking");
	drop(&alpha);
	drop(&alpha);
}

Test(lockdep_order, reader_may_not_become_writer)
{
	take_as(&alpha, RECURSIVE);
	take(&alpha);
	assert_reports(1);
	assert_says("possible recursive locking");
	drop(&alpha);
	drop(&alpha);
}

Test(lockdep_order, writer_may_not_become_reader)
{
	take(&alpha);
	take_as(&alpha, RECURSIVE);
	assert_reports(1);
	drop(&alpha);
	drop(&alpha);
}

/* Nobody excludes anybody on beta: the path comes by a recursive read and leaves from a shared
 * hold. */
Test(lockdep_order, two_readers_make_no_cycle)
{
	pair(&alpha, WRITE, &beta, RECURSIVE);
	pair(&beta, RECURSIVE, &alpha, WRITE);
	assert_reports(0);
}

Test(lockdep_order, fair_reader_and_reader_make_a_cycle)
{
	pair(&alpha, WRITE, &beta, READ);
	pair(&beta, RECURSIVE, &alpha, WRITE);
	assert_reports(1);
}

Test(lockdep_order, writer_and_reader_make_a_cycle)
{
	pair(&alpha, WRITE, &beta, WRITE);
	pair(&beta, RECURSIVE, &alpha, WRITE);
	assert_reports(1);
	assert_says("possible circular");
}

/* The weak dependency was known; the strong one beside it is new. */
Test(lockdep_order, stronger_dependency_on_a_known_pair)
{
	pair(&alpha, WRITE, &beta, RECURSIVE);
	pair(&beta, RECURSIVE, &alpha, WRITE);
	assert_reports(0);
	pair(&alpha, WRITE, &beta, WRITE);
	assert_reports(1);
}

Test(lockdep_order, weak_path_over_three)
{
	pair(&alpha, WRITE, &beta, RECURSIVE);
	pair(&beta, RECURSIVE, &gamma_lock, WRITE);
	pair(&gamma_lock, WRITE, &alpha, WRITE);
	assert_reports(0);
	pair(&beta, WRITE, &gamma_lock, WRITE);
	/* alpha -> beta is a read still, but who holds beta now excludes it */
	assert_reports(1);
}

static void take_sub(const void *instance, const void *nest, unsigned int subclass)
{
	static const char key;
	struct sim_lock_use use = { .instance = instance,
				    .key = &key,
				    .name = "vcpu_mutex",
				    .nest = nest,
				    .caller = HERE,
				    .subclass = subclass,
				    .wait_outer = SIM_WAIT_SLEEP,
				    .wait_inner = SIM_WAIT_SLEEP,
				    .check = true };

	sim_lock_acquire(&use);
}

Test(lockdep_order, instances_of_a_class_need_a_subclass)
{
	static const char one, two;

	take_sub(&one, NULL, 0);
	take_sub(&two, NULL, 1);
	sim_lock_release(&two, HERE);
	sim_lock_release(&one, HERE);
	assert_reports(0);

	take_sub(&two, NULL, 1);
	take_sub(&one, NULL, 0);
	assert_reports(1);
	assert_says("(vcpu_mutex/1){");
	sim_lock_release(&one, HERE);
	sim_lock_release(&two, HERE);

	take_sub(&one, NULL, 0);
	take_sub(&two, NULL, 0);
	assert_reports(2);
	assert_says("possible recursive locking");
	sim_lock_release(&one, HERE);
	sim_lock_release(&two, HERE);
}

Test(lockdep_order, nest_lock_orders_instances)
{
	static const char one, two;

	take(&control);
	take_sub(&one, &control, 0);
	take_sub(&two, &control, 0);
	assert_reports(0);
	sim_lock_release(&one, HERE);
	sim_lock_release(&two, HERE);
	drop(&control);

	/* not held: it orders nothing */
	take_sub(&one, &control, 0);
	take_sub(&two, &control, 0);
	assert_reports(1);
	sim_lock_release(&one, HERE);
	sim_lock_release(&two, HERE);
}

Test(lockdep_order, grace_period_in_reader_of_another_domain)
{
	take_as(&routes, RECURSIVE);
	synchronize(&buses);
	drop(&routes);
	assert_reports(0);
}

Test(lockdep_order, grace_period_in_own_reader)
{
	take_as(&routes, RECURSIVE);
	synchronize(&routes);
	drop(&routes);
	assert_reports(1);
	assert_says("possible recursive locking");
	assert_says("(routes)");
}

Test(lockdep_order, domains_wait_for_each_other)
{
	take_as(&routes, RECURSIVE);
	synchronize(&buses);
	drop(&routes);
	take_as(&buses, RECURSIVE);
	synchronize(&routes);
	drop(&buses);
	assert_reports(1);
	assert_says("possible circular");
}

Test(lockdep_order, mutex_and_grace_period)
{
	take(&control);
	synchronize(&routes);
	drop(&control);
	assert_reports(0);
	take_as(&routes, RECURSIVE);
	take(&control);
	drop(&control);
	drop(&routes);
	assert_reports(1);
	assert_says("possible circular");
	assert_says("(routes)");
	assert_says("(control)");
}

/* Many readers and one mutex are fine while nobody waits for the readers. */
Test(lockdep_order, mutex_in_reader)
{
	pair(&routes, RECURSIVE, &control, WRITE);
	pair(&control, WRITE, &routes, RECURSIVE);
	assert_reports(0);
}

Test(lockdep_order, unchecked_sections_depend_on_nothing)
{
	struct sim_lock_use rcu = rcu_section(&routes, HERE);

	in_order(&alpha, &beta);
	take(&beta);
	sim_lock_acquire(&rcu);
	cr_assert(sim_lock_is_held(&routes, -1));
	drop(&routes);
	drop(&beta);
	sim_lock_acquire(&rcu);
	take(&beta);
	drop(&beta);
	drop(&routes);
	assert_reports(0);
}

static void *ordered_work(void *arg)
{
	int i;

	cr_assert_eq(sim_thread_enter((int)(intptr_t)arg, "worker"), 0);
	for (i = 0; i < 5000; i++) {
		in_order(&alpha, &beta);
		in_order(&control, i & 1 ? &alpha : &beta);
		if (i == 2500)
			in_order(&beta, &alpha);
	}
	cr_assert_eq(sim_self->lockdep_depth, 0);
	sim_thread_exit();
	return NULL;
}

Test(lockdep_order, four_tasks_report_an_inversion_once)
{
	pthread_t threads[4];
	intptr_t i;

	for (i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, ordered_work, (void *)(i + 1)), 0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_reports(1);
}

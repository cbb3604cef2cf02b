// SPDX-License-Identifier: GPL-2.0-only
/*
 * The deterministic world's use of the validator: what was learned is of one round, and what is
 * known is recognised without being looked at again, but for what it would teach.
 */
#include "lockdep_locks.h"

SPINLOCK(alpha);
SPINLOCK(beta);

static void *remembered[2]; /* by alpha's map and beta's */

static void set_up_alone(void)
{
	set_up();
	sim_lockdep_alone(true);
	remembered[0] = remembered[1] = NULL;
}

static void end_alone(void)
{
	sim_lockdep_alone(false);
}

TestSuite(lockdep_rounds, .init = set_up_alone, .fini = end_alone);

/* As the kernel side does it; was it known? */
static bool take_known(const struct lock *l, int read)
{
	void **map = &remembered[l == &beta];
	struct sim_lock_use use = use_of(l, read, HERE);

	use.remember = map;
	if (sim_lock_acquire_known(*map, NULL, l, read, HERE))
		return true;
	sim_lock_acquire(&use);
	return false;
}

static bool alone(const struct lock *l, int read)
{
	bool known = take_known(l, read);

	cr_assert(sim_lock_is_held(l, read));
	drop(l);
	cr_assert_eq(sim_self->lockdep_depth, 0);
	return known;
}

static bool both(const struct lock *a, const struct lock *b)
{
	bool known;

	take_known(a, WRITE);
	known = take_known(b, WRITE);
	drop(b);
	drop(a);
	return known;
}

Test(lockdep_rounds, known_from_the_second_time_on)
{
	cr_assert_not(alone(&alpha, WRITE));
	cr_assert(alone(&alpha, WRITE));
	sim_lockdep_next_round();
	cr_assert(alone(&alpha, WRITE));
	assert_reports(0);
}

/* A map that remembers another class: memory that was reused, or a validator that forgot. */
Test(lockdep_rounds, another_key_is_not_known)
{
	alone(&alpha, WRITE);
	cr_assert_not(sim_lock_acquire_known(remembered[0], NULL, &beta, WRITE, HERE));
	sim_lockdep_reset();
	cr_assert_not(alone(&beta, WRITE));
	cr_assert_not(sim_lock_acquire_known(remembered[0], NULL, &alpha, READ, HERE));
	assert_reports(0);
}

Test(lockdep_rounds, a_new_order_is_looked_at)
{
	alone(&alpha, WRITE);
	alone(&beta, WRITE);
	cr_assert_not(both(&alpha, &beta));
	cr_assert(both(&alpha, &beta));
	assert_reports(0);
	cr_assert_not(both(&beta, &alpha));
	assert_reports(1);
	assert_says("possible circular locking dependency");
}

Test(lockdep_rounds, orders_of_two_rounds_are_no_inversion)
{
	both(&alpha, &beta);
	sim_lockdep_next_round();
	both(&beta, &alpha);
	assert_reports(0);
	both(&alpha, &beta);
	assert_reports(1);
}

/* Found in each round anew: a round alone has to report what it does. */
Test(lockdep_rounds, reported_once_a_round)
{
	int i;

	for (i = 1; i <= 3; i++) {
		sim_lockdep_next_round();
		both(&alpha, &beta);
		both(&beta, &alpha);
		both(&beta, &alpha);
		assert_reports(i);
	}
}

Test(lockdep_rounds, a_known_lock_in_a_handler)
{
	alone(&alpha, WRITE);
	sim_self->in_hardirq = 1;
	cr_assert_not(alone(&alpha, WRITE));
	sim_self->in_hardirq = 0;
	assert_reports(1);
	assert_says("inconsistent {HARDIRQ-ON-W} -> {IN-HARDIRQ-W} usage.");

	sim_lockdep_next_round();
	sim_self->in_hardirq = 1;
	alone(&alpha, WRITE);
	cr_assert(alone(&alpha, WRITE));
	sim_self->in_hardirq = 0;
	assert_reports(1);
	cr_assert_not(alone(&alpha, WRITE));
	assert_reports(2);
}

Test(lockdep_rounds, soft_interrupts)
{
	sim_self->bh_depth = 1;
	alone(&alpha, WRITE);
	sim_self->bh_depth = 0;
	sim_self->in_softirq = 1;
	alone(&alpha, WRITE);
	sim_self->in_softirq = 0;
	assert_reports(0);
	alone(&alpha, WRITE);
	assert_reports(1);
	assert_says("inconsistent {IN-SOFTIRQ-W} -> {SOFTIRQ-ON-W} usage.");
}

/* Whoever lets interrupts in says so: known acquisitions and releases do not look. */
Test(lockdep_rounds, interrupts_come_on_under_a_lock)
{
	sim_self->in_hardirq = 1;
	alone(&alpha, WRITE);
	sim_self->in_hardirq = 0;
	sim_self->irqs_off = 1;
	take_known(&alpha, WRITE);
	sim_self->irqs_off = 0;
	sim_lock_irqs_on();
	assert_reports(1);
	assert_says("{IN-HARDIRQ-W} -> {HARDIRQ-ON-W}");
	drop(&alpha);
}

/* The chain of what is left is another one once the first is gone. */
Test(lockdep_rounds, released_out_of_order)
{
	take_known(&alpha, WRITE);
	take_known(&beta, WRITE);
	drop(&alpha);
	cr_assert_eq(sim_self->lockdep_depth, 1);
	cr_assert_not(take_known(&alpha, WRITE));
	assert_reports(1);
	assert_says("possible circular");
	drop(&alpha);
	drop(&beta);
}

static void drop_text(enum sim_report_kind kind, const char *text)
{
	cr_assert(strstr(text, "RCU used illegally from extended quiescent state!"), "%d", kind);
}

Test(lockdep_rounds, extended_quiescent_state)
{
	struct sim_lock_use rcu = rcu_section(&beta, HERE);

	alone(&alpha, WRITE);
	sim_self->in_eqs = 1;
	sim_report_set_sink(drop_text);
	sim_lock_acquire(&rcu); /* reports itself */
	drop(&beta);
	cr_assert_eq(sim_report_count(SIM_REPORT_RCU), 0);
	cr_assert_not(alone(&alpha, WRITE));
	sim_self->in_eqs = 0;
	cr_assert_eq(sim_report_count(SIM_REPORT_RCU), 1);
	assert_reports(0);
}

Test(lockdep_rounds, held_lock_freed)
{
	static const struct lock many[3] = { { "many", SIM_WAIT_SPIN } };

	take_as(&many[0], WRITE);
	sim_lock_check_freed(&many[1], sizeof(many[1]), HERE);
	assert_reports(0);
	sim_lock_check_freed(many, sizeof(many), HERE);
	assert_reports(1);
	assert_says("WARNING: held lock freed!");
	drop(&many[0]);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack of held locks, its limits, and starting afresh.
 */
#include "lockdep_locks.h"

SPINLOCK(alpha);
SPINLOCK(beta);

TestSuite(lockdep_held, .init = set_up);

Test(lockdep_held, is_held)
{
	take_as(&alpha, READ);
	take(&beta);
	cr_assert(sim_lock_is_held(&alpha, -1));
	cr_assert(sim_lock_is_held(&alpha, 1));
	cr_assert_not(sim_lock_is_held(&alpha, 0));
	cr_assert(sim_lock_is_held(&beta, 0));
	cr_assert_not(sim_lock_is_held(&beta, 1));
	drop(&alpha); /* not the last one taken */
	cr_assert_not(sim_lock_is_held(&alpha, -1));
	cr_assert(sim_lock_is_held(&beta, -1));
	drop(&beta);
	cr_assert_eq(sim_self->lockdep_depth, 0);
	assert_reports(0);
}

Test(lockdep_held, release_of_what_is_not_held)
{
	take(&beta);
	drop(&alpha);
	assert_reports(1);
	assert_says("WARNING: bad unlock balance detected!\n");
	assert_says("1 lock held by init/1:\n #0: (beta)");
	drop(&beta);
	cr_assert_eq(sim_self->lockdep_depth, 0);
}

Test(lockdep_held, text)
{
	char small[16], text[256];

	memset(small, 'x', sizeof(small));
	sim_lockdep_held_text(text, sizeof(text));
	cr_assert_str_eq(text, "no locks held by init/1.\n");
	take(&alpha);
	sim_lockdep_held_text(text, sizeof(text));
	cr_assert_not_null(strstr(text, "1 lock held by init/1:\n #0: (alpha){+.+.}-{2:2}, at: "),
			   "%s", text);
	sim_lockdep_held_text(small, sizeof(small));
	cr_assert_lt(strlen(small), sizeof(small));
	drop(&alpha);
}

Test(lockdep_held, too_many)
{
	static char locks[SIM_LOCKS_HELD_MAX + 10];
	int i, nr = sizeof(locks);

	for (i = 0; i < nr; i++) {
		struct sim_lock_use use = {
			.instance = &locks[i], .name = "deep", .caller = HERE, .check = true
		};

		sim_lock_acquire(&use);
	}
	assert_reports(1);
	assert_says("BUG: MAX_LOCK_DEPTH too low!");
	/* one of those that found no room: no wrong complaint may come from it */
	cr_assert(sim_lock_is_held(&locks[nr - 1], -1));
	for (i = nr - 1; i >= 0; i--)
		sim_lock_release(&locks[i], HERE);
	cr_assert_eq(sim_self->lockdep_depth, 0);
	assert_reports(1);
	sim_lock_release(&locks[0], HERE);
	assert_reports(2);
	assert_says("bad unlock balance");
}

Test(lockdep_held, too_many_classes)
{
	static char locks[5000];
	size_t i;

	for (i = 0; i < sizeof(locks); i++) {
		struct sim_lock_use use = {
			.instance = &locks[i], .name = "one of many", .caller = HERE, .check = true
		};

		sim_lock_acquire(&use);
		cr_assert(sim_lock_is_held(&locks[i], 0));
		sim_lock_release(&locks[i], HERE);
	}
	assert_reports(1);
	assert_says("MAX_LOCKDEP_KEYS too low");
	assert_says("4095 lock classes");
	cr_assert_eq(sim_self->lockdep_depth, 0);
}

Test(lockdep_held, too_many_dependencies)
{
	static char locks[300];
	size_t i, j;

	for (i = 0; i < sizeof(locks); i++) {
		for (j = i + 1; j < sizeof(locks); j++) {
			struct sim_lock_use outer = {
				.instance = &locks[i], .name = "many", .caller = HERE, .check = true
			};
			struct sim_lock_use inner = outer;

			inner.instance = &locks[j];
			sim_lock_acquire(&outer);
			sim_lock_acquire(&inner);
			sim_lock_release(&locks[j], HERE);
			sim_lock_release(&locks[i], HERE);
		}
	}
	assert_reports(1);
	assert_says("MAX_LOCKDEP_ENTRIES too low");
	assert_says("16383 lock dependencies");
}

Test(lockdep_held, never_initialised)
{
	struct sim_lock_use use = { .instance = &use, .caller = HERE, .check = true };

	sim_lock_acquire(&use);
	assert_reports(1);
	assert_says("INFO: trying to register non-static key.");
	sim_lock_release(&use, HERE);
}

Test(lockdep_held, reset_forgets)
{
	in_order(&alpha, &beta);
	sim_lockdep_reset();
	in_order(&beta, &alpha);
	assert_reports(0);
	in_order(&alpha, &beta);
	assert_reports(1);
	sim_lockdep_reset();
	in_order(&alpha, &beta);
	in_order(&beta, &alpha);
	assert_reports(2);
}

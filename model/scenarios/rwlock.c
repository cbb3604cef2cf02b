// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that takes its rwlock again, and a writer that comes in between.
 */
#include "programs.h"

static DEFINE_RWLOCK(lock);
static DEFINE_RWLOCK(other);
static DEFINE_SPINLOCK(spin);
static int value;

static void read_twice(unsigned int n)
{
	if (n) {
		write_lock(&lock);
		value++;
		write_unlock(&lock);
		return;
	}
	read_lock(&lock);
	read_lock(&lock);
	DET_CHECK(value <= 1);
	read_unlock(&lock);
	read_unlock(&lock);
}

/* No lock twice: a reader that holds what another reader of the lock waits for. */
static void read_across(unsigned int n)
{
	switch (n) {
	case 0:
		spin_lock(&spin);
		read_lock(&lock);
		read_unlock(&lock);
		spin_unlock(&spin);
		break;
	case 1:
		read_lock(&lock);
		spin_lock(&spin);
		spin_unlock(&spin);
		read_unlock(&lock);
		break;
	default:
		write_lock(&lock);
		write_unlock(&lock);
	}
}

/* Holding another lock is no harm in itself. */
static void read_in_order(unsigned int n)
{
	if (n) {
		write_lock(&lock);
		value++;
		write_unlock(&lock);
		return;
	}
	read_lock(&other);
	read_lock(&lock);
	DET_CHECK(value <= 1);
	read_unlock(&lock);
	read_unlock(&other);
}

/* On PREEMPT_RT readers pass a writer that only waits (kernel/locking/rwbase_rt.c). */
#define BEHIND_A_WRITER (IS_ENABLED(CONFIG_PREEMPT_RT) ? NULL : "deadlock")

PROGRAM(rwlock_twice, "rwlock-twice", "a reader takes its rwlock again while a writer waits", 2,
	.actor = read_twice, .expects = BEHIND_A_WRITER);
PROGRAM(rwlock_across, "rwlock-across",
	"a reader behind a waiting writer holds what the other reader waits for", 3,
	.actor = read_across, .expects = BEHIND_A_WRITER);
PROGRAM(rwlock_order, "rwlock-order", "two rwlocks, always in one order, and a writer", 2,
	.actor = read_in_order);

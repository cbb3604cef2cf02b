// SPDX-License-Identifier: GPL-2.0-only
/*
 * T1: two tasks, a spinlock and a counter; and with the lock left out.
 */
#include "programs.h"

static DEFINE_SPINLOCK(lock);
static int counter;

static void locked(unsigned int n)
{
	spin_lock(&lock);
	counter++;
	spin_unlock(&lock);
}

static void bare(unsigned int n)
{
	counter++;
}

static void both_counted(void)
{
	DET_CHECK(counter == 2);
}

static uint64_t count(void)
{
	return counter;
}

PROGRAM(lock_counter, "lock-counter", "two tasks, a spinlock and a counter", 2, .actor = locked,
	.final = both_counted, .state = count);
PROGRAM(bare_counter, "bare-counter", "the same without the lock", 2, .actor = bare, .state = count,
	.expects = "kcsan");

static void locked_twice(unsigned int n)
{
	locked(n);
	locked(n);
}

#define ROUNDS(k)                                                                                  \
	static void rounds_##k(unsigned int n)                                                     \
	{                                                                                          \
		int i;                                                                             \
                                                                                                   \
		for (i = 0; i < k; i++) {                                                          \
			spin_lock(&lock);                                                          \
			spin_unlock(&lock);                                                        \
		}                                                                                  \
	}                                                                                          \
	PROGRAM(lock_rounds_##k, "lock-rounds-" #k, "two tasks, " #k " rounds of lock and unlock", \
		2, .actor = rounds_##k)

PROGRAM(lock_counter_2, "lock-counter-twice", "the same, each task twice", 2, .actor = locked_twice,
	.state = count);
ROUNDS(1);
ROUNDS(2);
ROUNDS(3);
ROUNDS(4);
ROUNDS(5);
ROUNDS(6);

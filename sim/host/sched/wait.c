// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <sim/sync.h>

#define PAUSES_BEFORE_YIELD \
	32 /* assumed: about a microsecond, then the holder may need this CPU \
				*/

void sim_spin_wait(unsigned int turn)
{
	if (turn < PAUSES_BEFORE_YIELD)
		__builtin_ia32_pause();
	else
		sched_yield();
}

void sim_wait_on(const uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void sim_wake_all(const uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock (futex(2)). */
void sim_wait_on_until(const uint32_t *word, uint32_t value, uint64_t deadline)
{
	struct timespec at = { deadline / 1000000000, deadline % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, &at, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

uint64_t sim_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

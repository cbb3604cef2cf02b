// SPDX-License-Identifier: GPL-2.0-only
/*
 * Atomic operations: none is lost, and what each orders (Documentation/atomic_t.txt, "ORDERING":
 * without a suffix and with a value, fully; without a value, not at all; _acquire, _release,
 * _relaxed as they say; one that failed, not at all).
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>

#include "litmus.h"

static int data ____cacheline_aligned;
static atomic_t flag ____cacheline_aligned;
static unsigned long bits ____cacheline_aligned;

static void clear(void)
{
	data = 0;
	bits = 0;
	atomic_set(&flag, 0);
}

/* ---- none is lost ---- */

static void final_flag(void)
{
	litmus_out(2, atomic_read(&flag));
}

static void inc_0(void)
{
	litmus_out(0, atomic_inc_return(&flag));
}

static void inc_1(void)
{
	litmus_out(1, atomic_inc_return(&flag));
}
LITMUS(inc_twice, "RMW+inc_return", 2, 3, clear, { inc_0, inc_1 }, .final = final_flag,
       .sc = "122 212");

static void set_bit_0(void)
{
	set_bit(0, &bits);
}

static void set_bit_1(void)
{
	set_bit(1, &bits);
}

static void final_bits(void)
{
	litmus_out(0, bits);
}
LITMUS(set_bits, "RMW+set_bit", 2, 1, clear, { set_bit_0, set_bit_1 }, .final = final_bits,
       .sc = "3");

static void add_void(void)
{
	atomic_add(2, &flag);
}

static void sub_void(void)
{
	atomic_dec(&flag);
}

static void final_sum(void)
{
	litmus_out(0, atomic_read(&flag));
}
LITMUS(add_sub, "RMW+atomic_add", 2, 1, clear, { add_void, sub_void }, .final = final_sum,
       .sc = "1");

static void claim_0(void)
{
	litmus_out(0, atomic_cmpxchg(&flag, 0, 1));
}

static void claim_1(void)
{
	litmus_out(1, atomic_cmpxchg(&flag, 0, 2));
}
LITMUS(claim, "RMW+cmpxchg", 2, 3, clear, { claim_0, claim_1 }, .final = final_flag,
       .sc = "011 202");

static void try_0(void)
{
	int old = 0;

	litmus_out(0, atomic_try_cmpxchg(&flag, &old, 1));
}

static void try_1(void)
{
	int old = 0;

	litmus_out(1, atomic_try_cmpxchg(&flag, &old, 2));
}
LITMUS(try_claim, "RMW+try_cmpxchg", 2, 3, clear, { try_0, try_1 }, .final = final_flag,
       .sc = "012 101");

/* ---- message passing through one: data is plain, so a missing order is a race ---- */

#define PASS(id, title, put, take, ...)      \
	static void id##_put(void)           \
	{                                    \
		data = 1;                    \
		put;                         \
	}                                    \
	static void id##_take(void)          \
	{                                    \
		int r = take;                \
                                             \
		litmus_out(0, r);            \
		litmus_out(1, r ? data : 2); \
	}                                    \
	LITMUS(id, title, 2, 2, clear, { id##_put, id##_take }, .sc = "02 11", __VA_ARGS__)

#define ORDERED .race = LITMUS_CLEAN
#define RACES	.race = LITMUS_RACE
#define UNSEEN	.race = LITMUS_RACE, .beyond_tsan = 1

PASS(full_full, "MP+xchg+fetch_add", xchg(&flag.counter, 1), atomic_fetch_add(0, &flag), ORDERED);
PASS(release_acquire, "MP+xchg_release+fetch_add_acquire", atomic_xchg_release(&flag, 1),
     atomic_fetch_add_acquire(0, &flag), ORDERED);
PASS(set_read, "MP+set_release+read_acquire", atomic_set_release(&flag, 1),
     atomic_read_acquire(&flag), ORDERED);
PASS(full_read, "MP+inc_return+read_acquire", atomic_inc_return(&flag), atomic_read_acquire(&flag),
     ORDERED);
PASS(before_after, "MP+mb__before_atomic+mb__after_atomic", smp_mb__before_atomic();
     atomic_inc(&flag), ({
	     int v = atomic_fetch_add_relaxed(0, &flag);

	     smp_mb__after_atomic();
	     v;
     }),
     ORDERED);
PASS(void_inc, "MP+inc+read_acquire", atomic_inc(&flag), atomic_read_acquire(&flag), RACES);
PASS(relaxed_put, "MP+xchg_relaxed+fetch_add_acquire", atomic_xchg_relaxed(&flag, 1),
     atomic_fetch_add_acquire(0, &flag), RACES);
PASS(acquire_put, "MP+xchg_acquire+fetch_add_acquire", atomic_xchg_acquire(&flag, 1),
     atomic_fetch_add_acquire(0, &flag), RACES);
PASS(relaxed_take, "MP+xchg_release+fetch_add_relaxed", atomic_xchg_release(&flag, 1),
     atomic_fetch_add_relaxed(0, &flag), RACES);
PASS(release_take, "MP+xchg_release+fetch_add_release", atomic_xchg_release(&flag, 1),
     atomic_fetch_add_release(0, &flag), RACES);
PASS(plain_read, "MP+set_release+read", atomic_set_release(&flag, 1), atomic_read(&flag), RACES);
PASS(good_cmpxchg, "MP+set_release+cmpxchg", atomic_set_release(&flag, 1),
     atomic_cmpxchg(&flag, 1, 3), ORDERED);
PASS(good_cmpxchg_acquire, "MP+cmpxchg_release+cmpxchg_acquire",
     atomic_cmpxchg_release(&flag, 0, 1), atomic_cmpxchg_acquire(&flag, 1, 3), ORDERED);
/* It finds 1 where it wanted 5: it has read, and orders nothing */
PASS(failed_cmpxchg, "MP+set_release+failed-cmpxchg", atomic_set_release(&flag, 1),
     atomic_cmpxchg(&flag, 5, 3), UNSEEN);
PASS(failed_try, "MP+set_release+failed-try_cmpxchg", atomic_set_release(&flag, 1), ({
	     int old = 5;

	     atomic_try_cmpxchg_acquire(&flag, &old, 3);
	     old;
     }),
     UNSEEN);

/*
 * A release sequence: an RMW in between, of whatever order, passes on what was released before it
 */
static void rmw_between(void)
{
	atomic_fetch_add_relaxed(1, &flag);
}

static void put_2(void)
{
	data = 1;
	atomic_fetch_add_release(2, &flag);
}

static void take_2(void)
{
	int r = atomic_read_acquire(&flag);

	litmus_out(0, r);
	litmus_out(1, r & 2 ? data : 2);
}
LITMUS(sequence, "MP+release+rmw+acquire", 3, 2, clear, { put_2, rmw_between, take_2 },
       .sc = "02 12 21 31");

/* Bits of one word: the order is of the word */
static void bit_put(void)
{
	data = 1;
	clear_bit_unlock(0, &bits);
}

static void bit_take(void)
{
	int got = !test_and_set_bit_lock(0, &bits);

	litmus_out(0, got);
	litmus_out(1, got ? data : 2);
}

static void bit_taken(void)
{
	data = 0;
	bits = 1;
}
LITMUS(bit_hand_over, "MP+clear_bit_unlock+test_and_set_bit_lock", 2, 2, bit_taken,
       { bit_put, bit_take }, .sc = "02 11");

static void bit_put_relaxed(void)
{
	data = 1;
	clear_bit(0, &bits);
}
LITMUS(bit_relaxed, "MP+clear_bit+test_and_set_bit_lock", 2, 2, bit_taken,
       { bit_put_relaxed, bit_take }, .sc = "02 11", .race = LITMUS_RACE);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks: exclusion, and what an unlock hands to the next lock.
 */
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/bit_spinlock.h>
#include <linux/cache.h>
#include <linux/mutex.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include "litmus.h"

static int x ____cacheline_aligned, y ____cacheline_aligned, count ____cacheline_aligned;
static unsigned long word ____cacheline_aligned;
static DEFINE_SPINLOCK(spin);
static DEFINE_SPINLOCK(spin_b);
static DEFINE_RAW_SPINLOCK(raw);
static DEFINE_RWLOCK(rw);
static DEFINE_MUTEX(mutex);
static seqcount_t seq = SEQCNT_ZERO(seq);

static void clear(void)
{
	x = y = count = 0;
	word = 0;
}

static void final_count(void)
{
	litmus_out(2, count);
}

/* ---- exclusion and the chain from unlock to lock: an increment is never lost, and never races */

#define COUNT(id, title, lock, unlock)  \
	static void id##_0(void)        \
	{                               \
		lock;                   \
		litmus_out(0, ++count); \
		unlock;                 \
	}                               \
	static void id##_1(void)        \
	{                               \
		lock;                   \
		litmus_out(1, ++count); \
		unlock;                 \
	}                               \
	LITMUS(id, title, 2, 3, clear, { id##_0, id##_1 }, .final = final_count, .sc = "122 212")

COUNT(count_spin, "count+spin_lock", spin_lock(&spin), spin_unlock(&spin));
COUNT(count_irq, "count+spin_lock_irq", spin_lock_irq(&spin), spin_unlock_irq(&spin));
COUNT(count_raw, "count+raw_spin_lock", raw_spin_lock(&raw), raw_spin_unlock(&raw));
COUNT(count_write, "count+write_lock", write_lock(&rw), write_unlock(&rw));
COUNT(count_mutex, "count+mutex_lock", mutex_lock(&mutex), mutex_unlock(&mutex));
COUNT(count_bit, "count+bit_spin_lock", bit_spin_lock(5, &word), bit_spin_unlock(5, &word));

/* Nobody's lock */
static void bare_0(void)
{
	litmus_out(0, ++count);
}

static void bare_1(void)
{
	litmus_out(1, ++count);
}
LITMUS(count_bare, "count+nothing", 2, 2, clear, { bare_0, bare_1 }, .race = LITMUS_RACE);
LITMUS(count_one, "count+spin_lock+nothing", 2, 2, clear, { count_spin_0, bare_1 },
       .race = LITMUS_RACE);
LITMUS(count_two, "count+spin_lock+mutex_lock", 2, 2, clear, { count_spin_0, count_mutex_1 },
       .race = LITMUS_RACE);

/* Readers of an rwlock see the writer's pair whole; two readers are no writer's business */
static void pair_write(void)
{
	write_lock(&rw);
	x = 1;
	y = 1;
	write_unlock(&rw);
}

static void pair_read_0(void)
{
	read_lock(&rw);
	litmus_out(0, x);
	litmus_out(1, y);
	read_unlock(&rw);
}

static void pair_read_1(void)
{
	read_lock(&rw);
	litmus_out(2, x);
	litmus_out(3, y);
	read_unlock(&rw);
}
LITMUS(rw_pair, "rwlock+pair", 3, 4, clear, { pair_write, pair_read_0, pair_read_1 },
       .sc = "0000 0011 1100 1111");

/* A read lock excludes no other reader */
static void read_and_count_0(void)
{
	read_lock(&rw);
	litmus_out(0, ++count);
	read_unlock(&rw);
}

static void read_and_count_1(void)
{
	read_lock(&rw);
	litmus_out(1, ++count);
	read_unlock(&rw);
}
LITMUS(rw_count, "count+read_lock", 2, 2, clear, { read_and_count_0, read_and_count_1 },
       .race = LITMUS_RACE, .beyond_tsan = 1 /* unless they really overlap */);

/* ---- trylock ---- */

#define TRY(id, title, trylock, unlock)                                          \
	static void id##_0(void)                                                 \
	{                                                                        \
		int got = trylock;                                               \
                                                                                 \
		if (got) {                                                       \
			count++;                                                 \
			unlock;                                                  \
		}                                                                \
		litmus_out(0, got);                                              \
	}                                                                        \
	static void id##_1(void)                                                 \
	{                                                                        \
		int got = trylock;                                               \
                                                                                 \
		if (got) {                                                       \
			count++;                                                 \
			unlock;                                                  \
		}                                                                \
		litmus_out(1, got);                                              \
	}                                                                        \
	LITMUS(id, title, 2, 3, clear, { id##_0, id##_1 }, .final = final_count, \
	       .sc = "011 101 112")

TRY(try_spin, "try+spin_trylock", spin_trylock(&spin), spin_unlock(&spin));
TRY(try_mutex, "try+mutex_trylock", mutex_trylock(&mutex), mutex_unlock(&mutex));
TRY(try_write, "try+write_trylock", write_trylock(&rw), write_unlock(&rw));
TRY(try_bit, "try+bit_spin_trylock", bit_spin_trylock(5, &word), bit_spin_unlock(5, &word));

/* One that failed orders nothing */
static void hold_after_store(void)
{
	x = 1;
	spin_lock(&spin);
	spin_unlock(&spin);
}

static void fail_and_look(void)
{
	if (spin_trylock(&spin))
		spin_unlock(&spin);
	else
		litmus_out(0, x);
}
LITMUS(try_failed, "try+failed", 2, 1, clear, { hold_after_store, fail_and_look },
       .race = LITMUS_RACE, .beyond_tsan = 1 /* the window is small */);

/* ---- order between what is inside and what is outside ---- */

static void write_x_y_apart(void)
{
	spin_lock(&spin);
	WRITE_ONCE(x, 1);
	spin_unlock(&spin);
	spin_lock(&spin);
	WRITE_ONCE(y, 1);
	spin_unlock(&spin);
}

static void read_y_x(void)
{
	int r0 = READ_ONCE(y), r1;

	smp_rmb();
	r1 = READ_ONCE(x);
	litmus_out(0, r0);
	litmus_out(1, r1);
}
/* MP+unlocklockonceonce+fencermbonceonce: never "10" */
LITMUS(unlock_lock, "MP+unlocklockonceonce+fencermbonceonce", 2, 2, clear,
       { write_x_y_apart, read_y_x }, .sc = "00 01 11");

static void lock_both(void)
{
	spin_lock(&spin);
	WRITE_ONCE(x, 1);
	WRITE_ONCE(y, 1);
	spin_unlock(&spin);
}

static void look_under_lock(void)
{
	int r0, r1;

	spin_lock(&spin);
	r0 = READ_ONCE(y);
	r1 = READ_ONCE(x);
	spin_unlock(&spin);
	litmus_out(0, r0);
	litmus_out(1, r1);
}
/* MP+polocks: the pair is whole as well */
LITMUS(mp_locks, "MP+polocks", 2, 2, clear, { lock_both, look_under_lock }, .sc = "00 11");

#define SB_LOCKS(id, title, lock_a, lock_b, unlock_a, unlock_b, ...) \
	static void id##_0(void)                                     \
	{                                                            \
		int r;                                               \
                                                                     \
		lock_a;                                              \
		WRITE_ONCE(x, 1);                                    \
		unlock_a;                                            \
		r = READ_ONCE(y);                                    \
		litmus_out(0, r);                                    \
	}                                                            \
	static void id##_1(void)                                     \
	{                                                            \
		int r;                                               \
                                                                     \
		lock_b;                                              \
		WRITE_ONCE(y, 1);                                    \
		unlock_b;                                            \
		r = READ_ONCE(x);                                    \
		litmus_out(1, r);                                    \
	}                                                            \
	LITMUS(id, title, 2, 2, clear, { id##_0, id##_1 }, __VA_ARGS__)

/* With one lock, the section that comes first has been seen by the other's lock */
SB_LOCKS(sb_same_lock, "SB+one-lock", spin_lock(&spin), spin_lock(&spin), spin_unlock(&spin),
	 spin_unlock(&spin), .sc = "01 10 11");
/* An unlock is a store like another: it may wait in the buffer */
SB_LOCKS(sb_two_locks, "SB+two-locks", spin_lock(&spin), spin_lock(&spin_b), spin_unlock(&spin),
	 spin_unlock(&spin_b), .sc = "01 10 11", .tso = "00",
	 .missed = "00" /* an unlock empties the buffer */);

static void after_unlock_lock(void)
{
	int r;

	spin_lock(&spin);
	WRITE_ONCE(x, 1);
	spin_unlock(&spin);
	spin_lock(&spin_b);
	smp_mb__after_unlock_lock();
	r = READ_ONCE(y);
	spin_unlock(&spin_b);
	litmus_out(0, r);
}

static void store_mb_load(void)
{
	int r;

	WRITE_ONCE(y, 1);
	smp_mb();
	r = READ_ONCE(x);
	litmus_out(1, r);
}
LITMUS(mb_after_unlock_lock, "SB+mb__after_unlock_lock+mb", 2, 2, clear,
       { after_unlock_lock, store_mb_load }, .sc = "01 10 11");

static void after_spinlock(void)
{
	int r;

	WRITE_ONCE(x, 1);
	spin_lock(&spin);
	smp_mb__after_spinlock();
	r = READ_ONCE(y);
	spin_unlock(&spin);
	litmus_out(0, r);
}
LITMUS(mb_after_spinlock, "SB+mb__after_spinlock+mb", 2, 2, clear,
       { after_spinlock, store_mb_load }, .sc = "01 10 11");

/* ---- seqcount: whole pairs, and no report of the plain accesses inside ---- */

static void seq_write(void)
{
	preempt_disable();
	write_seqcount_begin(&seq);
	x = 1;
	y = 1;
	write_seqcount_end(&seq);
	preempt_enable();
}

static void seq_read(void)
{
	unsigned int start;
	int r0, r1;

	do {
		start = read_seqcount_begin(&seq);
		r0 = x;
		r1 = y;
	} while (read_seqcount_retry(&seq, start));
	litmus_out(0, r0);
	litmus_out(1, r1);
}
LITMUS(seq_pair, "seqcount+pair", 2, 2, clear, { seq_write, seq_read }, .sc = "00 11");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What store buffers show (SB, R) and what they never do (LB, S, 2+2W, IRIW), with and without
 * barriers.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <asm/barrier.h>

#include "litmus.h"

static int x ____cacheline_aligned, y ____cacheline_aligned;
static atomic_t a ____cacheline_aligned, b ____cacheline_aligned;
static unsigned long bits[2] ____cacheline_aligned;

static void clear(void)
{
	x = y = 0;
	bits[0] = bits[1] = 0;
	atomic_set(&a, 0);
	atomic_set(&b, 0);
}

/* SB: each stores to one variable, does @between, and loads the other */
#define SB(id, title, between, ...)                            \
	static void id##_0(void)                               \
	{                                                      \
		atomic_t *own __maybe_unused = &a;             \
		unsigned long *word __maybe_unused = bits;     \
		int r;                                         \
                                                               \
		WRITE_ONCE(x, 1);                              \
		between;                                       \
		r = READ_ONCE(y);                              \
		litmus_out(0, r);                              \
	}                                                      \
	static void id##_1(void)                               \
	{                                                      \
		atomic_t *own __maybe_unused = &b;             \
		unsigned long *word __maybe_unused = bits + 1; \
		int r;                                         \
                                                               \
		WRITE_ONCE(y, 1);                              \
		between;                                       \
		r = READ_ONCE(x);                              \
		litmus_out(1, r);                              \
	}                                                      \
	LITMUS(id, title, 2, 2, clear, { id##_0, id##_1 }, __VA_ARGS__)

#define SHOWN	  .sc = "01 10 11", .tso = "00"
#define NOT_SHOWN .sc = "01 10 11"

/* SB+poonceonces: sometimes; SB+fencembonceonces: never */
SB(sb, "SB+poonceonces", , SHOWN);
SB(sb_mb, "SB+fencembonceonces", smp_mb(), NOT_SHOWN);
SB(sb_wmb, "SB+wmbs", smp_wmb(), SHOWN);
SB(sb_rmb, "SB+rmbs", smp_rmb(), SHOWN);
SB(sb_barrier, "SB+compiler-barriers", barrier(), SHOWN);
/* Value-returning atomics without a suffix are full barriers (Documentation/atomic_t.txt); */
SB(sb_full_rmw, "SB+atomic_add_return", atomic_add_return(1, own), NOT_SHOWN);
SB(sb_xchg, "SB+xchg", xchg(&own->counter, 1), NOT_SHOWN);
SB(sb_test_and_set, "SB+test_and_set_bit", test_and_set_bit(3, word), NOT_SHOWN);
SB(sb_cmpxchg, "SB+cmpxchg", cmpxchg(&own->counter, 0, 1), NOT_SHOWN);
SB(sb_before_atomic, "SB+mb__before_atomic", smp_mb__before_atomic(); atomic_inc(own), NOT_SHOWN);
/* the others are on x86, where each of them has a lock prefix, which empties the buffer */
SB(sb_relaxed_rmw, "SB+atomic_add_return_relaxed", atomic_add_return_relaxed(1, own), NOT_SHOWN);
SB(sb_void_rmw, "SB+atomic_inc", atomic_inc(own), NOT_SHOWN);
SB(sb_set_bit, "SB+set_bit", set_bit(3, word), NOT_SHOWN);
SB(sb_failed, "SB+failed-cmpxchg", cmpxchg(&own->counter, 5, 6), NOT_SHOWN);
/* These are plain moves there */
SB(sb_set, "SB+atomic_set_release", atomic_set_release(own, 1), SHOWN);
SB(sb_unlocked_bit, "SB+__set_bit", __set_bit(3, word), SHOWN);

/* One side's barrier is not enough */
static void mb_0(void)
{
	int r;

	WRITE_ONCE(x, 1);
	smp_mb();
	r = READ_ONCE(y);
	litmus_out(0, r);
}
LITMUS(sb_one_mb, "SB+fencembonceonce+poonceonce", 2, 2, clear, { mb_0, sb_1 }, SHOWN);

/* smp_store_mb() is its own barrier */
static void store_mb_0(void)
{
	int r;

	smp_store_mb(x, 1);
	r = READ_ONCE(y);
	litmus_out(0, r);
}

static void store_mb_1(void)
{
	int r;

	smp_store_mb(y, 1);
	r = READ_ONCE(x);
	litmus_out(1, r);
}
LITMUS(sb_store_mb, "SB+smp_store_mb", 2, 2, clear, { store_mb_0, store_mb_1 }, NOT_SHOWN);

/* SB+rfionceonce-poonceonces: each sees its own store before others do */
static void rfi_0(void)
{
	int r0, r1;

	WRITE_ONCE(x, 1);
	r0 = READ_ONCE(x);
	r1 = READ_ONCE(y);
	litmus_out(0, r0);
	litmus_out(1, r1);
}

static void rfi_1(void)
{
	int r2, r3;

	WRITE_ONCE(y, 1);
	r2 = READ_ONCE(y);
	r3 = READ_ONCE(x);
	litmus_out(2, r2);
	litmus_out(3, r3);
}
LITMUS(sb_rfi, "SB+rfionceonce-poonceonces", 2, 4, clear, { rfi_0, rfi_1 }, .sc = "1011 1110 1111",
       .tso = "1010");

/* ---- R: like SB, with a store on both sides ---- */

static void final_y(void)
{
	litmus_out(1, READ_ONCE(y));
}

static void r_0(void)
{
	WRITE_ONCE(x, 1);
	WRITE_ONCE(y, 1);
}

static void r_0_mb(void)
{
	WRITE_ONCE(x, 1);
	smp_mb();
	WRITE_ONCE(y, 1);
}

static void r_1(void)
{
	int r;

	WRITE_ONCE(y, 2);
	r = READ_ONCE(x);
	litmus_out(0, r);
}

static void r_1_mb(void)
{
	int r;

	WRITE_ONCE(y, 2);
	smp_mb();
	r = READ_ONCE(x);
	litmus_out(0, r);
}
LITMUS(r, "R+poonceonces", 2, 2, clear, { r_0, r_1 }, .final = final_y, .sc = "01 11 12",
       .tso = "02");
LITMUS(r_mb, "R+fencembonceonces", 2, 2, clear, { r_0_mb, r_1_mb }, .final = final_y,
       .sc = "01 11 12");

/* ---- what x86 keeps: load before store, store before store, one order of stores ---- */

static void lb_0(void)
{
	int r = READ_ONCE(x);

	WRITE_ONCE(y, 1);
	litmus_out(0, r);
}

static void lb_1(void)
{
	int r = READ_ONCE(y);

	WRITE_ONCE(x, 1);
	litmus_out(1, r);
}
LITMUS(lb, "LB+poonceonces", 2, 2, clear, { lb_0, lb_1 }, .sc = "00 01 10");

static void s_0(void)
{
	WRITE_ONCE(x, 2);
	smp_wmb();
	WRITE_ONCE(y, 1);
}

static void s_1(void)
{
	int r = smp_load_acquire(&y);

	WRITE_ONCE(x, 1);
	litmus_out(0, r);
}

static void final_x(void)
{
	litmus_out(1, READ_ONCE(x));
}
LITMUS(s, "S+fencewmbonceonce+poacquireonce", 2, 2, clear, { s_0, s_1 }, .final = final_x,
       .sc = "01 02 11");

static void w_0(void)
{
	WRITE_ONCE(x, 1);
	WRITE_ONCE(y, 2);
}

static void w_1(void)
{
	WRITE_ONCE(y, 1);
	WRITE_ONCE(x, 2);
}

static void final_both(void)
{
	litmus_out(0, READ_ONCE(x));
	litmus_out(1, READ_ONCE(y));
}
LITMUS(w22, "2+2W+poonceonces", 2, 2, clear, { w_0, w_1 }, .final = final_both, .sc = "12 21 22");

static void write_x(void)
{
	WRITE_ONCE(x, 1);
}

static void write_y(void)
{
	WRITE_ONCE(y, 1);
}

static void read_xy(void)
{
	int r0 = READ_ONCE(x), r1 = READ_ONCE(y);

	litmus_out(0, r0);
	litmus_out(1, r1);
}

static void read_yx(void)
{
	int r2 = READ_ONCE(y), r3 = READ_ONCE(x);

	litmus_out(2, r2);
	litmus_out(3, r3);
}
/* All but "1010", which needs two readers that disagree on which store came first */
LITMUS(iriw, "IRIW+poonceonces+OnceOnce", 4, 4, clear, { write_x, read_xy, write_y, read_yx },
       .sc = "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1011 1100 1101 1110 1111");

/* ---- one variable (Co*) ---- */

static void corr(void)
{
	int r0 = READ_ONCE(x), r1 = READ_ONCE(x);

	litmus_out(0, r0);
	litmus_out(1, r1);
}
LITMUS(co_rr, "CoRR+poonceonce+Once", 2, 2, clear, { write_x, corr }, .sc = "00 01 11");

static void cowr(void)
{
	int r0;

	WRITE_ONCE(x, 1);
	r0 = READ_ONCE(x);
	litmus_out(0, r0);
}

static void write_x2(void)
{
	WRITE_ONCE(x, 2);
}
LITMUS(co_wr, "CoWR+poonceonce+Once", 2, 2, clear, { cowr, write_x2 }, .final = final_x,
       .sc = "11 12 22");

static void corw(void)
{
	int r0 = READ_ONCE(x);

	WRITE_ONCE(x, 1);
	litmus_out(0, r0);
}
LITMUS(co_rw, "CoRW+poonceonce+Once", 2, 2, clear, { corw, write_x2 }, .final = final_x,
       .sc = "01 02 21");

/* Bytes of one word: a load of the word sees its own buffered bytes over the others' */
static union {
	u8 byte[4];
	u32 word;
} mixed ____cacheline_aligned;

static void mixed_clear(void)
{
	mixed.word = 0;
}

static void mixed_0(void)
{
	u32 w;

	WRITE_ONCE(mixed.byte[0], 1);
	w = READ_ONCE(mixed.word);
	litmus_out(0, w & 0xff);
	litmus_out(1, w >> 8 & 0xff);
}

static void mixed_1(void)
{
	u32 w;

	WRITE_ONCE(mixed.byte[1], 1);
	w = READ_ONCE(mixed.word);
	litmus_out(2, w & 0xff);
	litmus_out(3, w >> 8 & 0xff);
}
LITMUS(sb_bytes, "SB+bytes-of-a-word", 2, 4, mixed_clear, { mixed_0, mixed_1 },
       .sc = "1011 1101 1111", .tso = "1001");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Message passing (MP) and its longer forms: data, then a flag. x86 keeps the order of stores and
 * that of loads, so no form shows the stale outcome there; what a missing barrier shows is a race.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/processor.h>
#include <asm/barrier.h>

#include "litmus.h"

static int x ____cacheline_aligned, y ____cacheline_aligned, z ____cacheline_aligned;

static void clear(void)
{
	x = y = z = 0;
}

/* The reader looks at plain data only where the flag says that it is there. */
static void out_if(int flag, const int *data)
{
	litmus_out(0, flag);
	litmus_out(1, flag ? *data : 2);
}

static void mark_once(void)
{
	WRITE_ONCE(x, 1);
	WRITE_ONCE(y, 1);
}

static void mark_release(void)
{
	WRITE_ONCE(x, 1);
	smp_store_release(&y, 1);
}

static void mark_wmb(void)
{
	WRITE_ONCE(x, 1);
	smp_wmb();
	WRITE_ONCE(y, 1);
}

static void look_once(void)
{
	int r0 = READ_ONCE(y), r1 = READ_ONCE(x);

	litmus_out(0, r0);
	litmus_out(1, r1);
}

static void look_acquire(void)
{
	int r0 = smp_load_acquire(&y), r1 = READ_ONCE(x);

	litmus_out(0, r0);
	litmus_out(1, r1);
}

static void look_rmb(void)
{
	int r0 = READ_ONCE(y), r1;

	smp_rmb();
	r1 = READ_ONCE(x);
	litmus_out(0, r0);
	litmus_out(1, r1);
}

/* "10" is what the model's MP+pooncerelease+poacquireonce and MP+fencewmb...+fencermb... forbid */
LITMUS(mp_once, "MP+poonceonces", 2, 2, clear, { mark_once, look_once }, .sc = "00 01 11");
LITMUS(mp_release, "MP+pooncerelease+poacquireonce", 2, 2, clear, { mark_release, look_acquire },
       .sc = "00 01 11");
LITMUS(mp_fences, "MP+fencewmbonceonce+fencermbonceonce", 2, 2, clear, { mark_wmb, look_rmb },
       .sc = "00 01 11");

/* ---- plain data ---- */

static void plain_plain(void)
{
	x = 1;
	barrier();
	y = 1;
}

static void plain_once(void)
{
	x = 1;
	WRITE_ONCE(y, 1);
}

static void plain_release(void)
{
	x = 1;
	smp_store_release(&y, 1);
}

static void plain_wmb(void)
{
	x = 1;
	smp_wmb();
	WRITE_ONCE(y, 1);
}

static void plain_mb(void)
{
	x = 1;
	smp_mb();
	WRITE_ONCE(y, 1);
}

static void if_plain(void)
{
	int r0 = y;

	barrier();
	out_if(r0, &x);
}

static void if_once(void)
{
	out_if(READ_ONCE(y), &x);
}

static void if_acquire(void)
{
	out_if(smp_load_acquire(&y), &x);
}

static void if_rmb(void)
{
	int r0 = READ_ONCE(y);

	smp_rmb();
	out_if(r0, &x);
}

static void if_mb(void)
{
	int r0 = READ_ONCE(y);

	smp_mb();
	out_if(r0, &x);
}

static void if_waited(void)
{
	int r0 = smp_cond_load_acquire(&y, VAL);

	out_if(r0, &x);
}

LITMUS(mp_plain, "MP+plain", 2, 2, clear, { plain_plain, if_plain }, .race = LITMUS_RACE);
LITMUS(mp_plain_release, "MP+plain+release+acquire", 2, 2, clear, { plain_release, if_acquire },
       .sc = "02 11");
LITMUS(mp_plain_fences, "MP+plain+wmb+rmb", 2, 2, clear, { plain_wmb, if_rmb }, .sc = "02 11");
LITMUS(mp_plain_mbs, "MP+plain+mb+mb", 2, 2, clear, { plain_mb, if_mb }, .sc = "02 11");
LITMUS(mp_plain_mixed, "MP+plain+wmb+acquire", 2, 2, clear, { plain_wmb, if_acquire },
       .sc = "02 11");
LITMUS(mp_plain_mixed_2, "MP+plain+release+rmb", 2, 2, clear, { plain_release, if_rmb },
       .sc = "02 11");
LITMUS(mp_plain_waited, "MP+plain+release+cond-load-acquire", 2, 2, clear,
       { plain_release, if_waited }, .sc = "11");
LITMUS(mp_no_release, "MP+plain+once+acquire", 2, 2, clear, { plain_once, if_acquire },
       .sc = "02 11", .race = LITMUS_RACE);
LITMUS(mp_no_acquire, "MP+plain+release+once", 2, 2, clear, { plain_release, if_once },
       .sc = "02 11", .race = LITMUS_RACE);

/* A plain store of the flag: kcsan's rules let it pass */
static void plain_flag(void)
{
	WRITE_ONCE(x, 1);
	barrier();
	y = 1;
}
LITMUS(mp_plain_flag, "MP+once+plain-flag", 2, 2, clear, { plain_flag, look_acquire },
       .sc = "00 01 11", .race = LITMUS_RACE_STRICT);

/* A value that depends on the flag's orders a store, but no plain load */
static void lb_data(void)
{
	int r0 = READ_ONCE(y);

	WRITE_ONCE(x, r0);
	litmus_out(0, r0);
}

static void lb_data_back(void)
{
	int r1 = READ_ONCE(x);

	WRITE_ONCE(y, 1);
	litmus_out(1, r1);
}
LITMUS(lb_dep, "LB+data+po", 2, 2, clear, { lb_data, lb_data_back }, .sc = "00 10");

/* ---- longer chains ---- */

static void isa2_middle(void)
{
	int r0 = smp_load_acquire(&y);

	smp_store_release(&z, 1);
	litmus_out(0, r0);
}

static void isa2_end(void)
{
	int r1 = smp_load_acquire(&z), r2 = READ_ONCE(x);

	litmus_out(1, r1);
	litmus_out(2, r2);
}

/* ISA2+pooncerelease+poacquirerelease+poacquireonce: never "110" */
LITMUS(isa2, "ISA2+pooncerelease+poacquirerelease+poacquireonce", 3, 3, clear,
       { mark_release, isa2_middle, isa2_end }, .sc = "000 001 010 011 100 101 111");

static void wrc_start(void)
{
	WRITE_ONCE(x, 1);
}

static void wrc_middle(void)
{
	int r0 = READ_ONCE(x);

	smp_store_release(&y, 1);
	litmus_out(0, r0);
}

static void wrc_end(void)
{
	int r1 = READ_ONCE(y), r2;

	smp_rmb();
	r2 = READ_ONCE(x);
	litmus_out(1, r1);
	litmus_out(2, r2);
}

/* WRC+pooncerelease+fencermbonceonce+Once: never "110" */
LITMUS(wrc, "WRC+pooncerelease+fencermbonceonce+Once", 3, 3, clear,
       { wrc_start, wrc_middle, wrc_end }, .sc = "000 001 010 011 100 101 111");

/* Plain data through two hands: release and acquire are transitive */
static void chain_middle(void)
{
	if (smp_load_acquire(&y))
		smp_store_release(&z, 1);
}

static void chain_end(void)
{
	out_if(smp_load_acquire(&z), &x);
}
LITMUS(chain, "ISA2+plain+release+acquire-release+acquire", 3, 2, clear,
       { plain_release, chain_middle, chain_end }, .sc = "02 11");

static void chain_middle_once(void)
{
	if (READ_ONCE(y))
		smp_store_release(&z, 1);
}
LITMUS(chain_broken, "ISA2+plain+release+once-release+acquire", 3, 2, clear,
       { plain_once, chain_middle_once, chain_end }, .sc = "02 11", .race = LITMUS_RACE);

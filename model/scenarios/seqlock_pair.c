// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pair that belongs together, under a seqlock: a reader that met a writer reads again.
 */
#include <linux/seqlock.h>

#include "programs.h"

static DEFINE_SEQLOCK(pair_lock);
static u32 one = 1, two = 2;
static u32 seen[3];

static noinline void double_it(void)
{
	write_seqlock(&pair_lock);
	one *= 2;
	two *= 2;
	write_sequnlock(&pair_lock);
}

static noinline void look(unsigned int n)
{
	unsigned int seq;
	u32 a, b;

	do {
		seq = read_seqbegin(&pair_lock);
		a = one;
		b = two;
	} while (read_seqretry(&pair_lock, seq));
	DET_CHECK(b == 2 * a);
	seen[n] = a;
}

static void double_or_look(unsigned int n)
{
	if (n)
		look(n);
	else
		double_it();
}

static u64 what_was_seen(void)
{
	return seen[1] | (u64)seen[2] << 32;
}

PROGRAM(seqlock_1, "seqlock-pair", "a pair under a seqlock: a writer and a reader", 2,
	.actor = double_or_look, .state = what_was_seen);
PROGRAM(seqlock_2, "seqlock-pair-2", "the same with two readers", 3, .actor = double_or_look,
	.state = what_was_seen);

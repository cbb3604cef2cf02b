// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs whose interleavings can be counted by a formula.
 */
#include <linux/atomic.h>

#include "programs.h"

static atomic_t sum;
static int order;

static void add(unsigned int n)
{
	int before = atomic_fetch_add(1, &sum);

	/* Who was how many-th; only this task writes these bits. */
	data_race(order |= before << (4 * n));
}

static uint64_t who_came_when(void)
{
	return order;
}

#define ADDERS(n) \
	PROGRAM(adders_##n, "adders-" #n, "each task one atomic increment", n, .actor = add_only)

static void add_only(unsigned int n)
{
	atomic_inc(&sum);
}

ADDERS(1);
ADDERS(2);
ADDERS(3);
ADDERS(4);
ADDERS(5);
ADDERS(6);
PROGRAM(adders_order, "adders-order", "three tasks find out who came when", 3, .actor = add,
	.state = who_came_when);

static int cells[16], seen[16];

static void write_or_read(unsigned int n, unsigned int readers)
{
	unsigned int i;

	if (n)
		WRITE_ONCE(seen[n], READ_ONCE(cells[n]));
	else
		for (i = 1; i <= readers; i++)
			WRITE_ONCE(cells[i], 1);
}

static uint64_t who_saw(void)
{
	uint64_t bits = 0;
	int i;

	for (i = 0; i < 16; i++)
		bits |= (uint64_t)seen[i] << i;
	return bits;
}

#define READERS(n, actors)                                                                         \
	static void readers_##n(unsigned int a)                                                    \
	{                                                                                          \
		write_or_read(a, n);                                                               \
	}                                                                                          \
	PROGRAM(program_readers_##n, "readers-" #n,                                                \
		"a writer and " #n " readers of distinct variables", actors, .actor = readers_##n, \
		.state = who_saw)

READERS(1, 2);
READERS(2, 3);
READERS(3, 4);
READERS(4, 5);
READERS(6, 7);
READERS(8, 9);
READERS(10, 11);

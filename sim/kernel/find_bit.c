// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/find.h: bits in long bitmaps. @size where there is none.
 */
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/minmax.h>

#include "supply.h"

static unsigned long next_bit(const unsigned long *map, unsigned long size, unsigned long from)
{
	unsigned long word;

	while (from < size) {
		word = map[from / BITS_PER_LONG] >> from % BITS_PER_LONG;
		if (word)
			return min_t(unsigned long, from + __ffs(word), size);
		from = (from / BITS_PER_LONG + 1) * BITS_PER_LONG;
	}

	return size;
}

SUPPLY(unsigned long, _find_first_bit, const unsigned long *map, unsigned long size)
{
	return next_bit(map, size, 0);
}

SUPPLY(unsigned long, _find_next_bit, const unsigned long *map, unsigned long size,
       unsigned long from)
{
	return next_bit(map, size, from);
}

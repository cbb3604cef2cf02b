// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/vmalloc.h and linux/mm.h: which addresses are vmalloc's. Its allocator is beside kvmalloc,
 * in slab.c.
 */
#include <linux/mm.h>

#include <sim/mm.h>

#include "supply.h"

SUPPLY(bool, is_vmalloc_addr, const void *p)
{
	return sim_is_vmalloc_addr(p);
}

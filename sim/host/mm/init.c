// SPDX-License-Identifier: GPL-2.0-only
#include <sim/mm.h>

#include "ager.h"
#include "arena.h"
#include "buddy.h"
#include "objects.h"
#include "slab.h"

#define DEFAULT_RAM (64UL << 20)
#define RAM_UNIT    (SIM_PAGE_SIZE << SIM_MAX_ORDER)
#define MAX_RAM	    (64UL << 30) /* keeps the record table of twice that size mappable */

void sim_mm_init(size_t ram_bytes)
{
	if (!ram_bytes)
		ram_bytes = DEFAULT_RAM;
	if (ram_bytes > MAX_RAM)
		ram_bytes = MAX_RAM;
	ram_bytes = (ram_bytes + RAM_UNIT - 1) & -RAM_UNIT;
	if (sim_nr_frames && (size_t)sim_nr_frames << SIM_PAGE_SHIFT == ram_bytes)
		return;
	if (sim_nr_frames) {
		sim_mm_reset();
		sim_frames_unmap();
	}
	sim_frames_map(ram_bytes);
	sim_vmalloc_map_range();
	sim_buddy_reset();
	sim_slab_init();
}

void sim_mm_reset(void)
{
	sim_quarantine_reset();
	sim_vmalloc_reset();
	sim_slab_reset();
	sim_ager_reset();
	sim_buddy_reset();
	sim_compact_reset();
	sim_ledger_reset();
	sim_shadow_poison((void *)SIM_DIRECT_MAP, (size_t)sim_nr_frames << SIM_PAGE_SHIFT);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct compaction: find an aligned block in which all that is allocated are movable pages of the
 * ager, move these into free frames elsewhere, and so make the block free. The scan goes up from
 * where the last one ended, as the kernel's migration scanner keeps its place.
 */
#include <string.h>

#include <sim/ops.h>

#include "ager.h"
#include "buddy.h"
#include "poison.h"

static uint32_t cursor;

void sim_compact_reset(void)
{
	cursor = 0;
}

/* How many pages must move to empty the block; -1: something in it cannot. */
static int block_cost(uint32_t first, uint32_t nr)
{
	int cost = 0;

	for (uint32_t i = first; i < first + nr; i++) {
		if (sim_frames[i].type == SIM_FRAME_MOVABLE)
			cost++;
		else if (sim_frames[i].type != SIM_FRAME_FREE)
			return -1;
	}
	return cost;
}

static void move_page(uint32_t from, uint32_t to)
{
	sim_shadow_unpoison(sim_frame_addr(to), SIM_PAGE_SIZE);
	memcpy(sim_frame_addr(to), sim_frame_addr(from), SIM_PAGE_SIZE);
	sim_shadow_poison(sim_frame_addr(from), SIM_PAGE_SIZE);
	sim_frames[to].owner = sim_frames[from].owner;
	sim_ager_moved(sim_frames[to].owner, to);
	sim_frames[from].type = SIM_FRAME_ISOLATED;
}

/* Under the lock, with enough free frames outside the block. */
static void empty_block(uint32_t first, unsigned int order)
{
	uint32_t i, to, nr = 1U << order;

	for (i = first; i < first + nr; i++)
		if (sim_frames[i].buddy_head)
			sim_buddy_isolate_locked(i);
	for (i = first; i < first + nr; i++) {
		if (sim_frames[i].type != SIM_FRAME_MOVABLE)
			continue;
		to = sim_buddy_alloc_locked(0, SIM_MOVABLE, SIM_FRAME_MOVABLE, true);
		if (to == SIM_NO_FRAME)
			to = sim_buddy_alloc_locked(0, SIM_MOVABLE, SIM_FRAME_MOVABLE, false);
		move_page(i, to);
	}
	sim_buddy_free_locked(first, order);
}

bool sim_compact(unsigned int order)
{
	uint32_t nr = 1U << order, blocks = sim_nr_frames >> order, scanned, first;
	int cost = -1;

	sim_count(SIM_OP_COMPACT, 1);
	pthread_mutex_lock(&sim_mm_lock);
	for (scanned = 0; scanned < blocks; scanned++) {
		first = cursor & -nr;
		cursor = first + nr < sim_nr_frames ? first + nr : 0;
		cost = block_cost(first, nr);
		/* Its own free frames are no place to move to. */
		if (cost >= 0 && sim_mm_free_pages() - (nr - cost) >= (unsigned long)cost)
			break;
		cost = -1;
	}
	if (cost > 0)
		empty_block(first, order);
	pthread_mutex_unlock(&sim_mm_lock);
	if (cost > 0)
		sim_count(SIM_OP_MIGRATE, cost);
	return cost >= 0;
}

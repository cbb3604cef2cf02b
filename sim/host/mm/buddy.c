// SPDX-License-Identifier: GPL-2.0-only
/*
 * Free blocks of 2^0 to 2^10 frames, one list for each order and mobility, last in first out. A
 * block that is freed merges with its buddy as far as that is free. A request that its own lists
 * cannot serve takes from the other mobility's largest block, and with it what is free in that
 * pageblock, as the kernel does to keep the two kinds apart.
 */
#include <string.h>

#include "buddy.h"

static uint32_t heads[SIM_NR_MOBILITIES][SIM_MAX_ORDER + 1];
static unsigned long nr_blocks[SIM_MAX_ORDER + 1];
static unsigned long free_frames;
static uint8_t pageblock_mobility[1 << 16];

#define PAGEBLOCK_FRAMES (1U << SIM_PAGEBLOCK_ORDER)

static enum sim_mobility block_mobility(uint32_t frame)
{
	return pageblock_mobility[frame >> SIM_PAGEBLOCK_ORDER];
}

static void list_add(uint32_t frame, unsigned int order, enum sim_mobility list)
{
	struct sim_frame *f = &sim_frames[frame];

	f->next = heads[list][order];
	f->prev = SIM_NO_FRAME;
	if (f->next != SIM_NO_FRAME)
		sim_frames[f->next].prev = frame;
	heads[list][order] = frame;
	f->order = order;
	f->list = list;
	f->buddy_head = 1;
	nr_blocks[order]++;
	free_frames += 1UL << order;
}

static void list_del(uint32_t frame)
{
	struct sim_frame *f = &sim_frames[frame];

	if (f->prev == SIM_NO_FRAME)
		heads[f->list][f->order] = f->next;
	else
		sim_frames[f->prev].next = f->next;
	if (f->next != SIM_NO_FRAME)
		sim_frames[f->next].prev = f->prev;
	f->buddy_head = 0;
	nr_blocks[f->order]--;
	free_frames -= 1UL << f->order;
}

void sim_buddy_reset(void)
{
	uint32_t frame;

	memset(sim_frames, 0, sim_nr_frames * sizeof(*sim_frames));
	memset(heads, 0xff, sizeof(heads));
	memset(nr_blocks, 0, sizeof(nr_blocks));
	memset(pageblock_mobility, SIM_MOVABLE, sizeof(pageblock_mobility));
	free_frames = 0;
	for (frame = sim_nr_frames; frame;) {
		frame -= 1U << SIM_MAX_ORDER;
		list_add(frame, SIM_MAX_ORDER, SIM_MOVABLE);
	}
}

static void mark(uint32_t frame, uint32_t nr, enum sim_frame_type type)
{
	uint32_t i;

	sim_frames[frame].type = type;
	sim_frames[frame].class = SIM_NO_CLASS;
	sim_frames[frame].recorded = 1;
	sim_frames[frame].owner = SIM_NO_FRAME;
	for (i = 1; i < nr; i++) {
		sim_frames[frame + i].type = SIM_FRAME_TAIL;
		sim_frames[frame + i].owner = frame;
	}
}

/* Cut a block off its list down to @order; the upper halves go back, the lowest part is returned.
 */
static uint32_t take(uint32_t frame, unsigned int order, enum sim_mobility list)
{
	unsigned int have = sim_frames[frame].order;

	list_del(frame);
	while (have > order) {
		have--;
		list_add(frame + (1U << have), have, list);
	}
	return frame;
}

static unsigned int pageblock_free(uint32_t first)
{
	unsigned int nr = 0;
	uint32_t i;

	for (i = first; i < first + PAGEBLOCK_FRAMES; i++)
		nr += sim_frames[i].type == SIM_FRAME_FREE;
	return nr;
}

/*
 * Move the free blocks of the pageblock around @frame to @mobility's lists, and the pageblock
 * itself once half of it is free (mm/page_alloc.c: steal_suitable_fallback).
 */
static void steal_pageblock(uint32_t frame, enum sim_mobility mobility)
{
	uint32_t first = frame & -PAGEBLOCK_FRAMES, i = first;

	if (pageblock_free(first) >= PAGEBLOCK_FRAMES / 2)
		pageblock_mobility[first >> SIM_PAGEBLOCK_ORDER] = mobility;
	while (i < first + PAGEBLOCK_FRAMES) {
		unsigned int order;

		if (!sim_frames[i].buddy_head) {
			i++;
			continue;
		}
		order = sim_frames[i].order;
		list_del(i);
		list_add(i, order, mobility);
		i += 1U << order;
	}
}

static uint32_t take_fallback(unsigned int order, enum sim_mobility mobility)
{
	enum sim_mobility other = !mobility;
	unsigned int have;
	uint32_t frame, i;

	for (have = SIM_MAX_ORDER; have + 1 > order; have--) {
		frame = heads[other][have];
		if (frame == SIM_NO_FRAME)
			continue;
		if (have >= SIM_PAGEBLOCK_ORDER) {
			for (i = frame; i < frame + (1U << have); i += PAGEBLOCK_FRAMES)
				pageblock_mobility[i >> SIM_PAGEBLOCK_ORDER] = mobility;
		} else if (have >= SIM_PAGEBLOCK_ORDER / 2 || mobility == SIM_UNMOVABLE) {
			steal_pageblock(frame, mobility);
		}
		return take(frame, order, mobility);
	}
	return SIM_NO_FRAME;
}

uint32_t sim_buddy_alloc_locked(unsigned int order, enum sim_mobility mobility,
				enum sim_frame_type type, bool only)
{
	uint32_t frame = SIM_NO_FRAME;
	unsigned int have;

	for (have = order; have <= SIM_MAX_ORDER && frame == SIM_NO_FRAME; have++)
		if (heads[mobility][have] != SIM_NO_FRAME)
			frame = take(heads[mobility][have], order, mobility);
	if (frame == SIM_NO_FRAME && !only)
		frame = take_fallback(order, mobility);
	if (frame != SIM_NO_FRAME) {
		mark(frame, 1U << order, type);
		sim_frames[frame].order = order;
	}
	return frame;
}

void sim_buddy_free_locked(uint32_t frame, unsigned int order)
{
	uint32_t i;

	for (i = frame; i < frame + (1U << order); i++)
		sim_frames[i].type = SIM_FRAME_FREE;
	while (order < SIM_MAX_ORDER) {
		uint32_t buddy = frame ^ (1U << order);

		if (!sim_frames[buddy].buddy_head || sim_frames[buddy].order != order)
			break;
		list_del(buddy);
		frame &= buddy;
		order++;
	}
	list_add(frame, order, block_mobility(frame));
}

void sim_buddy_isolate_locked(uint32_t head)
{
	uint32_t i, nr = 1U << sim_frames[head].order;

	list_del(head);
	for (i = head; i < head + nr; i++)
		sim_frames[i].type = SIM_FRAME_ISOLATED;
}

uint32_t sim_buddy_alloc(unsigned int order, enum sim_mobility mobility, enum sim_frame_type type,
			 bool only)
{
	uint32_t frame;

	pthread_mutex_lock(&sim_mm_lock);
	frame = sim_buddy_alloc_locked(order, mobility, type, only);
	pthread_mutex_unlock(&sim_mm_lock);
	return frame;
}

void sim_buddy_free(uint32_t frame, unsigned int order)
{
	pthread_mutex_lock(&sim_mm_lock);
	sim_buddy_free_locked(frame, order);
	pthread_mutex_unlock(&sim_mm_lock);
}

static void free_range_locked(uint32_t frame, uint32_t nr)
{
	while (nr) {
		unsigned int order = frame ? __builtin_ctz(frame) : SIM_MAX_ORDER;

		if (order > SIM_MAX_ORDER)
			order = SIM_MAX_ORDER;
		while ((1U << order) > nr)
			order--;
		sim_buddy_free_locked(frame, order);
		frame += 1U << order;
		nr -= 1U << order;
	}
}

uint32_t sim_buddy_alloc_exact(uint32_t nr, enum sim_mobility mobility, enum sim_frame_type type,
			       bool only)
{
	unsigned int order = sim_get_order((size_t)nr << SIM_PAGE_SHIFT);
	uint32_t frame;

	if (order > SIM_MAX_ORDER)
		return SIM_NO_FRAME;
	pthread_mutex_lock(&sim_mm_lock);
	frame = sim_buddy_alloc_locked(order, mobility, type, only);
	if (frame != SIM_NO_FRAME)
		free_range_locked(frame + nr, (1U << order) - nr);
	pthread_mutex_unlock(&sim_mm_lock);
	return frame;
}

void sim_buddy_free_exact(uint32_t frame, uint32_t nr)
{
	pthread_mutex_lock(&sim_mm_lock);
	free_range_locked(frame, nr);
	pthread_mutex_unlock(&sim_mm_lock);
}

/* For a pageblock that is wholly free; a larger block around it is split. */
void sim_buddy_set_mobility(uint32_t pageblock, enum sim_mobility mobility)
{
	uint32_t first = pageblock << SIM_PAGEBLOCK_ORDER;
	uint32_t head = first & -(1U << SIM_MAX_ORDER);

	pthread_mutex_lock(&sim_mm_lock);
	pageblock_mobility[pageblock] = mobility;
	if (sim_frames[head].buddy_head && sim_frames[head].order > SIM_PAGEBLOCK_ORDER) {
		list_del(head);
		list_add(head, SIM_PAGEBLOCK_ORDER, block_mobility(head));
		list_add(head + PAGEBLOCK_FRAMES, SIM_PAGEBLOCK_ORDER,
			 block_mobility(head + PAGEBLOCK_FRAMES));
	}
	steal_pageblock(first, mobility);
	pthread_mutex_unlock(&sim_mm_lock);
}

unsigned long sim_buddy_free_blocks(unsigned int order)
{
	return nr_blocks[order];
}

unsigned long sim_mm_free_pages(void)
{
	return free_frames;
}

unsigned long sim_mm_total_pages(void)
{
	return sim_nr_frames;
}

double sim_mm_unusable_index(unsigned int order)
{
	unsigned long usable = 0, total;

	pthread_mutex_lock(&sim_mm_lock);
	total = free_frames;
	for (unsigned int o = order; o <= SIM_MAX_ORDER; o++)
		usable += nr_blocks[o] << o;
	pthread_mutex_unlock(&sim_mm_lock);
	return total ? (double)(total - usable) / total : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ager: fills memory as a host does that has been up for long, then makes holes until the asked
 * share of what is free is of no use to a request of the asked order.
 *
 * Movable pages (the page cache and anonymous memory of a host) come from the buddy directly, so
 * that compaction may move them; all else (slab objects, single pages that stay) is allocated and
 * freed through a jemalloc arena of its own.
 *
 * Assumed, for want of a source: 60 % of the pageblocks movable, one unmovable object in four a
 * whole page, 4 % of the frames free.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fault/prng.h"
#include "ager.h"
#include "arena.h"
#include "buddy.h"
#include "ledger.h"
#include "poison.h"
#include "slab.h"

#define MOVABLE_PERCENT 60
#define FREE_PERCENT	4
#define MAX_FREE_SHARE	8 /* never more than 1/8 of the frames free to make an index exact */

#define NO_OBJECT	UINT32_MAX
#define STAMP		0x6167656400000000ULL /* "aged": at the start of each movable page */

struct aged_object {
	uint32_t next; /* in the same frame */
	uint16_t offset;
	uint16_t size;
};

static struct aged_object *objects;
static uint32_t nr_objects, max_objects;
static uint32_t *slots; /* frame of each movable page */
static uint32_t nr_slots, max_slots;

static void *grow(void *array, uint32_t *max, size_t size)
{
	*max = *max ? 2 * *max : 1 << 14;
	array = realloc(array, *max * size);
	if (array)
		return array;
	fprintf(stderr, "irqsim: out of host memory\n");
	abort();
}

void sim_ager_moved(uint32_t slot, uint32_t frame)
{
	assert(*(uint64_t *)sim_frame_addr(frame) == (STAMP | slot));
	slots[slot] = frame;
}

void sim_ager_reset(void)
{
	if (nr_objects)
		sim_arena_reset(&sim_ager_arena);
	nr_objects = nr_slots = 0;
}

static void choose_pageblocks(struct sim_prng *rng)
{
	for (uint32_t i = 0; i < sim_nr_frames >> SIM_PAGEBLOCK_ORDER; i++)
		sim_buddy_set_mobility(i, sim_prng_below(rng, 100) < MOVABLE_PERCENT
						  ? SIM_MOVABLE
						  : SIM_UNMOVABLE);
}

static void fill_movable(void)
{
	uint32_t frame;

	for (;;) {
		frame = sim_buddy_alloc(0, SIM_MOVABLE, SIM_FRAME_MOVABLE, true);
		if (frame == SIM_NO_FRAME)
			return;
		if (nr_slots == max_slots)
			slots = grow(slots, &max_slots, sizeof(*slots));
		sim_shadow_unpoison(sim_frame_addr(frame), SIM_PAGE_SIZE);
		*(uint64_t *)sim_frame_addr(frame) = STAMP | nr_slots;
		sim_frames[frame].owner = nr_slots;
		slots[nr_slots++] = frame;
	}
}

static void fill_unmovable(struct sim_prng *rng)
{
	static const uint16_t small[] = { 32, 64, 96, 128, 192, 256, 512, 1024, 2048 };
	struct sim_frame *f;
	uint16_t size;
	char *p;

	for (;;) {
		size = sim_prng_below(rng, 4) ? small[sim_prng_below(rng, 9)] : SIM_PAGE_SIZE;
		p = sim_arena_alloc(&sim_ager_arena, size);
		if (!p)
			return;
		if (nr_objects == max_objects)
			objects = grow(objects, &max_objects, sizeof(*objects));
		f = &sim_frames[sim_frame_of(p)];
		objects[nr_objects] = (struct aged_object){
			.next = f->owner, .offset = (uintptr_t)p & (SIM_PAGE_SIZE - 1), .size = size
		};
		f->owner = nr_objects++;
	}
}

static bool is_aged(uint32_t frame)
{
	return sim_frames[frame].type == SIM_FRAME_AGER ||
	       sim_frames[frame].type == SIM_FRAME_MOVABLE;
}

static void empty_frame(uint32_t frame)
{
	char *p = sim_frame_addr(frame);
	uint32_t i = sim_frames[frame].owner;

	if (sim_frames[frame].type == SIM_FRAME_MOVABLE) {
		slots[i] = SIM_NO_FRAME;
		sim_shadow_poison(p, SIM_PAGE_SIZE);
		sim_buddy_free(frame, 0);
		return;
	}
	while (i != NO_OBJECT) {
		struct aged_object o = objects[i];

		i = o.next;
		sim_arena_free(&sim_ager_arena, p + o.offset, o.size);
	}
}

static bool whole_block(uint32_t first, uint32_t nr)
{
	for (uint32_t i = first; i < first + nr; i++)
		if (!is_aged(i))
			return false;
	return true;
}

/* Free one aligned block of @order at random. */
static void free_block(struct sim_prng *rng, unsigned int order)
{
	uint32_t nr = 1U << order, blocks = sim_nr_frames >> order;
	uint32_t block = sim_prng_below(rng, blocks);

	for (uint32_t tries = 0; tries < blocks; tries++, block = (block + 1) % blocks) {
		if (!whole_block(block * nr, nr))
			continue;
		for (uint32_t i = block * nr; i < (block + 1) * nr; i++)
			empty_frame(i);
		return;
	}
}

/* Free one frame at random that has no free buddy to merge with. */
static void free_single(struct sim_prng *rng)
{
	uint32_t frame = sim_prng_below(rng, sim_nr_frames);

	for (uint32_t i = 0; i < sim_nr_frames; i++, frame = (frame + 1) % sim_nr_frames) {
		if (!is_aged(frame) || sim_frames[frame ^ 1].type == SIM_FRAME_FREE)
			continue;
		empty_frame(frame);
		return;
	}
}

struct holes {
	uint32_t blocks;  /* of the order asked for */
	uint32_t singles; /* frames by themselves */
};

/*
 * With U frames free in blocks that the order can use and F in all, the index is 1 - U/F: choose U
 * in whole blocks near the usual share of free memory, then the smallest F that reaches the index.
 */
static struct holes plan(double index, unsigned int order)
{
	uint32_t usual = sim_nr_frames / 100 * FREE_PERCENT, usable, all;
	double blocks = (1 - index) * usual / (1U << order);
	struct holes h = { .blocks = blocks < 1 ? 1 : blocks + 0.5 };

	usable = h.blocks << order;
	if (index == 1 || usable / (1 - index) > sim_nr_frames / MAX_FREE_SHARE)
		return (struct holes){ .singles = usual };
	all = usable / (1 - index);
	while ((double)(all - usable) / all < index)
		all++;
	h.singles = all - usable;
	return h;
}

int sim_mm_age(double index, unsigned int order, uint64_t seed)
{
	struct sim_prng rng = { .state = seed };
	struct holes h;

	if (!(index >= 0 && index <= 1) || order < 1 || order > SIM_MAX_ORDER)
		return -EINVAL;
	sim_slab_drain(sim_this_mm_cpu());
	sim_arena_create(&sim_ager_arena);
	choose_pageblocks(&rng);
	fill_movable();
	fill_unmovable(&rng);
	h = plan(index, order);
	while (h.blocks--)
		free_block(&rng, order);
	while (h.singles--)
		free_single(&rng);
	return 0;
}

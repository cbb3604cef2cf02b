/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buddy allocator. Every call takes sim_mm_lock itself, except those named _locked.
 */
#ifndef SIM_MM_BUDDY_H
#define SIM_MM_BUDDY_H

#include "frames.h"

void sim_buddy_reset(void); /* all frames free and movable, as at boot */

/*
 * Returns the first frame of a block, its frames set to @type (further ones to SIM_FRAME_TAIL), or
 * SIM_NO_FRAME. No compaction. @only: do not fall back to pageblocks of the other mobility.
 */
uint32_t sim_buddy_alloc(unsigned int order, enum sim_mobility mobility, enum sim_frame_type type,
			 bool only);
void sim_buddy_free(uint32_t frame, unsigned int order);
/* @nr frames from a block of the next order, the rest given back; order 0 alignment is kept. */
uint32_t sim_buddy_alloc_exact(uint32_t nr, enum sim_mobility mobility, enum sim_frame_type type,
			       bool only);
void sim_buddy_free_exact(uint32_t frame, uint32_t nr);

uint32_t sim_buddy_alloc_locked(unsigned int order, enum sim_mobility mobility,
				enum sim_frame_type type, bool only);
void sim_buddy_free_locked(uint32_t frame, unsigned int order);
void sim_buddy_isolate_locked(uint32_t head); /* take one free block off its list */

void sim_buddy_set_mobility(uint32_t pageblock, enum sim_mobility mobility);
unsigned long sim_buddy_free_blocks(unsigned int order);

/* compact.c: empty one block of @order by moving pages; true if one became free. */
bool sim_compact(unsigned int order);
void sim_compact_reset(void);

/*
 * slowpath.c: called when a request of @order found nothing. True: something changed, try again.
 * @tries starts at 0 and belongs to the request.
 */
bool sim_slowpath(unsigned int order, unsigned int gfp, unsigned int *tries);
/* One allocation, from the public call down to the allocator that serves it. */
struct sim_request {
	size_t size;
	unsigned int gfp;
	const void *caller;
	bool injected; /* out: a fault was injected */
};

/* The buddy refused for good: count it, report it unless NOWARN. Returns NULL. */
void *sim_no_pages(const struct sim_request *rq, unsigned int order);
/* What the caller of the public function gets; counts a failure. */
void *sim_request_done(const struct sim_request *rq, void *p);

#endif

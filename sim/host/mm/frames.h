/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page frames of the simulated RAM. A frame is named by its number (pfn, from 0); frame 0 sits at
 * SIM_DIRECT_MAP. What a frame is used for is read without the lock on the paths that own it, and
 * changed only under sim_mm_lock.
 */
#ifndef SIM_MM_FRAMES_H
#define SIM_MM_FRAMES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <sim/mm.h>

#define SIM_NO_FRAME	   UINT32_MAX
#define SIM_NO_CLASS	   0xff
#define SIM_OBJS_PER_FRAME 512 /* the smallest bucket is 8 bytes */

#define sim_likely(x)	   __builtin_expect(!!(x), 1)
#define sim_unlikely(x)	   __builtin_expect(!!(x), 0)

enum sim_frame_type {
	SIM_FRAME_FREE,
	SIM_FRAME_ISOLATED, /* taken off the free lists by compaction */
	SIM_FRAME_SLAB,	    /* first frame of an extent that holds kmalloc or cache objects */
	SIM_FRAME_LARGE,    /* first frame of a kmalloc above the largest bucket */
	SIM_FRAME_PAGES,    /* first frame of an alloc_pages block */
	SIM_FRAME_TAIL,	    /* a further frame of one of these three; owner is the first */
	SIM_FRAME_VMALLOC,  /* owner is the area */
	SIM_FRAME_AGER,	    /* holds objects of the ager, which stay; owner heads their chain */
	SIM_FRAME_MOVABLE,  /* one page of the ager that compaction may move; owner is its slot */
};

enum sim_mobility { SIM_UNMOVABLE, SIM_MOVABLE, SIM_NR_MOBILITIES };

struct sim_frame {
	uint32_t next, prev; /* free list, where buddy_head is set */
	uint32_t owner;
	uint32_t recip; /* 2^32 / stride, rounded up */
	uint16_t stride;
	uint8_t type;
	uint8_t order; /* of the free block, or of the page block */
	uint8_t class;
	uint8_t buddy_head; /* first frame of a block on a free list */
	uint8_t list;	    /* the mobility of that list */
	uint8_t recorded;   /* was the first frame of something since the reset: has a record */
} __attribute__((aligned(32)));

extern struct sim_frame *sim_frames;
extern uint32_t sim_nr_frames;
extern int sim_ram_fd;
extern pthread_mutex_t sim_mm_lock;

static inline uint32_t sim_frame_of(const void *p)
{
	return ((uintptr_t)p - SIM_DIRECT_MAP) >> SIM_PAGE_SHIFT;
}

static inline void *sim_frame_addr(uint32_t frame)
{
	return (void *)(SIM_DIRECT_MAP + ((uintptr_t)frame << SIM_PAGE_SHIFT));
}

static inline bool sim_in_ram(const void *p)
{
	return (uintptr_t)p - SIM_DIRECT_MAP < (uintptr_t)sim_nr_frames << SIM_PAGE_SHIFT;
}

static inline unsigned int sim_get_order(size_t size)
{
	return size <= SIM_PAGE_SIZE ? 0 : 64 - __builtin_clzl((size - 1) >> SIM_PAGE_SHIFT);
}

void sim_frames_map(size_t ram_bytes);
void sim_frames_unmap(void);

/* An anonymous range without committed memory, or a message and abort(). @at: NULL for anywhere. */
void *sim_reserve(void *at, size_t size, int prot, const char *what);

#endif

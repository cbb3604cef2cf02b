/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A jemalloc arena over the buddy. Thread-safe; an empty slab's frames are free at once.
 */
#ifndef SIM_MM_ARENA_H
#define SIM_MM_ARENA_H

#include <jemalloc/jemalloc.h>

#include "frames.h"

struct sim_arena {
	extent_hooks_t hooks; /* first: jemalloc hands it to each hook */
	pthread_mutex_t lock;
	enum sim_frame_type type;
	bool only; /* from unmovable pageblocks only */
	bool created, resetting;
	unsigned int index;
};

extern struct sim_arena sim_slab_arena, sim_ager_arena;

void sim_arena_create(struct sim_arena *a);
void sim_arena_reset(struct sim_arena *a);
void *sim_arena_alloc(struct sim_arena *a, size_t size); /* NULL where the buddy has no frames */
void sim_arena_free(struct sim_arena *a, void *p, size_t size);

#endif

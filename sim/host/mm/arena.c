// SPDX-License-Identifier: GPL-2.0-only
/*
 * jemalloc arenas whose extents are frames of the buddy.
 *
 * The configuration, each with what it is for:
 *  retain:false        an extent is asked for by its size, not in growing chunks of 2 MiB and more
 *  slab_sizes          one page for each slab up to 4 KiB, as SLUB's smallest order; by default a
 * slab of 96-byte objects has three pages, which aged memory rarely has side by side Decay is off
 * for the arenas only: an empty slab goes back to the buddy at once, in an order that no clock has
 * a part in. The arenas have no tcache, the magazines of slab.c stand there: a jemalloc tcache
 * fills itself with half its size, that is with pages nobody asked for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arena.h"
#include "buddy.h"
#include "poison.h"

const char *malloc_conf = "retain:false,"
			  "slab_sizes:1-4096:1|4097-8192:2|8193-12288:3|12289-14336:4";

/* jemalloc's own bookkeeping; asks for 2 MiB at 2 MiB, which extents never do. */
static void *map_metadata(size_t size, size_t alignment)
{
	char *p = mmap(NULL, size + alignment, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	return (void *)(((uintptr_t)p + alignment - 1) & -alignment);
}

static void *extent_alloc(extent_hooks_t *hooks, void *at, size_t size, size_t alignment,
			  bool *zero, bool *commit, unsigned int index)
{
	struct sim_arena *a = (struct sim_arena *)hooks;
	uint32_t frame;

	(void)index;
	if (at)
		return NULL;
	*commit = true;
	if (alignment > SIM_PAGE_SIZE) {
		*zero = true;
		return map_metadata(size, alignment);
	}
	frame = sim_buddy_alloc_exact(size >> SIM_PAGE_SHIFT, SIM_UNMOVABLE, a->type, a->only);
	if (frame == SIM_NO_FRAME)
		return NULL;
	if (*zero) {
		sim_shadow_unpoison(sim_frame_addr(frame), size);
		memset(sim_frame_addr(frame), 0, size);
		sim_shadow_poison(sim_frame_addr(frame), size);
	}
	return sim_frame_addr(frame);
}

static bool extent_dalloc(extent_hooks_t *hooks, void *p, size_t size, bool committed,
			  unsigned int index)
{
	struct sim_arena *a = (struct sim_arena *)hooks;

	(void)committed;
	(void)index;
	if (!sim_in_ram(p))
		return true;
	if (!a->resetting)
		sim_buddy_free_exact(sim_frame_of(p), size >> SIM_PAGE_SHIFT);
	return false;
}

static bool extent_split(extent_hooks_t *hooks, void *p, size_t size, size_t a, size_t b,
			 bool committed, unsigned int index)
{
	(void)hooks, (void)p, (void)size, (void)a, (void)b, (void)committed, (void)index;
	return false;
}

struct sim_arena sim_slab_arena = {
	.hooks = { .alloc = extent_alloc, .dalloc = extent_dalloc, .split = extent_split },
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.type = SIM_FRAME_SLAB,
};

struct sim_arena sim_ager_arena = {
	.hooks = { .alloc = extent_alloc, .dalloc = extent_dalloc, .split = extent_split },
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.type = SIM_FRAME_AGER,
	.only = true,
};

static void arena_ctl(struct sim_arena *a, const char *what, void *value, size_t size)
{
	char name[64];
	int err;

	snprintf(name, sizeof(name), "arena.%u.%s", a->index, what);
	err = mallctl(name, NULL, NULL, value, size);
	if (err) {
		fprintf(stderr, "irqsim: jemalloc refuses %s: %s\n", name, strerror(err));
		abort();
	}
}

void sim_arena_create(struct sim_arena *a)
{
	extent_hooks_t *hooks = &a->hooks;
	size_t size = sizeof(a->index);
	ssize_t at_once = 0;
	int err;

	if (a->created)
		return;
	err = mallctl("arenas.create", &a->index, &size, &hooks, sizeof(hooks));
	if (err) {
		fprintf(stderr, "irqsim: jemalloc gives no arena: %s\n", strerror(err));
		abort();
	}
	arena_ctl(a, "dirty_decay_ms", &at_once, sizeof(at_once));
	arena_ctl(a, "muzzy_decay_ms", &at_once, sizeof(at_once));
	a->created = true;
}

/* Forget every object. The frames are not given back: the buddy is about to be reset. */
void sim_arena_reset(struct sim_arena *a)
{
	if (!a->created)
		return;
	a->resetting = true;
	arena_ctl(a, "reset", NULL, 0);
	arena_ctl(a, "purge", NULL, 0);
	a->resetting = false;
}

/*
 * One at a time: between the free that empties a slab and its return to the buddy, jemalloc could
 * hand the extent to another thread for another class, or split it, and no hook would tell.
 */
void *sim_arena_alloc(struct sim_arena *a, size_t size)
{
	void *p;

	pthread_mutex_lock(&a->lock);
	p = mallocx(size, MALLOCX_ARENA(a->index) | MALLOCX_TCACHE_NONE);
	pthread_mutex_unlock(&a->lock);
	return p;
}

void sim_arena_free(struct sim_arena *a, void *p, size_t size)
{
	pthread_mutex_lock(&a->lock);
	sdallocx(p, size, MALLOCX_TCACHE_NONE);
	pthread_mutex_unlock(&a->lock);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Size classes, and the magazines in front of the arena: a free object stays with its simulated CPU
 * until the magazine overflows or somebody is short of pages, so a tight loop never reaches
 * jemalloc.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "slab.h"

/* Each magazine holds at most this many objects and bytes (measured: enough for a 4096-entry
 * table). */
#define MAGAZINE_OBJECTS 4096U
#define MAGAZINE_BYTES	 (512U << 10)

uint16_t sim_class_size[SIM_NR_CLASSES];
uint8_t sim_small_class[192 / 8 + 1];
uint8_t sim_order_class[14];

/*
 * jemalloc's classes: 8, 16, then steps of 16 up to 128, then four to each doubling.
 */
static size_t class_step(size_t size)
{
	return size <= 128 ? 16 : 1UL << (64 - __builtin_clzl(size - 1) - 3);
}

unsigned int sim_size_class(size_t size, size_t align)
{
	size_t step;
	unsigned int i = 0;

	size = (size + align - 1) & -align;
	if (size > 8) {
		step = class_step(size);
		size = (size + step - 1) & -step;
	}
	while (sim_class_size[i] < size)
		i++;
	return i;
}

void sim_slab_init(void)
{
	static const uint16_t buckets[] = { 8, 16, 32, 64, 96, 128, 192 };
	unsigned int i = 0, b = 0;
	size_t size;

	for (size = 8; size <= SIM_SLAB_MAX; size += size == 8 ? 8 : class_step(size + 1))
		sim_class_size[i++] = size;
	for (i = 1; i <= 192 / 8; i++) {
		if (i * 8 > buckets[b])
			b++;
		sim_small_class[i] = sim_size_class(buckets[b], 8);
	}
	for (i = 8; i <= 13; i++)
		sim_order_class[i] = sim_size_class(1UL << i, 8);
	sim_arena_create(&sim_slab_arena);
}

/* The first object of its slab fixes the class of the frame and clears its records. */
static void assign(uint32_t frame, unsigned int class)
{
	struct sim_frame *f = &sim_frames[frame];
	unsigned int stride = sim_class_size[class];

	f->stride = stride;
	f->recip = ((1UL << 32) + stride - 1) / stride;
	for (uint32_t i = 0; i == 0 || (i + 1) * stride <= SIM_PAGE_SIZE; i++)
		*sim_frame_object(frame, i) = (struct sim_object){ .state = SIM_OBJ_NONE };
	__atomic_store_n(&f->class, class, __ATOMIC_RELEASE);
}

void *sim_slab_refill(unsigned int class)
{
	void *p = sim_arena_alloc(&sim_slab_arena, sim_class_size[class]);

	if (!p)
		return NULL;
	if (sim_frames[sim_frame_of(p)].class == SIM_NO_CLASS) {
		pthread_mutex_lock(&sim_mm_lock);
		if (sim_frames[sim_frame_of(p)].class == SIM_NO_CLASS)
			assign(sim_frame_of(p), class);
		pthread_mutex_unlock(&sim_mm_lock);
	}
	return p;
}

static void release_oldest(struct sim_magazine *m, unsigned int class, uint32_t nr)
{
	if (!nr)
		return;
	for (uint32_t i = 0; i < nr; i++)
		sim_arena_free(&sim_slab_arena, m->slots[i], sim_class_size[class]);
	m->nr -= nr;
	memmove(m->slots, m->slots + nr, m->nr * sizeof(*m->slots));
}

void sim_magazine_overflow(struct sim_magazine *m, unsigned int class)
{
	uint32_t max = MAGAZINE_BYTES / sim_class_size[class];

	if (m->max) {
		release_oldest(m, class, m->max / 2);
		return;
	}
	m->max = max < MAGAZINE_OBJECTS ? max : MAGAZINE_OBJECTS;
	m->slots = malloc(m->max * sizeof(*m->slots));
	if (!m->slots) {
		fprintf(stderr, "irqsim: out of host memory\n");
		abort();
	}
}

bool sim_slab_drain(struct sim_mm_cpu *cpu)
{
	bool any = false;

	for (unsigned int class = 0; class < SIM_NR_CLASSES; class ++) {
		struct sim_magazine *m = &cpu->magazines[class];

		any |= m->nr > 0;
		release_oldest(m, class, m->nr);
	}
	return any;
}

void sim_slab_reset(void)
{
	for (int i = 0; i < sim_nr_used_cpus; i++)
		for (unsigned int class = 0; class < SIM_NR_CLASSES; class ++)
			sim_mm_used_cpus[i]->magazines[class].nr = 0;
	sim_arena_reset(&sim_slab_arena);
}

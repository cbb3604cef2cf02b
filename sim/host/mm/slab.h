/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects of the size classes that jemalloc has up to SIM_SLAB_MAX, which contain every kmalloc
 * bucket. Each class takes the smallest slab that holds an object: one page up to 4 KiB.
 */
#ifndef SIM_MM_SLAB_H
#define SIM_MM_SLAB_H

#include "buddy.h"
#include "ledger.h"

#define SIM_SLAB_MAX 14336UL /* the largest class; caches of larger objects take page blocks */

unsigned int sim_size_class(size_t size, size_t align);
extern uint16_t sim_class_size[SIM_NR_CLASSES];
extern uint8_t sim_small_class[192 / 8 + 1]; /* kmalloc up to 192 bytes, by size in words */
extern uint8_t sim_order_class[14];	     /* above, by power of two */

/* @size: 1 to SIM_KMALLOC_MAX_CACHE bytes */
static inline unsigned int sim_kmalloc_class(size_t size)
{
	if (size <= 192)
		return sim_small_class[(size + 7) / 8];
	return sim_order_class[64 - __builtin_clzl(size - 1)];
}

/* The record of the object that starts at @p, or NULL if none can start there. */
static inline struct sim_object *sim_slab_object(const void *p, const struct sim_frame *f)
{
	uint32_t off = (uintptr_t)p & (SIM_PAGE_SIZE - 1);
	uint32_t i = (uint64_t)off * f->recip >> 32;

	if (sim_unlikely(f->class == SIM_NO_CLASS || i * f->stride != off ||
			 (i && off + f->stride > SIM_PAGE_SIZE)))
		return NULL;
	return sim_frame_object(f - sim_frames, i);
}

/* A free object, or NULL where jemalloc got no page. No compaction, no report. */
void *sim_slab_refill(unsigned int class);
void sim_magazine_overflow(struct sim_magazine *m, unsigned int class);

static inline void *sim_slab_take(struct sim_mm_cpu *cpu, unsigned int class)
{
	struct sim_magazine *m = &cpu->magazines[class];

	return sim_likely(m->nr) ? m->slots[--m->nr] : sim_slab_refill(class);
}

static inline void sim_slab_give(struct sim_mm_cpu *cpu, unsigned int class, const void *p)
{
	struct sim_magazine *m = &cpu->magazines[class];

	if (sim_unlikely(m->nr == m->max))
		sim_magazine_overflow(m, class);
	m->slots[m->nr++] = (void *)p;
}

bool sim_slab_drain(struct sim_mm_cpu *cpu); /* true if there was something */
void sim_slab_init(void);
void sim_slab_reset(void);

#endif

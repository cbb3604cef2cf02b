// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing entries in page-sized chunks with free lists: the memory of strategy "delta".
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "irq_routing_pool.h"

typedef struct kvm_kernel_irq_routing_entry entry_t;

/* Each entry takes itself and a pointer of a page that begins with the header: 56 of them. */
#define CHUNK_HEADER  (sizeof(struct list_head) + sizeof(entry_t *) + sizeof(u64))
#define CHUNK_ENTRIES ((PAGE_SIZE - CHUNK_HEADER) / (sizeof(entry_t) + sizeof(entry_t *)))

struct entry_chunk {
	struct list_head node; /* in irq_entry_pool.chunks, those with free entries first */
	entry_t *free;
	u32 nr_free;
	entry_t *next[CHUNK_ENTRIES];
	entry_t entries[CHUNK_ENTRIES] __aligned(64); /* a cache line each */
};

static struct entry_chunk *chunk_of(entry_t *e)
{
	return (struct entry_chunk *)((unsigned long)e & PAGE_MASK);
}

entry_t **irq_pool_next(entry_t *e)
{
	struct entry_chunk *chunk = chunk_of(e);

	return &chunk->next[e - chunk->entries];
}

void irq_pool_put(struct irq_entry_pool *pool, entry_t *e)
{
	struct entry_chunk *chunk = chunk_of(e);

	*irq_pool_next(e) = chunk->free;
	chunk->free = e;
	if (!chunk->nr_free++)
		list_move(&chunk->node, &pool->chunks);
	pool->nr_free++;
}

static bool add_chunk(struct irq_entry_pool *pool)
{
	struct entry_chunk *chunk;
	u32 i;

	BUILD_BUG_ON(sizeof(*chunk) > PAGE_SIZE);

	/* A kmalloc of a power of two is aligned to its size: chunk_of() relies on it. */
	chunk = kmalloc(PAGE_SIZE, GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return false;

	chunk->free = NULL;
	chunk->nr_free = 0;
	list_add(&chunk->node, &pool->chunks);
	for (i = CHUNK_ENTRIES; i > 0; i--)
		irq_pool_put(pool, &chunk->entries[i - 1]);

	return true;
}

entry_t *irq_pool_get(struct irq_entry_pool *pool)
{
	struct entry_chunk *chunk;
	entry_t *e;

	if (!pool->nr_free && !add_chunk(pool))
		return NULL;

	chunk = list_first_entry(&pool->chunks, struct entry_chunk, node);
	e = chunk->free;
	chunk->free = *irq_pool_next(e);
	pool->nr_free--;
	if (!--chunk->nr_free)
		list_move_tail(&chunk->node, &pool->chunks);

	return e;
}

void irq_pool_trim(struct irq_entry_pool *pool, u32 keep)
{
	struct entry_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &pool->chunks, node) {
		if (!chunk->nr_free || pool->nr_free < keep + CHUNK_ENTRIES)
			break;
		if (chunk->nr_free < CHUNK_ENTRIES)
			continue;
		pool->nr_free -= CHUNK_ENTRIES;
		list_del(&chunk->node);
		kfree(chunk);
	}
}

void irq_pool_init(struct irq_entry_pool *pool)
{
	INIT_LIST_HEAD(&pool->chunks);
	pool->nr_free = 0;
}

void irq_pool_destroy(struct irq_entry_pool *pool)
{
	struct entry_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &pool->chunks, node)
		kfree(chunk);
}

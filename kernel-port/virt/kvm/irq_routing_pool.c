// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing entries in page-sized chunks with free lists: the memory of strategy "delta".
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "irq_routing_pool.h"

/* A page of entries; the place of the first holds this header. */
struct entry_chunk {
	struct list_head node; /* in irq_entry_pool.chunks, those with free entries first */
	struct hlist_head free;
	u32 nr_free;
};

#define CHUNK_ENTRIES ((u32)(PAGE_SIZE / sizeof(struct kvm_kernel_irq_routing_entry) - 1))

static struct entry_chunk *chunk_of(struct kvm_kernel_irq_routing_entry *e)
{
	return (struct entry_chunk *)((unsigned long)e & PAGE_MASK);
}

void irq_pool_put(struct irq_entry_pool *pool, struct kvm_kernel_irq_routing_entry *e)
{
	struct entry_chunk *chunk = chunk_of(e);

	hlist_add_head(&e->link, &chunk->free);
	if (!chunk->nr_free++)
		list_move(&chunk->node, &pool->chunks);
	pool->nr_free++;
}

static bool add_chunk(struct irq_entry_pool *pool)
{
	struct entry_chunk *chunk;
	u32 i;

	BUILD_BUG_ON(sizeof(*chunk) > sizeof(struct kvm_kernel_irq_routing_entry));

	/* A kmalloc of a power of two is aligned to its size: chunk_of() relies on it. */
	chunk = kmalloc(PAGE_SIZE, GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return false;

	INIT_HLIST_HEAD(&chunk->free);
	chunk->nr_free = 0;
	list_add(&chunk->node, &pool->chunks);
	for (i = CHUNK_ENTRIES; i > 0; i--)
		irq_pool_put(pool, (struct kvm_kernel_irq_routing_entry *)chunk + i);

	return true;
}

struct kvm_kernel_irq_routing_entry *irq_pool_get(struct irq_entry_pool *pool)
{
	struct entry_chunk *chunk;
	struct kvm_kernel_irq_routing_entry *e;

	if (!pool->nr_free && !add_chunk(pool))
		return NULL;

	chunk = list_first_entry(&pool->chunks, struct entry_chunk, node);
	e = hlist_entry(chunk->free.first, struct kvm_kernel_irq_routing_entry, link);
	hlist_del(&e->link);
	pool->nr_free--;
	if (!--chunk->nr_free)
		list_move_tail(&chunk->node, &pool->chunks);

	return e;
}

void irq_pool_trim(struct irq_entry_pool *pool, u32 keep)
{
	struct entry_chunk *chunk, *next;

	list_for_each_entry_safe (chunk, next, &pool->chunks, node) {
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

	list_for_each_entry_safe (chunk, next, &pool->chunks, node)
		kfree(chunk);
}

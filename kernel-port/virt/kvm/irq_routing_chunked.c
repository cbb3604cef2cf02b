// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing strategy "chunked": entries in chunks of a page, the last one as short as it can be,
 * after the patch "KVM: irqchip: allocate routing entries in chunks" (Li RongQing, 2026). No
 * request for entries is larger than a page; an update of n routes allocates 2 + n / 64 objects.
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "irq_routing.h"

#define CHUNK_ENTRIES (PAGE_SIZE / sizeof(struct kvm_kernel_irq_routing_entry))

struct chunked_table {
	struct kvm_kernel_irq_routing_entry **chunks; /* NULL where not allocated yet */
	u32 nr_entries;
	u32 nr_chunks;
	struct kvm_irq_routing_table rt; /* last: ends in the list heads */
};

static struct chunked_table *to_chunked(struct kvm_irq_routing_table *rt)
{
	return container_of(rt, struct chunked_table, rt);
}

void *kvm_irq_rt_vm_state(struct kvm_irq_routing_table *rt)
{
	return NULL;
}

struct kvm_irq_routing_table *kvm_irq_rt_alloc(void *vm_state, bool first, u32 nr_gsis, u32 nr)
{
	struct chunked_table *t;

	t = kzalloc(offsetof(struct chunked_table, rt) + kvm_irq_rt_size(nr_gsis),
		    GFP_KERNEL_ACCOUNT);
	if (!t)
		return NULL;

	t->nr_entries = nr;
	t->nr_chunks = DIV_ROUND_UP(nr, CHUNK_ENTRIES);
	if (!nr)
		return &t->rt;

	t->chunks = kvcalloc(t->nr_chunks, sizeof(*t->chunks), GFP_KERNEL_ACCOUNT);
	if (!t->chunks) {
		kfree(t);
		return NULL;
	}

	return &t->rt;
}

struct kvm_kernel_irq_routing_entry *kvm_irq_rt_entry(struct kvm_irq_routing_table *rt, u32 i)
{
	struct chunked_table *t = to_chunked(rt);
	u32 chunk = i / CHUNK_ENTRIES;

	if (!t->chunks[chunk]) {
		u32 here = min_t(u32, CHUNK_ENTRIES, t->nr_entries - chunk * CHUNK_ENTRIES);

		t->chunks[chunk] = kcalloc(here, sizeof(**t->chunks), GFP_KERNEL_ACCOUNT);
		if (!t->chunks[chunk])
			return NULL;
	}

	return &t->chunks[chunk][i % CHUNK_ENTRIES];
}

void kvm_irq_rt_refused(struct kvm_irq_routing_table *rt, struct kvm_kernel_irq_routing_entry *e)
{
}

void kvm_irq_rt_free(struct kvm_irq_routing_table *rt, bool published)
{
	struct chunked_table *t = to_chunked(rt);
	u32 i;

	for (i = 0; i < t->nr_chunks; i++)
		kfree(t->chunks[i]);
	kvfree(t->chunks);
	kfree(t);
}

void kvm_irq_rt_free_last(struct kvm_irq_routing_table *rt)
{
	kvm_irq_rt_free(rt, true);
}

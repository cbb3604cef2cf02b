// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing strategy "cached": one kvmalloc'ed array for the entries, and the VM keeps the last one
 * that it does not need any more, for the next update of the same rounded size, after "Cache IRQ
 * routing entries allocation" (Yanfei Xu, 2026). An update that finds it allocates the table alone.
 *
 * An array becomes idle only after the grace period of the table that used it. Updates that run at
 * the same time race for it: whoever exchanges the pointer for NULL owns it. It is zeroed again
 * before use, since architectures leave what a type does not have as they found it.
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "irq_routing.h"

/* An array while idle: its first bytes remember how large it is. */
struct idle_array {
	size_t size;
};

/* One a VM, handed from table to table. */
struct array_cache {
	struct idle_array *idle;
};

struct cached_table {
	struct array_cache *cache;
	struct kvm_kernel_irq_routing_entry *entries;
	size_t size;			 /* of entries, in bytes and rounded; 0 without entries */
	bool claimed;			 /* the array was idle before */
	struct kvm_irq_routing_table rt; /* last: ends in the list heads */
};

static struct cached_table *to_cached(struct kvm_irq_routing_table *rt)
{
	return container_of(rt, struct cached_table, rt);
}

/* What the allocators would round to anyway: a table that grows by an entry mostly fits. */
static size_t rounded_size(u32 nr)
{
	size_t size = nr * sizeof(struct kvm_kernel_irq_routing_entry);

	return size <= KMALLOC_MAX_CACHE_SIZE ? kmalloc_size_roundup(size) : PAGE_ALIGN(size);
}

static void make_idle(struct array_cache *cache, void *array, size_t size)
{
	struct idle_array *idle = array;

	if (!size)
		return;

	idle->size = size;
	/* Of two, the younger one stays: its size is what the VM uses now. */
	kvfree(xchg(&cache->idle, idle));
}

static void *claim_idle(struct array_cache *cache, size_t size)
{
	struct idle_array *idle = xchg(&cache->idle, NULL);

	if (!idle)
		return NULL;

	if (idle->size == size)
		return memset(idle, 0, size);

	/* Another size: back, unless a younger one has come meanwhile. */
	if (cmpxchg(&cache->idle, NULL, idle))
		kvfree(idle);

	return NULL;
}

static bool get_array(struct cached_table *t)
{
	t->entries = claim_idle(t->cache, t->size);
	t->claimed = t->entries;
	if (!t->entries)
		t->entries = kvzalloc(t->size, GFP_KERNEL_ACCOUNT);

	return t->entries;
}

void *kvm_irq_rt_vm_state(struct kvm_irq_routing_table *rt)
{
	return to_cached(rt)->cache;
}

struct kvm_irq_routing_table *kvm_irq_rt_alloc(void *vm_state, bool first, u32 nr_gsis, u32 nr)
{
	struct cached_table *t;

	t = kzalloc(offsetof(struct cached_table, rt) + kvm_irq_rt_size(nr_gsis),
		    GFP_KERNEL_ACCOUNT);
	if (!t)
		return NULL;

	t->cache = first ? kzalloc(sizeof(*t->cache), GFP_KERNEL_ACCOUNT) : vm_state;
	if (!t->cache)
		goto free_table;

	t->size = rounded_size(nr);
	if (t->size && !get_array(t))
		goto free_cache;

	return &t->rt;

free_cache:
	if (first)
		kfree(t->cache);
free_table:
	kfree(t);
	return NULL;
}

struct kvm_kernel_irq_routing_entry *kvm_irq_rt_entry(struct kvm_irq_routing_table *rt, u32 i)
{
	return &to_cached(rt)->entries[i];
}

void kvm_irq_rt_refused(struct kvm_irq_routing_table *rt, struct kvm_kernel_irq_routing_entry *e)
{
}

void kvm_irq_rt_free(struct kvm_irq_routing_table *rt, bool published)
{
	struct cached_table *t = to_cached(rt);

	/* An update that failed leaves the VM with what it had before. */
	if (published || t->claimed)
		make_idle(t->cache, t->entries, t->size);
	else
		kvfree(t->entries);
	kfree(t);
}

void kvm_irq_rt_free_last(struct kvm_irq_routing_table *rt)
{
	struct array_cache *cache = to_cached(rt)->cache;

	kvm_irq_rt_free(rt, true);
	kvfree(cache->idle);
	kfree(cache);
}

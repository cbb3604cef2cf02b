/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routing entries of one VM in page-sized chunks. No request is larger than a page; a free entry
 * serves the next table without an allocation. The caller serialises (kvm->irq_lock).
 */
#ifndef __KVM_IRQ_ROUTING_POOL_H
#define __KVM_IRQ_ROUTING_POOL_H

#include <linux/kvm_host.h>

struct irq_entry_pool {
	struct list_head chunks;
	u32 nr_free; /* entries that are in no table */
};

void irq_pool_init(struct irq_entry_pool *pool);

/* Frees every chunk, whatever is in use: the VM goes away. */
void irq_pool_destroy(struct irq_entry_pool *pool);

/* An entry, not zeroed; NULL without memory. May sleep. */
struct kvm_kernel_irq_routing_entry *irq_pool_get(struct irq_entry_pool *pool);

/* @e came from irq_pool_get(), and no reader can hold it any more. */
void irq_pool_put(struct irq_entry_pool *pool, struct kvm_kernel_irq_routing_entry *e);

/*
 * A pointer that belongs to @e while it is not free, outside of it: readers copy entries whole, and
 * never see this. For whatever list the caller keeps.
 */
struct kvm_kernel_irq_routing_entry **irq_pool_next(struct kvm_kernel_irq_routing_entry *e);

/* Give chunks without an entry in use back, as long as @keep free entries remain. */
void irq_pool_trim(struct irq_entry_pool *pool, u32 keep);

#endif

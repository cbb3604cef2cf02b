// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing strategy "per-entry": one allocation for the table and one for each entry, as upstream
 * does up to at least 6.18. An update of n routes allocates 1 + n objects and frees as many.
 */
#include <linux/kvm_host.h>
#include <linux/slab.h>

#include "irq_routing.h"

void *kvm_irq_rt_vm_state(struct kvm_irq_routing_table *rt)
{
	return NULL;
}

struct kvm_irq_routing_table *kvm_irq_rt_alloc(void *vm_state, bool first, u32 nr_gsis, u32 nr)
{
	return kzalloc(kvm_irq_rt_size(nr_gsis), GFP_KERNEL_ACCOUNT);
}

struct kvm_kernel_irq_routing_entry *kvm_irq_rt_entry(struct kvm_irq_routing_table *rt, u32 i)
{
	return kzalloc(sizeof(struct kvm_kernel_irq_routing_entry), GFP_KERNEL_ACCOUNT);
}

void kvm_irq_rt_refused(struct kvm_irq_routing_table *rt, struct kvm_kernel_irq_routing_entry *e)
{
	kfree(e);
}

void kvm_irq_rt_free(struct kvm_irq_routing_table *rt, bool published)
{
	u32 gsi;

	for (gsi = 0; gsi < rt->nr_rt_entries; gsi++) {
		struct kvm_kernel_irq_routing_entry *e;
		struct hlist_node *next;

		hlist_for_each_entry_safe(e, next, &rt->map[gsi], link)
			kfree(e);
	}
	kfree(rt);
}

void kvm_irq_rt_free_last(struct kvm_irq_routing_table *rt)
{
	kvm_irq_rt_free(rt, true);
}

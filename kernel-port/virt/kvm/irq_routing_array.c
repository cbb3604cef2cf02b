// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing strategy "array": all entries of a table in one kvmalloc'ed array, after the series "KVM:
 * irqchip: Reduce allocation overhead in kvm_set_irq_routing()" (Yanfei Xu, 2025 and 2026). Two
 * allocations an update; the array of 4096 routes asks for 64 contiguous pages and falls back to
 * vmalloc where there are none.
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "irq_routing.h"

struct array_table {
	struct kvm_kernel_irq_routing_entry *entries;
	struct kvm_irq_routing_table rt; /* last: ends in the list heads */
};

static struct array_table *to_array(struct kvm_irq_routing_table *rt)
{
	return container_of(rt, struct array_table, rt);
}

void *kvm_irq_rt_vm_state(struct kvm_irq_routing_table *rt)
{
	return NULL;
}

struct kvm_irq_routing_table *kvm_irq_rt_alloc(void *vm_state, bool first, u32 nr_gsis, u32 nr)
{
	struct array_table *t;

	t = kzalloc(offsetof(struct array_table, rt) + kvm_irq_rt_size(nr_gsis),
		    GFP_KERNEL_ACCOUNT);
	if (!t)
		return NULL;

	/* For nr == 0 this is ZERO_SIZE_PTR, which is not NULL and which kvfree() knows. */
	t->entries = kvcalloc(nr, sizeof(*t->entries), GFP_KERNEL_ACCOUNT);
	if (!t->entries) {
		kfree(t);
		return NULL;
	}

	return &t->rt;
}

struct kvm_kernel_irq_routing_entry *kvm_irq_rt_entry(struct kvm_irq_routing_table *rt, u32 i)
{
	return &to_array(rt)->entries[i];
}

void kvm_irq_rt_refused(struct kvm_irq_routing_table *rt, struct kvm_kernel_irq_routing_entry *e)
{
}

void kvm_irq_rt_free(struct kvm_irq_routing_table *rt, bool published)
{
	struct array_table *t = to_array(rt);

	kvfree(t->entries);
	kfree(t);
}

void kvm_irq_rt_free_last(struct kvm_irq_routing_table *rt)
{
	kvm_irq_rt_free(rt, true);
}

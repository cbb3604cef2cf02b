/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routing tables: what the lookup side (irqchip.c), the update side and the allocation strategies
 * know of each other.
 *
 * A table is built where no reader can see it, published under kvm->irq_lock, and freed after an
 * irq_srcu grace period. The strategy decides only where the memory of table and entries comes
 * from and where it goes.
 */
#ifndef __KVM_IRQ_ROUTING_H
#define __KVM_IRQ_ROUTING_H

#include <linux/kvm_host.h>

#include "../../compat/kvm_compat.h"

/* Bytes of a table with @nr_gsis list heads. */
static inline size_t kvm_irq_rt_size(u32 nr_gsis)
{
	return struct_size_t(struct kvm_irq_routing_table, map, nr_gsis);
}

/*
 * The GSIs that a table for @ue needs: the highest one and all below it, at least one.
 * Returns -EINVAL if one of them is KVM_MAX_IRQ_ROUTES or above.
 */
int kvm_irq_rt_nr_gsis(const struct kvm_irq_routing_entry *ue, unsigned int nr);

/* Make @rt, whose list heads are zero, an empty table of @nr_gsis GSIs. */
void kvm_irq_rt_init(struct kvm_irq_routing_table *rt, u32 nr_gsis);

/*
 * Translate @ue into @e, which is zeroed, and note an irqchip pin in @rt. @e is not linked yet.
 * -EINVAL: flags that the type does not have, a GSI that is taken (only different irqchips may
 * share one), or what the architecture refuses.
 */
int kvm_irq_rt_translate(struct kvm *kvm, struct kvm_irq_routing_table *rt,
			 struct kvm_kernel_irq_routing_entry *e,
			 const struct kvm_irq_routing_entry *ue);

/*
 * Would translating @ue give @e, which is of the same GSI, to the bit, and be allowed now? False
 * where the architecture cannot tell more cheaply than by doing it. @ue has no flags, and @e is of
 * no irqchip pin if the answer is true: a pin would have to be noted in the table.
 */
bool kvm_arch_irq_route_is(struct kvm *kvm, const struct kvm_kernel_irq_routing_entry *e,
			   const struct kvm_irq_routing_entry *ue);

/*
 * Make @new the VM's table and tell irqfds and architecture. Caller holds kvm->irq_lock. Returns
 * the table that was current: readers may still use it until the next grace period has passed.
 */
struct kvm_irq_routing_table *kvm_irq_rt_publish(struct kvm *kvm,
						 struct kvm_irq_routing_table *new);

/*
 * The strategy, for the update that replaces whole tables (irq_routing.c). @rt below is always a
 * table that its alloc returned. None of these is called with kvm->irq_lock held.
 */

/*
 * What the strategy keeps for the whole VM, handed on from table to table: looked up in @rt inside
 * a read section, and good for as long as the VM lives. NULL where there is nothing.
 */
void *kvm_irq_rt_vm_state(struct kvm_irq_routing_table *rt);

/*
 * A zeroed table for @nr_gsis GSIs and at most @nr entries; NULL without memory. @first: the VM's
 * first one, which makes the state that @vm_state is for the others. May sleep.
 */
struct kvm_irq_routing_table *kvm_irq_rt_alloc(void *vm_state, bool first, u32 nr_gsis, u32 nr);

/* The zeroed entry for the @i-th route; @i counts up from 0 without gaps. NULL without memory. */
struct kvm_kernel_irq_routing_entry *kvm_irq_rt_entry(struct kvm_irq_routing_table *rt, u32 i);

/* @e, the last one handed out, was refused: it is in no list. */
void kvm_irq_rt_refused(struct kvm_irq_routing_table *rt, struct kvm_kernel_irq_routing_entry *e);

/*
 * Free @rt and its entries. @published: it was the VM's table once, and the grace period since it
 * was replaced is over; else no reader ever saw it. May sleep.
 */
void kvm_irq_rt_free(struct kvm_irq_routing_table *rt, bool published);

/* The VM goes away with its last table @rt: VM-wide state too. */
void kvm_irq_rt_free_last(struct kvm_irq_routing_table *rt);

#endif

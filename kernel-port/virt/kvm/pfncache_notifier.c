// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MMU notifier's half of gfn-to-pfn caches. Between start and end no mapping of the range is
 * made that outlives the end: hva_to_pfn_retry() sees the count or the sequence.
 */
#include "pfncache.h"

static void gfn_to_pfn_cache_invalidate_start(struct kvm *kvm, unsigned long start,
					      unsigned long end)
{
	struct gfn_to_pfn_cache *gpc;
	bool any = false;

	spin_lock(&kvm->gpc_lock);
	list_for_each_entry(gpc, &kvm->gpc_list, list)
		any |= kvm_gpc_invalidate(gpc, start, end);
	/* With the lock: another range that finds them invalid must not be done before their users. */
	if (any)
		kvm_gpc_drain(kvm);
	spin_unlock(&kvm->gpc_lock);
}

void kvm_gpc_range_start(struct kvm *kvm, unsigned long start, unsigned long end)
{
	spin_lock(&kvm->mn_invalidate_lock);
	WRITE_ONCE(kvm->mn_active_invalidate_count, kvm->mn_active_invalidate_count + 1);
	spin_unlock(&kvm->mn_invalidate_lock);

	gfn_to_pfn_cache_invalidate_start(kvm, start, end);
}

void kvm_gpc_range_end(struct kvm *kvm)
{
	write_lock(&kvm->mmu_lock);
	WRITE_ONCE(kvm->mmu_invalidate_seq, kvm->mmu_invalidate_seq + 1);
	write_unlock(&kvm->mmu_lock);
	smp_wmb(); /* the sequence before the count, see must_retry() */

	spin_lock(&kvm->mn_invalidate_lock);
	WRITE_ONCE(kvm->mn_active_invalidate_count, kvm->mn_active_invalidate_count - 1);
	spin_unlock(&kvm->mn_invalidate_lock);
}

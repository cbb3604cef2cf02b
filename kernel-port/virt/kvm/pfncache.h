/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gfn-to-pfn caches: what their users call beside what linux/kvm_host.h declares, and what a scheme
 * (pfncache_rwlock.c, pfncache_srcu.c) does for the core. A scheme says how users of a mapping are
 * kept apart from those who take it away.
 *
 * Locks, outermost first: gpc->refresh_lock (mutex: whoever maps), kvm->gpc_lock (the list of active
 * caches), the scheme's own for the fields. Only the MMU notifier works without refresh_lock, and
 * all it does is to clear gpc->valid.
 */
#ifndef KVM_PFNCACHE_H
#define KVM_PFNCACHE_H

#include <linux/kvm_host.h>

/* Before the first cache of a VM and after the last. 0 or an error. */
int kvm_gpc_init_vm(struct kvm *kvm);
void kvm_gpc_destroy_vm(struct kvm *kvm);

/* One use of a cache. */
struct kvm_gpc_map {
	void *khva;
	struct kvm_memory_slot *memslot; /* NULL: of a cache by user address */
	gfn_t gfn;
	unsigned long flags; /* the scheme's */
	int idx;
};

/*
 * Use a cache: where it is good for @len bytes, true, and @map->khva may be written to until
 * kvm_gpc_leave(). Any context, hard interrupts of PREEMPT_RT included; kvm->srcu is held for caches
 * by guest address. No sleeping in between.
 */
bool kvm_gpc_enter(struct gfn_to_pfn_cache *gpc, unsigned long len, struct kvm_gpc_map *map);
void kvm_gpc_leave(struct gfn_to_pfn_cache *gpc, const struct kvm_gpc_map *map);

/* The MMU notifier's two halves. After start nobody uses what is in the range any more. */
void kvm_gpc_range_start(struct kvm *kvm, unsigned long start, unsigned long end);
void kvm_gpc_range_end(struct kvm *kvm);

/* ---- of the core, for schemes ---- */

/* Does what is mapped serve @len bytes? The fields do not change meanwhile. */
bool kvm_gpc_good(const struct gfn_to_pfn_cache *gpc, unsigned long len);

static inline bool kvm_gpc_in_range(const struct gfn_to_pfn_cache *gpc, unsigned long start,
				    unsigned long end)
{
	return gpc->valid && gpc->uhva >= start && gpc->uhva < end;
}

/* ---- of the scheme, for the core ---- */

int kvm_gpc_scheme_init_vm(struct kvm *kvm);
void kvm_gpc_scheme_destroy_vm(struct kvm *kvm);
void kvm_gpc_scheme_init(struct gfn_to_pfn_cache *gpc);
/* Readers see all of what is written in between, or nothing. Atomic: do not sleep. */
void kvm_gpc_write_lock(struct gfn_to_pfn_cache *gpc);
void kvm_gpc_write_unlock(struct gfn_to_pfn_cache *gpc);
/*
 * No longer valid (and no longer active), and every user has left. A notifier that finds the cache
 * invalid does not wait for users, so it must not find it so before they have left.
 */
void kvm_gpc_retire(struct gfn_to_pfn_cache *gpc, bool deactivate);
/* The notifier's: retire it if it is valid and in the range. kvm->gpc_lock is held. */
bool kvm_gpc_invalidate(struct gfn_to_pfn_cache *gpc, unsigned long start, unsigned long end);
/* ... and once, where any of them was. */
void kvm_gpc_drain(struct kvm *kvm);

/* ---- what a mapping is made of ---- */

/* The page at @hva, faulted in for writing, with a reference: its number, or an error pfn. Sleeps. */
kvm_pfn_t kvm_gpc_pin(struct kvm *kvm, unsigned long hva);
void kvm_gpc_unpin(kvm_pfn_t pfn);
/* A kernel address of it, or NULL. Sleeps: kmap() or memremap(). */
void *kvm_gpc_map_page(kvm_pfn_t pfn);
void kvm_gpc_unmap_page(kvm_pfn_t pfn, void *khva);

#endif

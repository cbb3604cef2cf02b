// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheme "srcu": users are readers of an atomic SRCU domain of the VM (compat/srcu_atomic.h) and
 * take a copy of the fields, which a seqcount guards. Whoever takes a mapping away marks the cache
 * invalid and then waits, spinning, for the readers that may have copied it. No use of a cache
 * writes to memory that another CPU uses.
 *
 * Needs fields in struct gfn_to_pfn_cache (seq_lock, seq) and struct kvm (gpc_srcu).
 */
#include <linux/seqlock.h>

#include "../../compat/srcu_atomic.h"
#include "pfncache.h"

int kvm_gpc_scheme_init_vm(struct kvm *kvm)
{
	return init_srcu_struct_atomic(&kvm->gpc_srcu);
}

void kvm_gpc_scheme_destroy_vm(struct kvm *kvm)
{
	cleanup_srcu_struct(&kvm->gpc_srcu);
}

/* A raw lock, with interrupts off: a reader in a hard interrupt waits for whoever is writing. */
void kvm_gpc_scheme_init(struct gfn_to_pfn_cache *gpc)
{
	raw_spin_lock_init(&gpc->seq_lock);
	seqcount_raw_spinlock_init(&gpc->seq, &gpc->seq_lock);
}

void kvm_gpc_write_lock(struct gfn_to_pfn_cache *gpc)
{
	raw_spin_lock_irq(&gpc->seq_lock);
	write_seqcount_begin(&gpc->seq);
}

void kvm_gpc_write_unlock(struct gfn_to_pfn_cache *gpc)
{
	write_seqcount_end(&gpc->seq);
	raw_spin_unlock_irq(&gpc->seq_lock);
}

static bool snapshot(struct gfn_to_pfn_cache *gpc, unsigned long len, struct kvm_gpc_map *map)
{
	unsigned int seq;
	bool good;

	do {
		seq = read_seqcount_begin(&gpc->seq);
		good = kvm_gpc_good(gpc, len);
		map->khva = gpc->khva;
		map->memslot = gpc->memslot;
		map->gfn = gpa_to_gfn(gpc->gpa);
	} while (read_seqcount_retry(&gpc->seq, seq));

	return good;
}

/* Good now; who uses it has to be a reader. */
bool kvm_gpc_check(struct gfn_to_pfn_cache *gpc, unsigned long len)
{
	struct kvm_gpc_map map;

	return snapshot(gpc, len, &map);
}

bool kvm_gpc_enter(struct gfn_to_pfn_cache *gpc, unsigned long len, struct kvm_gpc_map *map)
{
	preempt_disable();
	map->idx = srcu_read_lock(&gpc->kvm->gpc_srcu);
	if (snapshot(gpc, len, map))
		return true;
	kvm_gpc_leave(gpc, map);
	return false;
}

void kvm_gpc_leave(struct gfn_to_pfn_cache *gpc, const struct kvm_gpc_map *map)
{
	srcu_read_unlock(&gpc->kvm->gpc_srcu, map->idx);
	preempt_enable();
}

void kvm_gpc_drain(struct kvm *kvm)
{
	synchronize_srcu_atomic(&kvm->gpc_srcu);
}

void kvm_gpc_retire(struct gfn_to_pfn_cache *gpc, bool deactivate)
{
	bool was_valid;

	/* The list's lock keeps notifiers from finding it invalid while it still is in use. */
	spin_lock(&gpc->kvm->gpc_lock);
	kvm_gpc_write_lock(gpc);
	was_valid = gpc->valid;
	gpc->valid = false;
	if (deactivate)
		gpc->active = false;
	kvm_gpc_write_unlock(gpc);
	if (was_valid)
		kvm_gpc_drain(gpc->kvm);
	spin_unlock(&gpc->kvm->gpc_lock);
}

bool kvm_gpc_invalidate(struct gfn_to_pfn_cache *gpc, unsigned long start, unsigned long end)
{
	bool hit;

	raw_spin_lock_irq(&gpc->seq_lock);
	hit = kvm_gpc_in_range(gpc, start, end);
	if (hit) {
		write_seqcount_begin(&gpc->seq);
		gpc->valid = false;
		write_seqcount_end(&gpc->seq);
	}
	raw_spin_unlock_irq(&gpc->seq_lock);
	return hit;
}

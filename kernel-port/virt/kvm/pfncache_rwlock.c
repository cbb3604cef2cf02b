// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheme "rwlock": users hold gpc->lock for reading, so whoever has it for writing knows that they
 * have left. Every use of one cache writes to the same cache line, twice.
 */
#include "pfncache.h"

int kvm_gpc_scheme_init_vm(struct kvm *kvm)
{
	return 0;
}

void kvm_gpc_scheme_destroy_vm(struct kvm *kvm)
{
}

void kvm_gpc_scheme_init(struct gfn_to_pfn_cache *gpc)
{
}

void kvm_gpc_write_lock(struct gfn_to_pfn_cache *gpc)
{
	write_lock_irq(&gpc->lock);
}

void kvm_gpc_write_unlock(struct gfn_to_pfn_cache *gpc)
{
	write_unlock_irq(&gpc->lock);
}

bool kvm_gpc_check(struct gfn_to_pfn_cache *gpc, unsigned long len)
{
	lockdep_assert_held(&gpc->lock);
	return kvm_gpc_good(gpc, len);
}

/* On PREEMPT_RT the lock sleeps; a hard interrupt takes one that it does not get for invalid. */
static bool read_lock_gpc(struct gfn_to_pfn_cache *gpc, struct kvm_gpc_map *map)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && in_hardirq())
		return read_trylock(&gpc->lock);
	read_lock_irqsave(&gpc->lock, map->flags);
	return true;
}

static void read_unlock_gpc(struct gfn_to_pfn_cache *gpc, unsigned long flags)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && in_hardirq())
		read_unlock(&gpc->lock);
	else
		read_unlock_irqrestore(&gpc->lock, flags);
}

bool kvm_gpc_enter(struct gfn_to_pfn_cache *gpc, unsigned long len, struct kvm_gpc_map *map)
{
	if (!read_lock_gpc(gpc, map))
		return false;
	if (!kvm_gpc_check(gpc, len)) {
		read_unlock_gpc(gpc, map->flags);
		return false;
	}
	map->khva = gpc->khva;
	map->memslot = gpc->memslot;
	map->gfn = gpa_to_gfn(gpc->gpa);
	return true;
}

void kvm_gpc_leave(struct gfn_to_pfn_cache *gpc, const struct kvm_gpc_map *map)
{
	read_unlock_gpc(gpc, map->flags);
}

void kvm_gpc_retire(struct gfn_to_pfn_cache *gpc, bool deactivate)
{
	kvm_gpc_write_lock(gpc);
	gpc->valid = false;
	if (deactivate)
		gpc->active = false;
	kvm_gpc_write_unlock(gpc);
}

/* Most ranges are of no cache: for these the lock is taken for reading alone. */
bool kvm_gpc_invalidate(struct gfn_to_pfn_cache *gpc, unsigned long start, unsigned long end)
{
	bool hit;

	read_lock_irq(&gpc->lock);
	hit = kvm_gpc_in_range(gpc, start, end);
	read_unlock_irq(&gpc->lock);
	if (!hit)
		return false;

	kvm_gpc_write_lock(gpc);
	if (kvm_gpc_in_range(gpc, start, end))
		gpc->valid = false;
	kvm_gpc_write_unlock(gpc);
	return true;
}

void kvm_gpc_drain(struct kvm *kvm)
{
	/* Who had the write lock knows that they have left. */
}

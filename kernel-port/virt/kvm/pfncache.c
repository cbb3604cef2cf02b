// SPDX-License-Identifier: GPL-2.0-only
/*
 * gfn-to-pfn caches: a guest page (by guest or by user address) kept mapped in the kernel, for users
 * that cannot fault. The mapping holds no reference: the MMU notifier takes it away before the page
 * goes. What is the same in every scheme; see pfncache.h.
 */
#include <linux/sched.h>

#include "pfncache.h"

/* Where a cache points: a page, and where in it. */
struct target {
	gpa_t gpa; /* INVALID_GPA: by user address */
	unsigned long uhva;
	u64 generation;
	struct kvm_memory_slot *memslot;
};

struct mapping {
	kvm_pfn_t pfn;
	void *khva; /* of the page's first byte */
};

static unsigned long offset_of(const struct target *to)
{
	return kvm_is_error_gpa(to->gpa) ? offset_in_page(to->uhva) : offset_in_page(to->gpa);
}

static void *page_of(const void *khva)
{
	return (void *)((unsigned long)khva & PAGE_MASK);
}

static bool fits(gpa_t gpa, unsigned long uhva, unsigned long len)
{
	unsigned long offset = kvm_is_error_gpa(gpa) ? offset_in_page(uhva) : offset_in_page(gpa);

	/* A cache is of one page. */
	return offset + len <= PAGE_SIZE;
}

int kvm_gpc_init_vm(struct kvm *kvm)
{
	spin_lock_init(&kvm->gpc_lock);
	INIT_LIST_HEAD(&kvm->gpc_list);
	spin_lock_init(&kvm->mn_invalidate_lock);
	return kvm_gpc_scheme_init_vm(kvm);
}

void kvm_gpc_destroy_vm(struct kvm *kvm)
{
	WARN_ON_ONCE(!list_empty(&kvm->gpc_list));
	kvm_gpc_scheme_destroy_vm(kvm);
}

void kvm_gpc_init(struct gfn_to_pfn_cache *gpc, struct kvm *kvm)
{
	rwlock_init(&gpc->lock);
	mutex_init(&gpc->refresh_lock);
	kvm_gpc_scheme_init(gpc);
	gpc->kvm = kvm;
	gpc->pfn = KVM_PFN_ERR_FAULT;
	gpc->gpa = INVALID_GPA;
	gpc->uhva = KVM_HVA_ERR_BAD;
	gpc->active = gpc->valid = false;
}

bool kvm_gpc_good(const struct gfn_to_pfn_cache *gpc, unsigned long len)
{
	if (!gpc->active || !gpc->valid)
		return false;
	if (!kvm_is_error_gpa(gpc->gpa) && gpc->generation != kvm_memslots(gpc->kvm)->generation)
		return false;
	return !kvm_is_error_hva(gpc->uhva) && fits(gpc->gpa, gpc->uhva, len);
}

static int find_target(struct kvm *kvm, gpa_t gpa, unsigned long uhva, struct target *to)
{
	struct kvm_memslots *slots;

	*to = (struct target){ .gpa = gpa, .uhva = uhva };
	if (kvm_is_error_gpa(gpa))
		return kvm_is_error_hva(uhva) ? -EFAULT : 0;

	slots = kvm_memslots(kvm);
	to->generation = slots->generation;
	to->memslot = __gfn_to_memslot(slots, gpa_to_gfn(gpa));
	to->uhva = gfn_to_hva_memslot(to->memslot, gpa_to_gfn(gpa));
	if (kvm_is_error_hva(to->uhva))
		return -EFAULT;
	to->uhva += offset_in_page(gpa);
	return 0;
}

static void store_target(struct gfn_to_pfn_cache *gpc, const struct target *to)
{
	gpc->gpa = to->gpa;
	gpc->uhva = to->uhva;
	gpc->generation = to->generation;
	gpc->memslot = to->memslot;
}

/* The page is mapped already: the place in it may be another. */
static bool move_in_page(struct gfn_to_pfn_cache *gpc, const struct target *to)
{
	bool done = false;

	kvm_gpc_write_lock(gpc);
	if (gpc->valid && (gpc->uhva & PAGE_MASK) == (to->uhva & PAGE_MASK)) {
		store_target(gpc, to);
		gpc->khva = page_of(gpc->khva) + offset_of(to);
		done = true;
	}
	kvm_gpc_write_unlock(gpc);
	return done;
}

/*
 * Did an invalidation begin or end since @seq was read, of any range? The count is raised before the
 * notifier looks at caches, and lowered after the sequence was bumped (kvm_gpc_range_end()).
 */
static bool must_retry(struct kvm *kvm, unsigned long seq)
{
	if (READ_ONCE(kvm->mn_active_invalidate_count))
		return true;
	smp_rmb();
	return READ_ONCE(kvm->mmu_invalidate_seq) != seq;
}

/* Pin and map the page at @uhva, or @old again where it still is the one. A reference is held then. */
static int map_page(struct kvm *kvm, unsigned long uhva, const struct mapping *old,
		    struct mapping *new)
{
	new->pfn = kvm_gpc_pin(kvm, uhva & PAGE_MASK);
	if (is_error_noslot_pfn(new->pfn))
		return -EFAULT;
	new->khva = old->khva &&new->pfn == old->pfn ? old->khva : kvm_gpc_map_page(new->pfn);
	if (new->khva)
		return 0;
	kvm_gpc_unpin(new->pfn);
	return -EFAULT;
}

static void unmap_page(const struct mapping *m)
{
	if (m->khva)
		kvm_gpc_unmap_page(m->pfn, m->khva);
}

/*
 * Map what the cache points at. Pages are pinned and mapped without the fields' lock, so an
 * invalidation may pass meanwhile: then again.
 */
static int hva_to_pfn_retry(struct gfn_to_pfn_cache *gpc, const struct mapping *old)
{
	struct kvm *kvm = gpc->kvm;
	struct mapping new;
	unsigned long seq;
	bool retry;
	int ret;

	do {
		/* What is mapped while a range is under way is for nothing. */
		while (READ_ONCE(kvm->mn_active_invalidate_count))
			cond_resched();
		seq = READ_ONCE(kvm->mmu_invalidate_seq);
		smp_rmb();
		ret = map_page(kvm, gpc->uhva, old, &new);
		if (ret)
			return ret;

		kvm_gpc_write_lock(gpc);
		WARN_ON_ONCE(gpc->valid);
		retry = must_retry(kvm, seq);
		if (!retry) {
			gpc->pfn = new.pfn;
			gpc->khva = new.khva + offset_in_page(gpc->uhva);
			gpc->valid = true;
		}
		kvm_gpc_write_unlock(gpc);

		if (retry && new.khva != old->khva)
			unmap_page(&new);
		/* From here on the notifier keeps the page. */
		kvm_gpc_unpin(new.pfn);
		if (retry)
			cond_resched();
	} while (retry);

	return 0;
}

static int gpc_refresh(struct gfn_to_pfn_cache *gpc, gpa_t gpa, unsigned long uhva)
{
	struct mapping old;
	struct target to;
	int ret;

	lockdep_assert_held(&gpc->refresh_lock);
	ret = find_target(gpc->kvm, gpa, uhva, &to);
	if (!ret && move_in_page(gpc, &to))
		return 0;

	kvm_gpc_retire(gpc, false);
	old = (struct mapping){ gpc->pfn, page_of(gpc->khva) };
	kvm_gpc_write_lock(gpc);
	store_target(gpc, &to);
	kvm_gpc_write_unlock(gpc);
	if (!ret)
		ret = hva_to_pfn_retry(gpc, &old);
	if (ret) {
		kvm_gpc_write_lock(gpc);
		gpc->pfn = KVM_PFN_ERR_FAULT;
		gpc->khva = NULL;
		kvm_gpc_write_unlock(gpc);
	}
	if (page_of(gpc->khva) != old.khva)
		unmap_page(&old);
	return ret;
}

int kvm_gpc_refresh(struct gfn_to_pfn_cache *gpc, unsigned long len)
{
	int ret = -EINVAL;

	mutex_lock(&gpc->refresh_lock);
	/* Only here it cannot be deactivated any more. */
	if (gpc->active && fits(gpc->gpa, gpc->uhva, len))
		ret = gpc_refresh(gpc, gpc->gpa,
				  kvm_is_error_gpa(gpc->gpa) ? gpc->uhva : KVM_HVA_ERR_BAD);
	mutex_unlock(&gpc->refresh_lock);
	return ret;
}

static int gpc_activate(struct gfn_to_pfn_cache *gpc, gpa_t gpa, unsigned long uhva,
			unsigned long len)
{
	struct kvm *kvm = gpc->kvm;
	int ret;

	if (!fits(gpa, uhva, len))
		return -EINVAL;

	mutex_lock(&gpc->refresh_lock);
	if (!gpc->active) {
		/* In the list first: nothing may be mapped that the notifier does not see. */
		spin_lock(&kvm->gpc_lock);
		list_add(&gpc->list, &kvm->gpc_list);
		spin_unlock(&kvm->gpc_lock);

		kvm_gpc_write_lock(gpc);
		gpc->active = true;
		kvm_gpc_write_unlock(gpc);
	}
	ret = gpc_refresh(gpc, gpa, uhva);
	mutex_unlock(&gpc->refresh_lock);
	return ret;
}

int kvm_gpc_activate(struct gfn_to_pfn_cache *gpc, gpa_t gpa, unsigned long len)
{
	return kvm_is_error_gpa(gpa) ? -EINVAL : gpc_activate(gpc, gpa, KVM_HVA_ERR_BAD, len);
}

int kvm_gpc_activate_hva(struct gfn_to_pfn_cache *gpc, unsigned long uhva, unsigned long len)
{
	return kvm_is_error_hva(uhva) ? -EINVAL : gpc_activate(gpc, INVALID_GPA, uhva, len);
}

void kvm_gpc_deactivate(struct gfn_to_pfn_cache *gpc)
{
	struct mapping old;

	mutex_lock(&gpc->refresh_lock);
	if (gpc->active) {
		/* Before it is unlinked: notifiers wait until the users are gone. */
		kvm_gpc_retire(gpc, true);
		spin_lock(&gpc->kvm->gpc_lock);
		list_del(&gpc->list);
		spin_unlock(&gpc->kvm->gpc_lock);

		old = (struct mapping){ gpc->pfn, page_of(gpc->khva) };
		kvm_gpc_write_lock(gpc);
		gpc->pfn = KVM_PFN_ERR_FAULT;
		gpc->khva = NULL;
		kvm_gpc_write_unlock(gpc);
		unmap_page(&old);
	}
	mutex_unlock(&gpc->refresh_lock);
}

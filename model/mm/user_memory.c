// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages by user address. A reference is user space's own (its page table's), or a pin; the page is
 * freed with the last. Numbers of pages are never used again, so one number is one page.
 */
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "../../kernel-port/virt/kvm/pfncache.h"
#include "user_memory.h"

#define MAX_FRAMES 256

struct frame {
	void *data;
	unsigned int refs;
};

static DEFINE_SPINLOCK(table_lock); /* the page table and every count */
static struct frame frames[MAX_FRAMES];
static unsigned int nr_frames;	       /* the first is none */
static unsigned int table[USER_PAGES]; /* frame behind each page, 0: none */
static unsigned int mappings;
static struct kvm *the_kvm;

void user_memory_init(struct kvm *kvm)
{
	memset(frames, 0, sizeof(frames));
	memset(table, 0, sizeof(table));
	nr_frames = 1;
	mappings = 0;
	the_kvm = kvm;
}

static unsigned int new_frame(void *data)
{
	unsigned int n = nr_frames++;

	BUG_ON(n >= MAX_FRAMES);
	frames[n] = (struct frame){ data, 1 };
	return n;
}

static void put_frame(unsigned int n)
{
	void *gone = NULL;

	spin_lock(&table_lock);
	if (WARN_ON_ONCE(!frames[n].refs))
		goto unlock;
	if (!--frames[n].refs)
		gone = frames[n].data;
unlock:
	spin_unlock(&table_lock);
	kfree(gone);
}

static unsigned int index_of(unsigned long hva)
{
	return (hva - USER_BASE) >> PAGE_SHIFT;
}

/* The page's frame with a reference; @fresh becomes it, and NULL, where there was none. */
static unsigned int take_frame(unsigned int page, void **fresh)
{
	unsigned int n;

	spin_lock(&table_lock);
	if (!table[page] && *fresh) {
		table[page] = new_frame(*fresh);
		*fresh = NULL;
	}
	n = table[page];
	if (n)
		frames[n].refs++;
	spin_unlock(&table_lock);
	return n;
}

kvm_pfn_t kvm_gpc_pin(struct kvm *kvm, unsigned long hva)
{
	unsigned int page = index_of(hva), n;
	void *fresh = NULL;

	might_sleep();
	if (hva < USER_BASE || page >= USER_PAGES)
		return KVM_PFN_ERR_FAULT;
	n = take_frame(page, &fresh);
	if (n)
		return n;

	fresh = kzalloc(PAGE_SIZE, GFP_KERNEL);
	n = take_frame(page, &fresh);
	kfree(fresh);
	return n ? n : KVM_PFN_ERR_FAULT;
}

void kvm_gpc_unpin(kvm_pfn_t pfn)
{
	put_frame(pfn);
}

void *kvm_gpc_map_page(kvm_pfn_t pfn)
{
	might_sleep();
	spin_lock(&table_lock);
	mappings++;
	spin_unlock(&table_lock);
	return frames[pfn].data;
}

void kvm_gpc_unmap_page(kvm_pfn_t pfn, void *khva)
{
	spin_lock(&table_lock);
	WARN_ON_ONCE(!mappings);
	mappings--;
	spin_unlock(&table_lock);
}

/* Put @fresh (NULL: nothing) behind @page; what was there is user space's no more. */
static void replace(unsigned int page, void *fresh)
{
	unsigned int old;

	spin_lock(&table_lock);
	old = table[page];
	if (old && fresh)
		memcpy(fresh, frames[old].data, PAGE_SIZE);
	table[page] = old && fresh ? new_frame(fresh) : 0;
	spin_unlock(&table_lock);
	if (old)
		put_frame(old);
	else
		kfree(fresh);
}

void user_migrate_range(unsigned int first, unsigned int nr)
{
	unsigned int i;

	kvm_gpc_range_start(the_kvm, user_address(first), user_address(first + nr));
	for (i = first; i < first + nr; i++)
		replace(i, kmalloc(PAGE_SIZE, GFP_KERNEL));
	kvm_gpc_range_end(the_kvm);
}

void user_migrate(unsigned int page)
{
	user_migrate_range(page, 1);
}

void user_protect(unsigned int page)
{
	kvm_gpc_range_start(the_kvm, user_address(page), user_address(page + 1));
	kvm_gpc_range_end(the_kvm);
}

void user_unmap(unsigned int page)
{
	kvm_gpc_range_start(the_kvm, user_address(page), user_address(page + 1));
	replace(page, NULL);
	kvm_gpc_range_end(the_kvm);
}

unsigned int user_page_refs(unsigned int page)
{
	return frames[table[page]].refs;
}

unsigned int user_mappings(void)
{
	return mappings;
}

void *user_page(unsigned int page)
{
	return frames[table[page]].data;
}

void user_memory_exit(void)
{
	unsigned int i;

	for (i = 0; i < USER_PAGES; i++)
		if (table[i]) {
			put_frame(table[i]);
			table[i] = 0;
		}
}

/* What virt/kvm/kvm_main.c has: kvm_is_error_hva() compares with where the kernel's half begins. */
unsigned long page_offset_base = 0xffff888000000000UL;

unsigned long gfn_to_hva_memslot(struct kvm_memory_slot *slot, gfn_t gfn)
{
	if (!slot || slot->flags & KVM_MEMSLOT_INVALID)
		return KVM_HVA_ERR_BAD;
	return __gfn_to_hva_memslot(slot, gfn);
}

/* ---- memslots: two sets, of which one is in use, as in kvm_main.c ---- */

static struct kvm_memory_slot slots[2];

static void fill(struct kvm *kvm, int set, gfn_t base_gfn, unsigned int first, unsigned int nr,
		 u64 generation)
{
	struct kvm_memslots *s = &kvm->__memslots[0][set];
	struct kvm_memory_slot *slot = &slots[set];

	*slot = (struct kvm_memory_slot){ .base_gfn = base_gfn,
					  .npages = nr,
					  .userspace_addr = user_address(first) };
	s->generation = generation;
	s->node_idx = set;
	s->gfn_tree.rb_node = &slot->gfn_node[set];
	atomic_long_set(&s->last_used_slot, (unsigned long)slot);
}

void user_memslot(struct kvm *kvm, gfn_t base_gfn, unsigned int first, unsigned int nr)
{
	fill(kvm, 0, base_gfn, first, nr, 2);
	rcu_assign_pointer(kvm->memslots[0], &kvm->__memslots[0][0]);
}

void user_memslot_change(struct kvm *kvm, gfn_t base_gfn, unsigned int first, unsigned int nr)
{
	mutex_lock(&kvm->slots_lock);
	fill(kvm, 1, base_gfn, first, nr, 4);
	rcu_assign_pointer(kvm->memslots[0], &kvm->__memslots[0][1]);
	synchronize_srcu(&kvm->srcu);
	mutex_unlock(&kvm->slots_lock);
}

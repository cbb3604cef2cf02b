/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User space's memory, as far as KVM's page caches see it: user addresses, what page is behind each,
 * and a memory management that moves and takes away pages, with the MMU notifier's calls around it.
 * A page is an object of the simulated slab: whoever uses it after it was freed is reported.
 */
#ifndef MODEL_USER_MEMORY_H
#define MODEL_USER_MEMORY_H

#include <linux/kvm_host.h>

#define USER_BASE  0x7f0000000000UL /* where it begins */
#define USER_PAGES 64

void user_memory_init(struct kvm *kvm);
void user_memory_exit(void); /* frees every page that no one but user space has */

static inline unsigned long user_address(unsigned int page)
{
	return USER_BASE + page * PAGE_SIZE;
}

/*
 * What user space's memory management does to pages that nobody may be using then, each in the
 * notifier's order: start of the range, page table, the page freed, end of the range.
 */
void user_migrate(unsigned int page);
void user_unmap(unsigned int page);
void user_migrate_range(unsigned int first, unsigned int nr);
void user_protect(unsigned int page); /* the page stays */

/* Is somebody's reference still on the page behind it? For final checks. */
unsigned int user_page_refs(unsigned int page);
unsigned int user_mappings(void); /* of the kernel, not unmapped yet */
/* The page itself, as user space sees it; NULL where there is none. */
void *user_page(unsigned int page);

/* The VM's memslots: @nr pages from guest page @base_gfn lie at user page @first. */
void user_memslot(struct kvm *kvm, gfn_t base_gfn, unsigned int first, unsigned int nr);
/* The same from another thread, later: a new generation. */
void user_memslot_change(struct kvm *kvm, gfn_t base_gfn, unsigned int first, unsigned int nr);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a user of a cache may not do, in either scheme: each is reported.
 */
#include "race.h"

#ifdef GPC_SRCU
#define IN_USE "rcu" /* "waits in synchronize_srcu_atomic() for its own read section" */
#else
#define IN_USE "deadlock"
#endif

/* The notifier, from within a use: it waits for that to end. */
static void invalidate_in_use(unsigned int n)
{
	struct kvm_gpc_map map;
	int idx = srcu_read_lock(&gpc_kvm.srcu);

	DET_CHECK(kvm_gpc_enter(race_shinfo(), PAGE_SIZE, &map));
	user_protect(GPC_SHINFO);
	kvm_gpc_leave(race_shinfo(), &map);
	srcu_read_unlock(&gpc_kvm.srcu, idx);
}

RACE(trap_invalidate, "gpc-invalidate-in-use", "a user of a page has it invalidated", 1,
     .setup = race_setup, .actor = invalidate_in_use, .expects = IN_USE);

/* Mapping a page may sleep, and a use may not. */
static void map_in_use(unsigned int n)
{
	struct kvm_gpc_map map;
	kvm_pfn_t pfn;
	int idx = srcu_read_lock(&gpc_kvm.srcu);

	DET_CHECK(kvm_gpc_enter(race_shinfo(), PAGE_SIZE, &map));
	pfn = kvm_gpc_pin(&gpc_kvm, user_address(GPC_SHINFO));
	kvm_gpc_unmap_page(pfn, kvm_gpc_map_page(pfn));
	kvm_gpc_unpin(pfn);
	kvm_gpc_leave(race_shinfo(), &map);
	srcu_read_unlock(&gpc_kvm.srcu, idx);
}

RACE(trap_map, "gpc-map-in-use", "a user of a page maps another, which sleeps", 1,
     .setup = race_setup, .actor = map_in_use, .expects = "atomic-sleep");

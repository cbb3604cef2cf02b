// SPDX-License-Identifier: GPL-2.0-only
/*
 * Caches against user space's memory management: whoever uses a page while it goes away, and whoever
 * maps it again meanwhile.
 */
#include "race.h"

/* ---- an event against a migration of its page ---- */

static void deliver_or_migrate(unsigned int n)
{
	if (n)
		user_migrate(GPC_SHINFO);
	else
		DET_CHECK(race_deliver() == 1);
}

/* Never lost: on the old page it is copied, after that it goes to the new one. */
static void delivered(void)
{
	DET_CHECK(race_delivered());
	race_end();
}

RACE(deliver_migrate, "gpc-deliver-migrate", "an event is raised while its page is migrated", 2,
     .setup = race_setup, .actor = deliver_or_migrate, .final = delivered);

static void use_or_migrate(unsigned int n)
{
	struct kvm_xen_evtchn e = { .port = RACE_PORT };

	if (n)
		user_migrate(GPC_SHINFO);
	else
		kvm_xen_set_evtchn_fast(&e, &gpc_kvm);
}

RACE(use_migrate, "gpc-use-migrate", "the fast path alone, while the page is migrated", 2,
     .setup = race_setup, .actor = use_or_migrate, .final = race_end);

/* ---- a refresh against one ---- */

static void refresh_or_migrate(unsigned int n)
{
	if (n)
		user_migrate(GPC_SHINFO);
	else
		DET_CHECK(!race_refresh());
}

RACE(refresh_migrate, "gpc-refresh-migrate", "a refresh while the page is migrated", 2,
     .setup = race_setup_invalid, .actor = refresh_or_migrate, .final = race_end);

static void refresh_or_unmap(unsigned int n)
{
	if (n)
		user_unmap(GPC_SHINFO);
	else
		DET_CHECK(!race_refresh());
}

RACE(refresh_unmap, "gpc-refresh-unmap", "a refresh while the page is taken away", 2,
     .setup = race_setup_invalid, .actor = refresh_or_unmap, .final = race_end);

/* ---- nothing but the same page again ---- */

static void refresh_again(unsigned int n)
{
	user_protect(GPC_SHINFO);
	DET_CHECK(!race_shinfo()->valid);
	DET_CHECK(!race_refresh());
	DET_CHECK(race_shinfo()->valid);
}

RACE(same_page, "gpc-refresh-same-page", "a refresh finds the page that it had", 1,
     .setup = race_setup, .actor = refresh_again, .final = race_end);

/* ---- another place in the same page ---- */

#define PLACE_OF(n) (0x40 + 0x40 * (n))

static void move_within(unsigned int unused)
{
	struct gfn_to_pfn_cache *gpc = &race_vcpu->arch.xen.vcpu_info_cache;
	struct kvm_gpc_map map;
	int idx = srcu_read_lock(&gpc_kvm.srcu), n;

	for (n = 0; n < 3; n++) {
		gpa_t gpa = gpc_gpa(GPC_VCPU_INFO) + PLACE_OF(n);

		DET_CHECK(!kvm_gpc_activate(gpc, gpa, sizeof(u64)));
		DET_CHECK(kvm_gpc_enter(gpc, sizeof(u64), &map));
		*(u64 *)map.khva = n + 1;
		kvm_gpc_leave(gpc, &map);
		DET_CHECK(*(u64 *)(user_page(GPC_VCPU_INFO) + PLACE_OF(n)) == n + 1);
	}
	srcu_read_unlock(&gpc_kvm.srcu, idx);
}

RACE(other_offset, "gpc-offset", "a cache moves within its page", 1, .setup = race_setup,
     .actor = move_within, .final = race_end);

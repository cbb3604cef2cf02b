// SPDX-License-Identifier: GPL-2.0-only
/*
 * Caches that come and go while they are used.
 */
#include "race.h"

/* ---- deactivated meanwhile ---- */

static void refresh_or_deactivate(unsigned int n)
{
	if (n)
		race_deactivate();
	else
		race_refresh();
}

static void is_inactive(void)
{
	DET_CHECK(!race_shinfo()->active && !race_shinfo()->valid && !race_shinfo()->khva);
	race_end();
}

RACE(refresh_deactivate, "gpc-refresh-deactivate", "a refresh while the cache is deactivated", 2,
     .setup = race_setup_invalid, .actor = refresh_or_deactivate, .final = is_inactive);

static void deliver_or_deactivate(unsigned int n)
{
	int ret;

	if (n) {
		race_deactivate();
		return;
	}
	ret = race_deliver();
	DET_CHECK(ret == 1 || ret == -EINVAL);
}

RACE(deliver_deactivate, "gpc-deliver-deactivate", "an event while the cache is deactivated", 2,
     .setup = race_setup, .actor = deliver_or_deactivate, .final = is_inactive);

/* An event before anybody has configured the page, or after it was taken back. */
static void deliver_inactive(unsigned int n)
{
	race_deactivate();
	DET_CHECK(!kvm_gpc_is_gpa_active(race_shinfo()));
	DET_CHECK(race_deliver() == -EINVAL);
}

RACE(inactive, "gpc-deliver-inactive", "an event to a cache that is not active", 1,
     .setup = race_setup, .actor = deliver_inactive, .final = is_inactive);

/* ---- activated again, at another page ---- */

static void activate_or_deliver(unsigned int n)
{
	if (n)
		DET_CHECK(!gpc_map_shinfo(GPC_SHINFO_NEW));
	else
		DET_CHECK(race_deliver() == 1);
}

RACE(activate_deliver, "gpc-activate-deliver", "an event while its cache goes to another page", 2,
     .setup = race_setup, .actor = activate_or_deliver, .final = race_end);

/* ---- memslots change: what a guest address means ---- */

static void refresh_or_change(unsigned int n)
{
	int idx;

	if (n) {
		user_memslot_change(&gpc_kvm, GPC_GFN, 1, USER_PAGES - 1);
		return;
	}
	idx = srcu_read_lock(&gpc_kvm.srcu);
	DET_CHECK(!kvm_gpc_refresh(race_shinfo(), PAGE_SIZE));
	srcu_read_unlock(&gpc_kvm.srcu, idx);
}

/* Of the old memslots it is not good any more; a refresh makes it so. */
static void follows_memslots(void)
{
	int idx = srcu_read_lock(&gpc_kvm.srcu);
	struct kvm_gpc_map map;

	DET_CHECK(!kvm_gpc_refresh(race_shinfo(), PAGE_SIZE));
	DET_CHECK(kvm_gpc_enter(race_shinfo(), PAGE_SIZE, &map));
	DET_CHECK(map.khva == user_page(1));
	kvm_gpc_leave(race_shinfo(), &map);
	srcu_read_unlock(&gpc_kvm.srcu, idx);
	race_end();
}

RACE(refresh_memslots, "gpc-refresh-memslots", "a refresh while memslots change", 2,
     .setup = race_setup, .actor = refresh_or_change, .final = follows_memslots);

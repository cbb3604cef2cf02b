// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several ranges at once, and vCPUs whose vcpu_info is away.
 */
#include "race.h"

/* ---- two ranges over the same page: whoever comes second must not be done before its users ---- */

static void use_under_two(unsigned int n)
{
	struct kvm_xen_evtchn e = { .port = RACE_PORT };

	if (n)
		user_migrate_range(GPC_SHINFO, n);
	else
		kvm_xen_set_evtchn_fast(&e, &gpc_kvm);
}

RACE(two_ranges, "gpc-overlapping-ranges", "an event under two migrations of its page", 3,
     .setup = race_setup, .actor = use_under_two, .final = race_end);

/* ---- a refresh retires the cache while a range begins ---- */

static void use_refresh_migrate(unsigned int n)
{
	struct kvm_xen_evtchn e = { .port = RACE_PORT };

	if (n == 2)
		user_migrate(GPC_SHINFO);
	else if (n == 1)
		DET_CHECK(!gpc_map_shinfo(GPC_SHINFO_NEW));
	else
		kvm_xen_set_evtchn_fast(&e, &gpc_kvm);
}

RACE(retire_migrate, "gpc-retire-migrate",
     "an event while its cache goes to another page and the old one is migrated", 3,
     .setup = race_setup, .actor = use_refresh_migrate, .final = race_end);

/* ---- vcpu_info is away: the vCPU finds in its own memory what was raised ---- */

static bool in_vcpu_info(void)
{
	const struct vcpu_info *vi = user_page(GPC_VCPU_INFO);

	return vi && vi->evtchn_upcall_pending &&
	       vi->evtchn_pending_sel & BIT(RACE_PORT / BITS_PER_LONG);
}

static void deliver_or_take(unsigned int n)
{
	if (n)
		user_migrate(GPC_VCPU_INFO);
	else
		DET_CHECK(race_deliver() == 1);
}

static void vcpu_looks(void)
{
	int idx = srcu_read_lock(&gpc_kvm.srcu);

	kvm_xen_inject_pending_events(race_vcpu);
	srcu_read_unlock(&gpc_kvm.srcu, idx);
	DET_CHECK(!race_vcpu->arch.xen.evtchn_pending_sel);
	DET_CHECK(in_vcpu_info());
	DET_CHECK(race_delivered());
	race_end();
}

RACE(shadow, "gpc-vcpu-info-migrate", "an event while the vCPU's vcpu_info is migrated", 2,
     .setup = race_setup, .actor = deliver_or_take, .final = vcpu_looks);

/* ---- a vCPU takes what was left for it, while more is raised ---- */

static void setup_without_info(void)
{
	race_setup();
	user_protect(GPC_VCPU_INFO);
}

static void deliver_or_inject(unsigned int n)
{
	int idx;

	if (!n) {
		DET_CHECK(race_deliver() == 1);
		return;
	}
	idx = srcu_read_lock(&gpc_kvm.srcu);
	kvm_xen_inject_pending_events(race_vcpu);
	srcu_read_unlock(&gpc_kvm.srcu, idx);
}

RACE(inject, "gpc-vcpu-info-inject", "a vCPU takes what was left for it, while more is raised", 2,
     .setup = setup_without_info, .actor = deliver_or_inject, .final = vcpu_looks);

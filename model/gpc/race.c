// SPDX-License-Identifier: GPL-2.0-only
#include "race.h"

struct kvm_vcpu *race_vcpu;

void race_setup(void)
{
	race_vcpu = gpc_one_vcpu();
	DET_CHECK(race_vcpu);
}

void race_setup_invalid(void)
{
	race_setup();
	user_protect(GPC_SHINFO);
	DET_CHECK(!race_shinfo()->valid);
}

static bool is_listed(const struct gfn_to_pfn_cache *gpc)
{
	const struct gfn_to_pfn_cache *g;

	list_for_each_entry(g, &gpc_kvm.gpc_list, list)
		if (g == gpc)
			return true;
	return false;
}

static void is_consistent(const struct gfn_to_pfn_cache *gpc)
{
	unsigned int page = (gpc->uhva - USER_BASE) >> PAGE_SHIFT;

	DET_CHECK(!gpc->valid || gpc->active);
	DET_CHECK(gpc->active == is_listed(gpc));
	DET_CHECK(gpc->active || !gpc->khva);
	if (gpc->valid) {
		DET_CHECK(gpc->khva == user_page(page) + offset_in_page(gpc->uhva));
		DET_CHECK(user_page_refs(page) == 1);
	}
}

void race_consistent(void)
{
	is_consistent(race_shinfo());
	is_consistent(&race_vcpu->arch.xen.vcpu_info_cache);
	DET_CHECK(user_mappings() ==
		  !!race_shinfo()->khva + !!race_vcpu->arch.xen.vcpu_info_cache.khva);
}

void race_end(void)
{
	race_consistent();
	gpc_vm_exit();
	DET_CHECK(!user_mappings());
	kfree(race_vcpu);
	det_check_leaks();
}

int race_deliver(void)
{
	struct kvm_xen_evtchn e = { .port = RACE_PORT };

	return kvm_xen_set_evtchn(&e, &gpc_kvm);
}

bool race_delivered(void)
{
	const struct shared_info *s = user_page(GPC_SHINFO);

	return s && s->evtchn_pending[RACE_PORT / BITS_PER_LONG] & BIT(RACE_PORT % BITS_PER_LONG);
}

int race_refresh(void)
{
	int idx = srcu_read_lock(&gpc_kvm.srcu), ret;

	ret = kvm_gpc_refresh(race_shinfo(), PAGE_SIZE);
	srcu_read_unlock(&gpc_kvm.srcu, idx);
	return ret;
}

void race_deactivate(void)
{
	kvm_gpc_deactivate(race_shinfo());
}

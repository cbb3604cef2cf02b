// SPDX-License-Identifier: GPL-2.0-only
/*
 * Xen event channels of 64-bit guests: a bit in the shared_info page, a bit in the vCPU's vcpu_info
 * for the word that it is in, and a kick. Both pages are the guest's, seen through caches.
 */
#include <linux/kvm_host.h>
#include <xen/interface/xen.h>

#include "../../../virt/kvm/pfncache.h"
#include "xen_evtchn.h"

#define NR_PORTS (BITS_PER_LONG * BITS_PER_LONG) /* of the two-level ABI */

static struct kvm_vcpu *target_of(struct kvm_xen_evtchn *xe, struct kvm *kvm)
{
	int idx = READ_ONCE(xe->vcpu_idx);
	struct kvm_vcpu *vcpu;

	if (idx >= 0)
		return kvm_get_vcpu(kvm, idx);
	/* A route may be older than its vCPU. */
	vcpu = kvm_get_vcpu_by_id(kvm, xe->vcpu_id);
	if (vcpu)
		WRITE_ONCE(xe->vcpu_idx, vcpu->vcpu_idx);
	return vcpu;
}

static void kick(struct kvm_vcpu *vcpu)
{
	kvm_make_request(KVM_REQ_UNBLOCK, vcpu);
	kvm_vcpu_kick(vcpu);
}

/* Tell the vCPU which word has something; where vcpu_info is not mapped, keep it for it. */
static void mark_vcpu(struct kvm_vcpu *vcpu, unsigned int word)
{
	struct gfn_to_pfn_cache *gpc = &vcpu->arch.xen.vcpu_info_cache;
	struct kvm_gpc_map map;
	struct vcpu_info *vi;
	bool first;

	if (!kvm_gpc_enter(gpc, sizeof(*vi), &map)) {
		first = !test_and_set_bit(word, &vcpu->arch.xen.evtchn_pending_sel);
	} else {
		vi = map.khva;
		first = !test_and_set_bit(word, (unsigned long *)&vi->evtchn_pending_sel);
		if (first)
			WRITE_ONCE(vi->evtchn_upcall_pending, 1);
		kvm_gpc_leave(gpc, &map);
	}
	if (first)
		kick(vcpu);
}

int kvm_xen_set_evtchn_fast(struct kvm_xen_evtchn *xe, struct kvm *kvm)
{
	struct gfn_to_pfn_cache *gpc = &kvm->arch.xen.shinfo_cache;
	struct kvm_vcpu *vcpu = target_of(xe, kvm);
	struct kvm_gpc_map map;
	struct shared_info *s;
	int idx, ret;

	if (!vcpu || xe->port >= NR_PORTS)
		return -EINVAL;

	idx = srcu_read_lock(&kvm->srcu);
	ret = -EWOULDBLOCK;
	if (!kvm_gpc_enter(gpc, PAGE_SIZE, &map))
		goto out;

	s = map.khva;
	if (test_and_set_bit(xe->port, (unsigned long *)s->evtchn_pending))
		ret = 0;
	else if (test_bit(xe->port, (unsigned long *)s->evtchn_mask))
		ret = -ENOTCONN;
	else
		ret = 1;
	kvm_gpc_leave(gpc, &map);

	if (ret == 1)
		mark_vcpu(vcpu, xe->port / BITS_PER_LONG);
out:
	srcu_read_unlock(&kvm->srcu, idx);
	return ret;
}

/* Not for ever where pages go as fast as they come: the notifier's caller has its turns as well. */
int kvm_xen_set_evtchn(struct kvm_xen_evtchn *xe, struct kvm *kvm)
{
	int ret, idx, err;

	for (;;) {
		ret = kvm_xen_set_evtchn_fast(xe, kvm);
		if (ret != -EWOULDBLOCK)
			return ret;

		idx = srcu_read_lock(&kvm->srcu);
		err = kvm_gpc_refresh(&kvm->arch.xen.shinfo_cache, PAGE_SIZE);
		srcu_read_unlock(&kvm->srcu, idx);
		if (err)
			return err;
	}
}

/* kvm->srcu is held, as wherever a vCPU is outside the guest. */
void kvm_xen_inject_pending_events(struct kvm_vcpu *vcpu)
{
	struct gfn_to_pfn_cache *gpc = &vcpu->arch.xen.vcpu_info_cache;
	struct kvm_gpc_map map;
	struct vcpu_info *vi;
	unsigned long sel;

	if (!READ_ONCE(vcpu->arch.xen.evtchn_pending_sel))
		return;
	while (!kvm_gpc_enter(gpc, sizeof(*vi), &map))
		if (kvm_gpc_refresh(gpc, sizeof(*vi)))
			return;
	vi = map.khva;
	sel = xchg(&vcpu->arch.xen.evtchn_pending_sel, 0);
	if (sel) {
		atomic64_or(sel, (atomic64_t *)&vi->evtchn_pending_sel);
		WRITE_ONCE(vi->evtchn_upcall_pending, 1);
	}
	kvm_gpc_leave(gpc, &map);
}

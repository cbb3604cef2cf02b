// SPDX-License-Identifier: GPL-2.0-only
/*
 * Xen event channels as routes. A port that the guest cannot have now, or a vCPU that does not
 * exist yet, is no error: a migrated VM gets its routes back in any order. What is not there at
 * delivery is not delivered to.
 */
#include <linux/kvm_host.h>

#include "irq.h"

int kvm_xen_fill_route(struct kvm *kvm, struct kvm_kernel_irq_routing_entry *e,
		       const struct kvm_irq_routing_entry *ue)
{
	struct kvm_vcpu *vcpu;

	/* FIFO event channels have priorities; the older ABI, the only one here, says ~0. */
	if (ue->u.xen_evtchn.priority != KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL)
		return -EINVAL;

	/* From id to vCPU is a walk; here once, at delivery again only where it found none. */
	vcpu = kvm_get_vcpu_by_id(kvm, ue->u.xen_evtchn.vcpu);
	e->xen_evtchn.vcpu_idx = vcpu ? vcpu->vcpu_idx : -1;
	e->xen_evtchn.vcpu_id = ue->u.xen_evtchn.vcpu;
	e->xen_evtchn.port = ue->u.xen_evtchn.port;
	e->xen_evtchn.priority = ue->u.xen_evtchn.priority;
	e->set = kvm_xen_set_evtchn_route;

	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KVM_XEN_EVTCHN_H
#define KVM_XEN_EVTCHN_H

#include <linux/kvm_host.h>

/*
 * Raise event channel @xe->port of a guest with 64-bit shared_info. 1: raised now, 0: it was pending,
 * -ENOTCONN: masked, -EINVAL: no such port or vCPU. _fast: in any context; -EWOULDBLOCK where a page
 * is not mapped. The other one maps it, and sleeps.
 */
int kvm_xen_set_evtchn_fast(struct kvm_xen_evtchn *xe, struct kvm *kvm);
int kvm_xen_set_evtchn(struct kvm_xen_evtchn *xe, struct kvm *kvm);

/* The vCPU, before it enters the guest: what was raised while its vcpu_info was not mapped. */
void kvm_xen_inject_pending_events(struct kvm_vcpu *vcpu);

/*
 * The vCPU's one-shot timer. It fires in a hard interrupt, and where that cannot raise the event it
 * is left to the vCPU, which calls kvm_xen_inject_timer_irqs(). kvm_xen_timer_get(): when it will
 * fire, 0 for not at all, what has fired raised before (KVM_XEN_VCPU_ATTR_TYPE_TIMER).
 */
void kvm_xen_init_timer(struct kvm_vcpu *vcpu);
void kvm_xen_start_timer(struct kvm_vcpu *vcpu, u64 guest_abs, s64 delta_ns);
void kvm_xen_stop_timer(struct kvm_vcpu *vcpu);
void kvm_xen_inject_timer_irqs(struct kvm_vcpu *vcpu);
u64 kvm_xen_timer_get(struct kvm_vcpu *vcpu);

#endif

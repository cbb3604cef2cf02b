// SPDX-License-Identifier: GPL-2.0-only
/*
 * A Xen vCPU's one-shot timer. It fires in a hard interrupt on every kernel: where a page is not
 * mapped then, or its lock is not to be had, the vCPU raises the event itself, later.
 */
#include <linux/hrtimer.h>
#include <linux/kvm_host.h>

#include "xen_evtchn.h"

static struct kvm_xen_evtchn event_of(const struct kvm_vcpu *vcpu)
{
	return (struct kvm_xen_evtchn){ .port = vcpu->arch.xen.timer_virq,
					.vcpu_id = vcpu->vcpu_id,
					.vcpu_idx = vcpu->vcpu_idx,
					.priority = KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL };
}

static enum hrtimer_restart fired(struct hrtimer *timer)
{
	struct kvm_vcpu *vcpu = container_of(timer, struct kvm_vcpu, arch.xen.timer);
	struct kvm_xen_evtchn e = event_of(vcpu);

	if (atomic_read(&vcpu->arch.xen.timer_pending))
		return HRTIMER_NORESTART;
	if (kvm_xen_set_evtchn_fast(&e, vcpu->kvm) != -EWOULDBLOCK) {
		WRITE_ONCE(vcpu->arch.xen.timer_expires, 0);
		return HRTIMER_NORESTART;
	}

	atomic_inc(&vcpu->arch.xen.timer_pending);
	kvm_make_request(KVM_REQ_UNBLOCK, vcpu);
	kvm_vcpu_kick(vcpu);
	return HRTIMER_NORESTART;
}

void kvm_xen_init_timer(struct kvm_vcpu *vcpu)
{
	hrtimer_init(&vcpu->arch.xen.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	vcpu->arch.xen.timer.function = fired;
}

void kvm_xen_start_timer(struct kvm_vcpu *vcpu, u64 guest_abs, s64 delta_ns)
{
	WRITE_ONCE(vcpu->arch.xen.timer_expires, guest_abs);
	hrtimer_start(&vcpu->arch.xen.timer, ktime_add_ns(ktime_get(), delta_ns),
		      HRTIMER_MODE_ABS_HARD);
}

void kvm_xen_stop_timer(struct kvm_vcpu *vcpu)
{
	hrtimer_cancel(&vcpu->arch.xen.timer);
	WRITE_ONCE(vcpu->arch.xen.timer_expires, 0);
	atomic_set(&vcpu->arch.xen.timer_pending, 0);
}

void kvm_xen_inject_timer_irqs(struct kvm_vcpu *vcpu)
{
	struct kvm_xen_evtchn e = event_of(vcpu);

	if (!atomic_read(&vcpu->arch.xen.timer_pending))
		return;
	kvm_xen_set_evtchn(&e, vcpu->kvm);
	WRITE_ONCE(vcpu->arch.xen.timer_expires, 0);
	atomic_set(&vcpu->arch.xen.timer_pending, 0);
}

u64 kvm_xen_timer_get(struct kvm_vcpu *vcpu)
{
	u64 expires;

	mutex_lock(&vcpu->kvm->arch.xen.xen_lock);
	hrtimer_cancel(&vcpu->arch.xen.timer);
	kvm_xen_inject_timer_irqs(vcpu);
	expires = READ_ONCE(vcpu->arch.xen.timer_expires);
	mutex_unlock(&vcpu->kvm->arch.xen.xen_lock);
	return expires;
}

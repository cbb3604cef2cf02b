// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM_CHECK_EXTENSION, for the capabilities that interrupt routing and delivery have to do with, as
 * the kernel answers whose headers and configuration this is compiled with. The PIT, which a VMM
 * asks for before it uses routing, is answered so too, although there is none and the ioctls behind
 * it say ENOTTY. What is not listed is answered as an unknown capability is, with 0.
 */
#include <sim/task.h>

#include "door.h"

long door_check_extension(struct kvm *kvm, unsigned long cap)
{
	switch (cap) {
	case KVM_CAP_IRQCHIP:
	case KVM_CAP_PIT2:
	case KVM_CAP_PIT_STATE2:
	case KVM_CAP_IRQ_INJECT_STATUS:
	case KVM_CAP_USER_MEMORY:
	case KVM_CAP_DESTROY_MEMORY_REGION_WORKS:
	case KVM_CAP_JOIN_MEMORY_REGIONS_WORKS:
	case KVM_CAP_IRQFD:
	case KVM_CAP_IRQFD_RESAMPLE:
	case KVM_CAP_IOEVENTFD:
	case KVM_CAP_IOEVENTFD_NO_LENGTH:
	case KVM_CAP_IOEVENTFD_ANY_LENGTH:
	case KVM_CAP_SIGNAL_MSI:
	case KVM_CAP_SPLIT_IRQCHIP:
	case KVM_CAP_ENABLE_CAP_VM:
	case KVM_CAP_CHECK_EXTENSION_VM:
#ifdef CONFIG_KVM_HYPERV
	case KVM_CAP_HYPERV_SYNIC:
	case KVM_CAP_HYPERV_SYNIC2:
#endif
		return 1;
	case KVM_CAP_IRQ_ROUTING:
		return KVM_MAX_IRQ_ROUTES;
	case KVM_CAP_NR_VCPUS:
		return min(SIM_NR_CPUS, KVM_MAX_VCPUS); /* CPUs online */
	case KVM_CAP_MAX_VCPUS:
		return kvm ? kvm->max_vcpus : KVM_MAX_VCPUS;
	case KVM_CAP_MAX_VCPU_ID:
		return KVM_MAX_VCPU_IDS;
	case KVM_CAP_X2APIC_API:
		return KVM_X2APIC_API_USE_32BIT_IDS | KVM_X2APIC_API_DISABLE_BROADCAST_QUIRK;
#ifdef CONFIG_KVM_XEN
	case KVM_CAP_XEN_HVM:
		return KVM_XEN_HVM_CONFIG_HYPERCALL_MSR | KVM_XEN_HVM_CONFIG_INTERCEPT_HCALL |
		       KVM_XEN_HVM_CONFIG_SHARED_INFO | KVM_XEN_HVM_CONFIG_EVTCHN_2LEVEL |
		       KVM_XEN_HVM_CONFIG_EVTCHN_SEND;
#endif
	}

	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls of /dev/kvm itself.
 */
#include "door.h"

#define RUN_AREA_PAGES 3 /* x86: kvm_run, PIO data, coalesced MMIO ring */

long door_system_ioctl(unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case KVM_GET_API_VERSION:
		return arg ? -EINVAL : KVM_API_VERSION;
	case KVM_CREATE_VM:
		return door_create_vm(arg);
	case KVM_CHECK_EXTENSION:
		return door_check_extension(NULL, arg);
	case KVM_GET_SUPPORTED_CPUID:
		return door_supported_cpuid((void __user *)arg);
	case KVM_GET_VCPU_MMAP_SIZE:
		return arg ? -EINVAL : RUN_AREA_PAGES * (long)PAGE_SIZE;
	}

	return -EINVAL;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What older kernels declare elsewhere or not at all. */
#ifndef KERNEL_PORT_KVM_COMPAT_H
#define KERNEL_PORT_KVM_COMPAT_H

#include <linux/kvm_host.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "srcu_atomic.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
int kvm_init_irq_routing(struct kvm *kvm);	  /* 6.11: an empty table from birth */
bool kvm_arch_irqchip_in_kernel(struct kvm *kvm); /* was an inline of each architecture */
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
/* 6.17: before all others, and alone there: -EBUSY where somebody is already. */
int add_wait_queue_priority_exclusive(struct wait_queue_head *wq_head,
				      struct wait_queue_entry *wq_entry);
#endif

#endif

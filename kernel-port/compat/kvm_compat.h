/* SPDX-License-Identifier: GPL-2.0-only */
/* What older kernels declare elsewhere or not at all. */
#ifndef KERNEL_PORT_KVM_COMPAT_H
#define KERNEL_PORT_KVM_COMPAT_H

#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/kvm_host.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "srcu_atomic.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
int kvm_init_irq_routing(struct kvm *kvm);	  /* 6.11: an empty table from birth */
bool kvm_arch_irqchip_in_kernel(struct kvm *kvm); /* was an inline of each architecture */
#endif

/* 6.12 hides what struct fd holds. */
static inline struct file *kvm_fd_file(struct fd f)
{
#ifdef fd_file
	return fd_file(f);
#else
	return f.file;
#endif
}

/* 6.8 dropped the count, which everybody gave as 1. */
static inline void kvm_eventfd_signal(struct eventfd_ctx *ctx)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
	eventfd_signal(ctx);
#else
	eventfd_signal(ctx, 1);
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
/* 6.17: before all others, and alone there: -EBUSY where somebody is already. */
int add_wait_queue_priority_exclusive(struct wait_queue_head *wq_head,
				      struct wait_queue_entry *wq_entry);
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What kernels before 6.11 declare elsewhere or not at all. */
#ifndef KERNEL_PORT_KVM_COMPAT_H
#define KERNEL_PORT_KVM_COMPAT_H

#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/kvm_host.h>
#include <linux/version.h>

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

/* 6.17: fails with -EBUSY where the queue has such a waiter already. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
int add_wait_queue_priority_exclusive(wait_queue_head_t *queue, wait_queue_entry_t *entry);
#endif

#endif

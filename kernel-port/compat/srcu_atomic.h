/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SRCU domains whose grace periods can be waited for anywhere, declared here for trees that lack
 * them. A reader has preemption disabled from srcu_read_lock() to srcu_read_unlock(), does not
 * sleep and stays on its CPU. So synchronize_srcu_atomic() waits by spinning and may be called in
 * any context but a reader of the domain, or what interrupted one. No callbacks and no polling.
 */
#ifndef KERNEL_PORT_SRCU_ATOMIC_H
#define KERNEL_PORT_SRCU_ATOMIC_H

#include <linux/srcu.h>

#ifdef CONFIG_DEBUG_LOCK_ALLOC
int __init_srcu_struct_atomic(struct srcu_struct *ssp, const char *name,
			      struct lock_class_key *key);
#define init_srcu_struct_atomic(ssp)                                 \
	({                                                           \
		static struct lock_class_key __srcu_key;             \
                                                                     \
		__init_srcu_struct_atomic((ssp), #ssp, &__srcu_key); \
	})
#else
int init_srcu_struct_atomic(struct srcu_struct *ssp);
#endif
void synchronize_srcu_atomic(struct srcu_struct *ssp);

#endif

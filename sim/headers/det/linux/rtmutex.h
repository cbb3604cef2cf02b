/* SPDX-License-Identifier: GPL-2.0-only */
/* Marked because who holds a lock is known by the scheduler, not written into the lock. */
#ifndef IRQSIM_DET_LINUX_RTMUTEX_H
#define IRQSIM_DET_LINUX_RTMUTEX_H

#include_next <linux/rtmutex.h>

bool irqsim_rt_mutex_is_locked(struct rt_mutex_base *base); /* sim/kernel/det/rt */
#define rt_mutex_base_is_locked(base) irqsim_rt_mutex_is_locked(base)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marked because lock debugging stays on: each assertion's look at the variable would be an event
 * of its own.
 */
#ifndef IRQSIM_DET_LINUX_DEBUG_LOCKS_H
#define IRQSIM_DET_LINUX_DEBUG_LOCKS_H

#include_next <linux/debug_locks.h>

#define debug_locks 1

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Marked because an acquire load looks like READ_ONCE() to instrumentation. */
#ifndef IRQSIM_TSAN_ASM_BARRIER_H
#define IRQSIM_TSAN_ASM_BARRIER_H

#include_next <asm/barrier.h>
#include <irqsim-acquire.h>

#undef smp_load_acquire
#define smp_load_acquire(p) irqsim_acquired(__smp_load_acquire(p))

#endif

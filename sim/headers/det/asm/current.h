/* SPDX-License-Identifier: GPL-2.0-only */
/* Marked because the running task is the scheduler's to say, not a per-CPU variable's. */
#ifndef IRQSIM_DET_ASM_CURRENT_H
#define IRQSIM_DET_ASM_CURRENT_H

#include_next <asm/current.h>

struct task_struct *irqsim_current(void); /* sim/kernel/det/context.c */

#undef current
#define get_current() irqsim_current()
#define current	      irqsim_current()

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Marked because the CPU's number is the running context's. */
#ifndef IRQSIM_DET_ASM_SMP_H
#define IRQSIM_DET_ASM_SMP_H

#include_next <asm/smp.h>

int irqsim_cpu(void); /* sim/kernel/det/preempt.c */

#undef raw_smp_processor_id
#define raw_smp_processor_id() irqsim_cpu()
#undef __smp_processor_id
#define __smp_processor_id() irqsim_cpu()

#endif

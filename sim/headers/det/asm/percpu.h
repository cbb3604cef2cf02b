/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marked because the distance to a CPU's copies is the scheduler's to say: until somebody asks for
 * it, CPUs share one copy (sim/host/sched/det_fiber.c).
 */
#ifndef IRQSIM_DET_ASM_PERCPU_H
#define IRQSIM_DET_ASM_PERCPU_H

#include_next <asm/percpu.h>

unsigned long irqsim_per_cpu_offset(int cpu);
unsigned long irqsim_this_cpu_offset(void);

#undef per_cpu_offset
#define per_cpu_offset(cpu) irqsim_per_cpu_offset(cpu)
#undef __my_cpu_offset
#define __my_cpu_offset irqsim_this_cpu_offset()
#undef arch_raw_cpu_ptr
#define arch_raw_cpu_ptr(ptr) ((typeof(*(ptr)) *)((unsigned long)(ptr) + irqsim_this_cpu_offset()))

#endif

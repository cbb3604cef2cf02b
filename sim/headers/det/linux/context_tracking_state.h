/* SPDX-License-Identifier: GPL-2.0-only */
/* Marked because what RCU is told of a CPU is the simulated kernel's own: no event of the code's. */
#ifndef IRQSIM_DET_LINUX_CONTEXT_TRACKING_STATE_H
#define IRQSIM_DET_LINUX_CONTEXT_TRACKING_STATE_H

#include <linux/percpu.h>

#pragma push_macro("raw_cpu_read")
#undef raw_cpu_read
#define raw_cpu_read(var) __pcpu_size_call_return(raw_cpu_read_, var)

#include_next <linux/context_tracking_state.h>

#pragma pop_macro("raw_cpu_read")

#endif

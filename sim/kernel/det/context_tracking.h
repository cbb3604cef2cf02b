/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SIM_KERNEL_DET_CONTEXT_TRACKING_H
#define SIM_KERNEL_DET_CONTEXT_TRACKING_H

struct sim_task;

/* The CPU's variable is to say what @t, which goes on there, is in. */
void irqsim_tracking_follow(const struct sim_task *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SIM_KERNEL_DET_CONTEXT_TRACKING_H
#define SIM_KERNEL_DET_CONTEXT_TRACKING_H

/* The CPU's variable says @eqs, as sim_task.in_eqs; returns what it said before. */
int irqsim_tracking_set(int eqs);

#endif

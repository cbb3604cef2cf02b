/* SPDX-License-Identifier: GPL-2.0-only */
/* Marked because srcu_down_read()'s section belongs to no task, and the real one does not say so. */
#ifndef IRQSIM_LINUX_SRCU_H
#define IRQSIM_LINUX_SRCU_H

#include_next <linux/srcu.h>

int irqsim_srcu_down_read(struct srcu_struct *ssp); /* sim/kernel/srcu.c */
void irqsim_srcu_up_read(struct srcu_struct *ssp, int idx);

#define srcu_down_read(ssp)    irqsim_srcu_down_read(ssp)
#define srcu_up_read(ssp, idx) irqsim_srcu_up_read(ssp, idx)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The SRCU read sections that a task is in, the innermost last.
 */
#ifndef SIM_KERNEL_SRCU_SECTION_H
#define SIM_KERNEL_SRCU_SECTION_H

#include <linux/minmax.h>
#include <linux/srcu.h>

#include <sim/task.h>

/* Index in @t->srcu of the innermost section of @ssp with @idx (-1: any), or -1. */
static inline int srcu_section(const struct sim_task *t, const struct srcu_struct *ssp, int idx)
{
	int i = min(t->nr_srcu, SIM_SRCU_HELD_MAX) - 1;

	for (; i >= 0; i--)
		if (t->srcu[i].domain == ssp && (idx < 0 || t->srcu[i].idx == idx))
			break;
	return i;
}

/* @i: as found, -1 for one of those beyond what there is room for. */
static inline void srcu_section_left(struct sim_task *t, int i)
{
	t->nr_srcu--;
	for (; i >= 0 && i < min(t->nr_srcu, SIM_SRCU_HELD_MAX - 1); i++)
		t->srcu[i] = t->srcu[i + 1];
}

#endif

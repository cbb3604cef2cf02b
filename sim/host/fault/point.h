/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fault point as the allocators pass it: nothing but a count while no fault is asked for.
 */
#ifndef SIM_FAULT_POINT_H
#define SIM_FAULT_POINT_H

#include <sim/fault.h>
#include <sim/task.h>

extern bool sim_fault_armed; /* some kind has a probability */

static inline bool sim_fault_idle(const struct sim_task *self)
{
	return !self->fail_nth && !sim_fault_armed;
}

#endif

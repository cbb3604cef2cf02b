/* SPDX-License-Identifier: GPL-2.0-only */
/* How long an ioctl takes on the wall clock, measured in the same way on any KVM. */
#ifndef VMM_IOCTL_TIMING_H
#define VMM_IOCTL_TIMING_H

#include "backend.h"

/*
 * time_set_routing - KVM_SET_GSI_ROUTING on a VM of its own: split irqchip, no vCPU, a table of MSI
 * routes on GSI 0 to @routes - 1 (0 to 4096); two tables that differ in one entry take turns, so
 * that no call passes the table that is already in force
 * @samples: calls that are timed (1 or more), after as many as a tenth of that untimed
 * @min_us, @median_us: microseconds of CLOCK_MONOTONIC around the call
 * Returns 0, or -errno of what failed; -EINVAL for arguments out of range.
 */
int time_set_routing(struct backend *b, unsigned int routes, unsigned int samples, double *min_us,
		     double *median_us);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* How long an interrupt takes to a vCPU's IRR, measured in the same way on any KVM. */
#ifndef VMM_IRQ_TIMING_H
#define VMM_IRQ_TIMING_H

#include "backend.h"

enum irq_path {
	IRQ_PATH_EVENTFD, /* a write to an eventfd that is an irqfd with a message's route */
	IRQ_PATH_MSI,	  /* KVM_SIGNAL_MSI */
	IRQ_PATH_LINE,	  /* KVM_IRQ_LINE up and down, an edge of an IOAPIC's pin */
	IRQ_NR_PATHS
};

/*
 * time_irq - one thread, a VM of its own with one vCPU that does not run. A batch raises each of
 * many vectors once, so that every interrupt sets a bit of IRR; that all did is looked at, and IRR
 * emptied, between batches and outside the measured time
 * @batches: that are timed (1 or more), after as many as a tenth of that untimed
 * @median_ns: nanoseconds of CLOCK_MONOTONIC an interrupt, of the median batch
 * Returns 0, or -errno of what failed; -EIO: an interrupt did not arrive.
 */
int time_irq(struct backend *b, enum irq_path path, unsigned int batches, double *median_ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an irqfd leaves to workqueues, waited for. A marker irqfd without a route is signalled,
 * which queues work behind that of all others on the same CPU, and deassigned, which waits for that
 * work and for every irqfd on its way out. The work of an irqfd does not sleep, so what was queued
 * before has run (on PREEMPT_RT it may sleep for a lock; who compares then looks again).
 *
 * The calling thread stays on one CPU between begin and end; no test but this has to care which.
 */
#ifndef VMM_IRQFD_SETTLE_H
#define VMM_IRQFD_SETTLE_H

#include <sched.h>

#include "backend.h"

#define SETTLE_GSI 4095 /* no route may have it */

struct irqfd_settle {
	struct backend *b;
	int vm, fd;
	cpu_set_t *before; /* NULL: not pinned */
};

/* 0 or -errno. irqfd_settle_end() is needed in both cases. */
int irqfd_settle_begin(struct irqfd_settle *s, struct backend *b, int vm);
/* A VM without an interrupt controller has no irqfds: nothing to wait for. */
void irqfd_settle(struct irqfd_settle *s);
void irqfd_settle_end(struct irqfd_settle *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* One input of fuzz_irqfd's: its VMs, the calls so far and what must hold; how they are compared. */
#ifndef FUZZ_IRQFD_RUN_H
#define FUZZ_IRQFD_RUN_H

#include "irqfd_call.h"

#define MAX_CALLS 48 /* as many descriptors, and the first few, are less than EXPECT_FDS */

struct run {
	const struct port_ops *ops;
	struct irq_vm vms[EXPECT_VMS];
	unsigned int nr_vms;
	struct irqfd_call calls[MAX_CALLS];
	unsigned int nr_calls;
	struct expect x;
};

extern bool irqfd_print_calls; /* as they are made; else all of them where one is wrong */
void irqfd_print_call(const struct irqfd_call *c);

/* Say what is wrong, after which calls, and abort. */
__attribute__((format(printf, 2, 3), noreturn)) void irqfd_wrong(const struct run *r,
								 const char *fmt, ...);
void irqfd_same(const struct run *r, const char *what, long got, long want);

/* Everything that can be seen after a call of that kind. */
void irqfd_check(const struct run *r, enum irqfd_call_kind last);
void irqfd_check_lapic(const struct run *r, unsigned int vm);
void irqfd_check_posted(const struct run *r);

#endif

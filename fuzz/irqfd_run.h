/* SPDX-License-Identifier: GPL-2.0-only */
/* fuzz_irqfd: the VMs, the calls so far and what must hold; how they are compared. */
#ifndef FUZZ_IRQFD_RUN_H
#define FUZZ_IRQFD_RUN_H

#include "irqfd_call.h"

#define MAX_CALLS 48 /* as many descriptors, and the first few, are less than EXPECT_FDS */

struct run {
	struct backend *backend;
	const struct port_ops *ops;
	struct irq_vm vms[EXPECT_VMS];
	struct kvm_lapic_state lapics[EXPECT_VMS]; /* as they began */
	struct kvm_irqchip ioapics[EXPECT_VMS];
	int other_fd; /* of neither KVM nor an eventfd */
	unsigned long nr_inputs;
	struct irqfd_call calls[MAX_CALLS];
	unsigned int nr_calls;
	struct expect x;
};

/* irqfd_vms.c: once; after each input, when all eventfds are closed. */
void irqfd_vms_open(struct run *r, struct backend *b);
void irqfd_vms_put_back(struct run *r);
bool irqfd_vms_own(const struct run *r, int fd); /* is @fd what a VM of them was opened as? */

/* A call that is made in several places: a table, compared with what it has to answer. */
void irqfd_set_routes(struct run *r, const struct irqfd_call *c);

extern bool irqfd_print_calls; /* as they are made; else all of them where one is wrong */
void irqfd_print_call(const struct irqfd_call *c);

/* Say what is wrong, after which calls, and abort. */
__attribute__((format(printf, 2, 3), noreturn)) void irqfd_wrong(const struct run *r,
								 const char *fmt, ...);
void irqfd_same(const struct run *r, const char *what, long got, long want);

/*
 * After a call: what is posted, and the VMs in which something was to change. In the end: all VMs.
 */
void irqfd_check(struct run *r, bool all);

#endif

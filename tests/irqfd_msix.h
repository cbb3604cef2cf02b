/* SPDX-License-Identifier: GPL-2.0-only */
/* A VM with passed-through devices, and what has to hold of them whatever was done. */
#ifndef TESTS_IRQFD_MSIX_H
#define TESTS_IRQFD_MSIX_H

#include "irqfd_vm.h"
#include "model/vmm/backend.h"
#include "model/vmm/vfio_msix.h"

#define VECTORS 5
#define DEVICES 3

struct bench {
	struct vm vm;
	int vcpu;
	struct backend b;
	struct msi_routes routes;
	struct vfio_device devices[DEVICES];
	unsigned int nr;
};

extern const struct msi_message msix_messages[VECTORS];

/* Calls of KVM that change routes or irqfds, since the VM was made; the one that is to fail. */
extern unsigned int msix_calls, msix_fail_call;

struct bench *bench_begin(const struct port *port);
void bench_end(struct bench *t);

struct vfio_device *next_device(struct bench *t, enum vfio_strategy s);
unsigned int connected(const struct vfio_device *d); /* vectors with an irqfd */

/*
 * Every vector of every device interrupts: an unmasked one injects its message once, by its irqfd
 * if it has one; a masked one is pending. Interrupts that have an irqfd, and these only, are posted.
 */
void expect_vectors(struct bench *t);
/* What the kernel routes is what the VMM believes. */
void expect_same_table(struct bench *t);
/* What the VMM believes is in the kernel; more may be, which the VMM has given back since. */
void expect_routed(struct bench *t);

#endif

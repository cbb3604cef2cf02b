/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of a VM of the pair, the eventfds: made, bound, written to. A call names a descriptor by its
 * place, since the two KVMs have other numbers. Inside model/vmm only.
 */
#ifndef VMM_LIVE_IRQ_FDS_H
#define VMM_LIVE_IRQ_FDS_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

#include "irqfd_settle.h"

#define IRQ_NR_FDS 4

/* Below IRQ_NR_FDS: that eventfd, or a closed descriptor where there is none. */
enum irq_fd { FD_CLOSED = IRQ_NR_FDS, FD_NEGATIVE, FD_OTHER, FD_KVM, FD_VM, NR_IRQ_FDS };

enum irq_fd_kind {
	FD_EVENTFD,   /* a new one there, what was there is closed */
	FD_SEMAPHORE, /* likewise, with EFD_SEMAPHORE */
	FD_DUP,	      /* of @with, likewise */
	FD_CLOSE,
	FD_WRITE,
	FD_READ,
	FD_IRQFD,
	FD_IOEVENTFD,
	FD_NR_KINDS
};

struct irq_fd_call {
	enum irq_fd_kind kind;
	enum irq_fd fd, with; /* FD_IRQFD: @with is the resamplefd */
	uint64_t value;
	uint32_t gsi, flags;
	struct kvm_ioeventfd io;
	bool no_pointer; /* the structure is at NULL */
};

struct irq_fds {
	struct backend *b;
	int kvm, vm, eventfd[IRQ_NR_FDS], other;
	struct irqfd_settle settle;
	bool settles; /* there is one, since there may be irqfds */
};

void irq_fds_open(struct irq_fds *f, struct backend *b, int kvm, int vm);
void irq_fds_close(struct irq_fds *f);
/* @value: what FD_READ got. Its value or -errno; a new descriptor is answered as 0. */
long irq_fds_call(struct irq_fds *f, const struct irq_fd_call *c, uint64_t *value);
/* What was left to workqueues has been done. */
void irq_fds_settle(struct irq_fds *f);
unsigned int irq_fds_readable(struct irq_fds *f); /* a bit each */
void irq_fd_text(const struct irq_fd_call *c, char *buf, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call of fuzz_irqfd's, made of an input's bytes: first a byte, kind in its low three bits; then
 * what the kind needs, see irqfd_next_call(). What is missing at the end reads as 0.
 */
#ifndef FUZZ_IRQFD_CALL_H
#define FUZZ_IRQFD_CALL_H

#include <stddef.h>

#include "irq_fuzz.h"
#include "irqfd_expect.h"

enum irqfd_call_kind {
	CALL_EVENTFD,
	CALL_DUP,
	CALL_CLOSE,
	CALL_WRITE,
	CALL_READ,
	CALL_IRQFD,
	CALL_ROUTES,
	CALL_CHIP, /* one of the following, by two more bits */
	CALL_LINE,
	CALL_RUN,
	CALL_ACKNOWLEDGE,
	CALL_EOI,
	CALL_PRODUCER, /* of those above by a bit of CALL_EVENTFD's */
};

struct irqfd_call {
	enum irqfd_call_kind kind;
	unsigned int vm;
	unsigned int fail_nth; /* of CALL_IRQFD: this allocation fails; 0: none */
	int fd;		       /* of what is no VM's ioctl */
	union {
		struct {
			uint32_t count;
			bool semaphore;
		} eventfd;
		uint64_t write;
		struct { /* a device's interrupt that signals the eventfd, at the bypass manager */
			unsigned int host_irq;
			bool remove;
		} producer;
		struct kvm_irqfd irqfd;
		struct kvm_irq_level line;
		struct { /* laid out as struct kvm_irq_routing */
			uint32_t nr, flags;
			struct kvm_irq_routing_entry entries[EXPECT_GSIS];
		} routes;
	} u;
};

/* Descriptors are chosen among those that @x has, and a few that it has not. */
void irqfd_next_call(struct bytes *b, const struct expect *x, struct irqfd_call *out);
/* In words, without a newline. */
void irqfd_call_text(const struct irqfd_call *c, char *buf, size_t size);

#endif

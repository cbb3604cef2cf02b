// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE 1
#include <errno.h>
#include <linux/kvm.h>
#include <stdlib.h>

#include "irqfd_settle.h"

static void pin(struct irqfd_settle *s)
{
	int cpu = sched_getcpu();
	cpu_set_t one;

	s->before = malloc(sizeof(*s->before));
	if (!s->before || cpu < 0 || sched_getaffinity(0, sizeof(*s->before), s->before))
		goto not_pinned;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (!sched_setaffinity(0, sizeof(one), &one))
		return;
not_pinned:
	free(s->before);
	s->before = NULL;
}

int irqfd_settle_begin(struct irqfd_settle *s, struct backend *b, int vm)
{
	*s = (struct irqfd_settle){ .b = b, .vm = vm, .fd = b->eventfd(b) };
	/* A simulated task stays where it is. */
	if (s->fd >= 0 && !b->ops)
		pin(s);
	return s->fd < 0 ? s->fd : 0;
}

static long mark(struct irqfd_settle *s, uint32_t flags)
{
	struct kvm_irqfd irqfd = { .fd = s->fd, .gsi = SETTLE_GSI, .flags = flags };

	return s->b->ioctl(s->b, s->vm, KVM_IRQFD, (unsigned long)&irqfd);
}

void irqfd_settle(struct irqfd_settle *s)
{
	if (mark(s, 0))
		return;
	s->b->write(s->b, s->fd, 1);
	mark(s, KVM_IRQFD_FLAG_DEASSIGN);
}

void irqfd_settle_end(struct irqfd_settle *s)
{
	if (s->fd >= 0)
		s->b->close(s->b, s->fd);
	if (s->before)
		sched_setaffinity(0, sizeof(*s->before), s->before);
	free(s->before);
	s->before = NULL;
	s->fd = -1;
}

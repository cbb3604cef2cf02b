// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device's interrupts, as VFIO registers them: each with the eventfd that it signals as its token.
 */
#include <linux/err.h>
#include <linux/eventfd.h>
#include <linux/irqbypass.h>

#include "door.h"

static struct producer {
	struct irq_bypass_producer bypass;
	struct eventfd_ctx *eventfd;
} producers[PORT_NR_HOST_IRQS];

int door_producer_add(int fd, unsigned int host_irq)
{
	struct producer *p;
	int ret;

	if (host_irq >= PORT_NR_HOST_IRQS)
		return -EINVAL;
	p = &producers[host_irq];
	if (p->eventfd)
		return -EBUSY;
	p->eventfd = eventfd_ctx_fdget(fd);
	if (IS_ERR(p->eventfd)) {
		ret = PTR_ERR(p->eventfd);
		p->eventfd = NULL;
		return ret;
	}

	p->bypass = (struct irq_bypass_producer){ .token = p->eventfd, .irq = host_irq };
	ret = irq_bypass_register_producer(&p->bypass);
	if (ret) {
		eventfd_ctx_put(p->eventfd);
		p->eventfd = NULL;
	}

	return ret;
}

int door_producer_remove(unsigned int host_irq)
{
	struct producer *p;

	if (host_irq >= PORT_NR_HOST_IRQS || !producers[host_irq].eventfd)
		return -EINVAL;
	p = &producers[host_irq];
	irq_bypass_unregister_producer(&p->bypass);
	eventfd_ctx_put(p->eventfd);
	p->eventfd = NULL;

	return 0;
}

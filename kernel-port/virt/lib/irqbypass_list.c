// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whoever looks for a token walks over all that are registered, of all VMs.
 */
#include <linux/errno.h>
#include <linux/list.h>

#include "irqbypass.h"

static LIST_HEAD(producers);
static LIST_HEAD(consumers);

struct irq_bypass_producer *irq_bypass_producer_of(const void *token)
{
	struct irq_bypass_producer *p;

	list_for_each_entry(p, &producers, node) {
		if (p->token == token)
			return p;
	}

	return NULL;
}

struct irq_bypass_consumer *irq_bypass_consumer_of(const void *token)
{
	struct irq_bypass_consumer *c;

	list_for_each_entry(c, &consumers, node) {
		if (c->token == token)
			return c;
	}

	return NULL;
}

int irq_bypass_keep_producer(struct irq_bypass_producer *producer)
{
	if (irq_bypass_producer_of(producer->token))
		return -EBUSY;
	list_add(&producer->node, &producers);

	return 0;
}

int irq_bypass_keep_consumer(struct irq_bypass_consumer *consumer)
{
	if (irq_bypass_consumer_of(consumer->token))
		return -EBUSY;
	list_add(&consumer->node, &consumers);

	return 0;
}

void irq_bypass_drop_producer(struct irq_bypass_producer *producer)
{
	list_del(&producer->node);
}

void irq_bypass_drop_consumer(struct irq_bypass_consumer *consumer)
{
	list_del(&consumer->node);
}

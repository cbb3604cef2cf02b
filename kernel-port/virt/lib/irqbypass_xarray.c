// SPDX-License-Identifier: GPL-2.0-only
/*
 * A token is an index: what a registration costs does not depend on how many there are (8394b32faecd,
 * 6.17).
 */
#include <linux/gfp.h>
#include <linux/xarray.h>

#include "irqbypass.h"

static DEFINE_XARRAY(producers);
static DEFINE_XARRAY(consumers);

struct irq_bypass_producer *irq_bypass_producer_of(const void *token)
{
	return xa_load(&producers, (unsigned long)token);
}

struct irq_bypass_consumer *irq_bypass_consumer_of(const void *token)
{
	return xa_load(&consumers, (unsigned long)token);
}

int irq_bypass_keep_producer(struct irq_bypass_producer *producer)
{
	return xa_insert(&producers, (unsigned long)producer->token, producer, GFP_KERNEL);
}

int irq_bypass_keep_consumer(struct irq_bypass_consumer *consumer)
{
	return xa_insert(&consumers, (unsigned long)consumer->token, consumer, GFP_KERNEL);
}

void irq_bypass_drop_producer(struct irq_bypass_producer *producer)
{
	xa_erase(&producers, (unsigned long)producer->token);
}

void irq_bypass_drop_consumer(struct irq_bypass_consumer *consumer)
{
	xa_erase(&consumers, (unsigned long)consumer->token);
}

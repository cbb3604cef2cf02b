/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Producers and consumers that are registered, by token: in lists (irqbypass_list.c) up to 6.16, in
 * xarrays (irqbypass_xarray.c) from 6.17 on. All under the manager's mutex.
 */
#ifndef __VIRT_LIB_IRQBYPASS_H
#define __VIRT_LIB_IRQBYPASS_H

#include <linux/irqbypass.h>

struct irq_bypass_producer *irq_bypass_producer_of(const void *token); /* NULL: none */
struct irq_bypass_consumer *irq_bypass_consumer_of(const void *token);

/* 0, -EBUSY where its token is another one's, or -ENOMEM. */
int irq_bypass_keep_producer(struct irq_bypass_producer *producer);
int irq_bypass_keep_consumer(struct irq_bypass_consumer *consumer);
void irq_bypass_drop_producer(struct irq_bypass_producer *producer);
void irq_bypass_drop_consumer(struct irq_bypass_consumer *consumer);

#endif

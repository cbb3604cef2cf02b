// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts past the host: a producer (a device's interrupt) and a consumer (an irqfd) that show
 * the same token, the eventfd between them, are connected; then the hardware delivers to the guest
 * by itself.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>

#include "irqbypass.h"

static DEFINE_MUTEX(lock); /* who is registered, and every call to either side */

/* Neither side sees an interrupt between these two. */
static void quiesce(struct irq_bypass_producer *p, struct irq_bypass_consumer *c)
{
	if (p->stop)
		p->stop(p);
	if (c->stop)
		c->stop(c);
}

static void resume(struct irq_bypass_producer *p, struct irq_bypass_consumer *c)
{
	if (c->start)
		c->start(c);
	if (p->start)
		p->start(p);
}

/* Both have to agree. With one side missing there is nothing to do yet. */
static int connect(struct irq_bypass_producer *p, struct irq_bypass_consumer *c)
{
	int ret = 0;

	if (!p || !c)
		return 0;

	quiesce(p, c);
	if (p->add_consumer)
		ret = p->add_consumer(p, c);
	if (!ret) {
		ret = c->add_producer(c, p);
		if (ret && p->del_consumer)
			p->del_consumer(p, c);
	}
	resume(p, c);

	return ret;
}

static void disconnect(struct irq_bypass_producer *p, struct irq_bypass_consumer *c)
{
	if (!p || !c)
		return;

	quiesce(p, c);
	c->del_producer(c, p);
	if (p->del_consumer)
		p->del_consumer(p, c);
	resume(p, c);
}

int irq_bypass_register_producer(struct irq_bypass_producer *producer)
{
	int ret;

	if (!producer->token)
		return -EINVAL;

	mutex_lock(&lock);
	ret = irq_bypass_keep_producer(producer);
	if (!ret) {
		ret = connect(producer, irq_bypass_consumer_of(producer->token));
		if (ret)
			irq_bypass_drop_producer(producer);
	}
	mutex_unlock(&lock);

	return ret;
}

int irq_bypass_register_consumer(struct irq_bypass_consumer *consumer)
{
	int ret;

	if (!consumer->token || !consumer->add_producer || !consumer->del_producer)
		return -EINVAL;

	mutex_lock(&lock);
	ret = irq_bypass_keep_consumer(consumer);
	if (!ret) {
		ret = connect(irq_bypass_producer_of(consumer->token), consumer);
		if (ret)
			irq_bypass_drop_consumer(consumer);
	}
	mutex_unlock(&lock);

	return ret;
}

/* One whose registration failed may be unregistered all the same. */
void irq_bypass_unregister_producer(struct irq_bypass_producer *producer)
{
	if (!producer->token)
		return;

	mutex_lock(&lock);
	if (irq_bypass_producer_of(producer->token) == producer) {
		disconnect(producer, irq_bypass_consumer_of(producer->token));
		irq_bypass_drop_producer(producer);
	}
	mutex_unlock(&lock);
}

void irq_bypass_unregister_consumer(struct irq_bypass_consumer *consumer)
{
	if (!consumer->token)
		return;

	mutex_lock(&lock);
	if (irq_bypass_consumer_of(consumer->token) == consumer) {
		disconnect(irq_bypass_producer_of(consumer->token), consumer);
		irq_bypass_drop_consumer(consumer);
	}
	mutex_unlock(&lock);
}

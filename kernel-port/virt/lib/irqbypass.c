// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts past the host: a producer (a device's interrupt) and a consumer (an irqfd) that show
 * the same token, the eventfd between them, are connected; then the hardware delivers to the guest
 * by itself. Each side is looked for among all that are registered, which 6.17 made an xarray.
 */
#include <linux/irqbypass.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>

static LIST_HEAD(producers);
static LIST_HEAD(consumers);
static DEFINE_MUTEX(lock); /* both lists, and every call to either side */

static struct irq_bypass_producer *producer_of(const void *token)
{
	struct irq_bypass_producer *p;

	list_for_each_entry(p, &producers, node) {
		if (p->token == token)
			return p;
	}

	return NULL;
}

static struct irq_bypass_consumer *consumer_of(const void *token)
{
	struct irq_bypass_consumer *c;

	list_for_each_entry(c, &consumers, node) {
		if (c->token == token)
			return c;
	}

	return NULL;
}

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
	if (producer_of(producer->token))
		ret = -EBUSY;
	else
		ret = connect(producer, consumer_of(producer->token));
	if (!ret)
		list_add(&producer->node, &producers);
	mutex_unlock(&lock);

	return ret;
}

int irq_bypass_register_consumer(struct irq_bypass_consumer *consumer)
{
	int ret;

	if (!consumer->token || !consumer->add_producer || !consumer->del_producer)
		return -EINVAL;

	mutex_lock(&lock);
	if (consumer_of(consumer->token))
		ret = -EBUSY;
	else
		ret = connect(producer_of(consumer->token), consumer);
	if (!ret)
		list_add(&consumer->node, &consumers);
	mutex_unlock(&lock);

	return ret;
}

/* One whose registration failed may be unregistered all the same. */
void irq_bypass_unregister_producer(struct irq_bypass_producer *producer)
{
	if (!producer->token)
		return;

	mutex_lock(&lock);
	if (producer_of(producer->token) == producer) {
		disconnect(producer, consumer_of(producer->token));
		list_del(&producer->node);
	}
	mutex_unlock(&lock);
}

void irq_bypass_unregister_consumer(struct irq_bypass_consumer *consumer)
{
	if (!consumer->token)
		return;

	mutex_lock(&lock);
	if (consumer_of(consumer->token) == consumer) {
		disconnect(producer_of(consumer->token), consumer);
		list_del(&consumer->node);
	}
	mutex_unlock(&lock);
}

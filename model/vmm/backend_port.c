// SPDX-License-Identifier: GPL-2.0-only
/* A KVM object of this program. */
#include <poll.h>
#include <sys/eventfd.h>

#include "backend.h"

static int port_open_kvm(struct backend *b)
{
	return b->ops->open_kvm();
}

static long port_ioctl(struct backend *b, int fd, unsigned int cmd, unsigned long arg)
{
	return b->ops->ioctl(fd, cmd, arg);
}

static int port_close(struct backend *b, int fd)
{
	return b->ops->close(fd);
}

static int port_eventfd(struct backend *b)
{
	return b->ops->eventfd(0, 0);
}

static long port_write(struct backend *b, int fd, uint64_t count)
{
	return b->ops->write(fd, count);
}

static int port_semaphore(struct backend *b)
{
	return b->ops->eventfd(0, EFD_SEMAPHORE);
}

static long port_read(struct backend *b, int fd, uint64_t *count)
{
	return b->ops->read(fd, count);
}

static int port_dup(struct backend *b, int fd)
{
	return b->ops->dup(fd);
}

static int port_open_other(struct backend *b, enum backend_other kind)
{
	(void)kind; /* to KVM they are all the same */
	return b->ops->open_other();
}

static bool port_readable(struct backend *b, int fd)
{
	int events = b->ops->poll(fd);

	return events > 0 && (events & POLLIN);
}

static int port_epoll(struct backend *b, int fd)
{
	return b->ops->epoll(fd);
}

/* Whoever could signal it meanwhile has done so: nothing to wait for. */
static long port_epoll_wait(struct backend *b, int set, unsigned int timeout_ms)
{
	int events = b->ops->poll(set);

	(void)timeout_ms;
	return events < 0 ? events : !!(events & POLLIN);
}

static int port_producer_add(struct backend *b, int fd, unsigned int host_irq)
{
	return b->ops->producer_add(fd, host_irq);
}

static int port_producer_remove(struct backend *b, unsigned int host_irq)
{
	return b->ops->producer_remove(host_irq);
}

static void *port_map_run(struct backend *b, int vcpu, size_t size)
{
	(void)size;
	return b->ops->vcpu_run_area(vcpu);
}

static void port_unmap_run(struct backend *b, void *area, size_t size)
{
	(void)b, (void)area, (void)size;
}

void backend_port_init(struct backend *b, const struct port *port)
{
	*b = (struct backend){
		.name = port->name,
		.open_kvm = port_open_kvm,
		.ioctl = port_ioctl,
		.close = port_close,
		.eventfd = port_eventfd,
		.semaphore = port_semaphore,
		.write = port_write,
		.read = port_read,
		.dup = port_dup,
		.open_other = port_open_other,
		.readable = port_readable,
		.epoll = port_epoll,
		.epoll_wait = port_epoll_wait,
		.producer_add = port_producer_add,
		.producer_remove = port_producer_remove,
		.map_run = port_map_run,
		.unmap_run = port_unmap_run,
		.ops = port->ops,
	};
}

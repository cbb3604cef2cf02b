// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdio.h>

#include "live_irq_fds.h"

#define NO_SUCH_FD 999999 /* above what this process opens */

void irq_fds_open(struct irq_fds *f, struct backend *b, int kvm, int vm)
{
	unsigned int i;

	*f = (struct irq_fds){ .b = b, .kvm = kvm, .vm = vm, .other = -1 };
	for (i = 0; i < IRQ_NR_FDS; i++)
		f->eventfd[i] = -1;
}

static void close_one(struct irq_fds *f, int *fd)
{
	if (*fd >= 0)
		f->b->close(f->b, *fd);
	*fd = -1;
}

void irq_fds_close(struct irq_fds *f)
{
	unsigned int i;

	for (i = 0; i < IRQ_NR_FDS; i++)
		close_one(f, &f->eventfd[i]);
	close_one(f, &f->other);
	if (f->settles)
		irqfd_settle_end(&f->settle);
}

static int number_of(struct irq_fds *f, enum irq_fd fd)
{
	switch (fd) {
	case FD_NEGATIVE:
		return -1;
	case FD_OTHER:
		if (f->other < 0)
			f->other = f->b->open_other(f->b, OTHER_NULL);
		return f->other;
	case FD_KVM:
		return f->kvm;
	case FD_VM:
		return f->vm;
	default:
		return fd < IRQ_NR_FDS && f->eventfd[fd] >= 0 ? f->eventfd[fd] : NO_SUCH_FD;
	}
}

/* @fresh takes the place, or is an error. */
static long put(struct irq_fds *f, enum irq_fd place, int fresh)
{
	if (fresh < 0)
		return fresh;
	close_one(f, &f->eventfd[place]);
	f->eventfd[place] = fresh;
	return 0;
}

static long irqfd(struct irq_fds *f, const struct irq_fd_call *c)
{
	struct kvm_irqfd args = {
		.fd = number_of(f, c->fd),
		.gsi = c->gsi,
		.flags = c->flags,
		.resamplefd = number_of(f, c->with),
	};

	long ret = f->settles ? 0 : irqfd_settle_begin(&f->settle, f->b, f->vm);

	f->settles = !ret;
	if (ret)
		return ret;
	return f->b->ioctl(f->b, f->vm, KVM_IRQFD, c->no_pointer ? 0 : (unsigned long)&args);
}

static long ioeventfd(struct irq_fds *f, const struct irq_fd_call *c)
{
	struct kvm_ioeventfd args = c->io;

	args.fd = number_of(f, c->fd);
	return f->b->ioctl(f->b, f->vm, KVM_IOEVENTFD, c->no_pointer ? 0 : (unsigned long)&args);
}

long irq_fds_call(struct irq_fds *f, const struct irq_fd_call *c, uint64_t *value)
{
	switch (c->kind) {
	case FD_EVENTFD:
		return put(f, c->fd, f->b->eventfd(f->b));
	case FD_SEMAPHORE:
		return put(f, c->fd, f->b->semaphore(f->b));
	case FD_DUP:
		return put(f, c->fd, f->b->dup(f->b, number_of(f, c->with)));
	case FD_CLOSE:
		close_one(f, &f->eventfd[c->fd]);
		return 0;
	case FD_WRITE:
		return f->b->write(f->b, number_of(f, c->fd), c->value);
	case FD_READ:
		return f->b->read(f->b, number_of(f, c->fd), value);
	case FD_IRQFD:
		return irqfd(f, c);
	case FD_IOEVENTFD:
		return ioeventfd(f, c);
	case FD_NR_KINDS:
		break;
	}
	return 0;
}

void irq_fds_settle(struct irq_fds *f)
{
	if (f->settles)
		irqfd_settle(&f->settle);
}

unsigned int irq_fds_readable(struct irq_fds *f)
{
	unsigned int i, set = 0;

	for (i = 0; i < IRQ_NR_FDS; i++)
		if (f->eventfd[i] >= 0 && f->b->readable(f->b, f->eventfd[i]))
			set |= 1u << i;
	return set;
}

static const char *name_of(enum irq_fd fd, char *buf, size_t size)
{
	static const char *const names[] = { [FD_CLOSED] = "closed",
					     [FD_NEGATIVE] = "-1",
					     [FD_OTHER] = "/dev/null",
					     [FD_KVM] = "/dev/kvm",
					     [FD_VM] = "vm" };

	if (fd >= IRQ_NR_FDS)
		return names[fd];
	snprintf(buf, size, "e%u", (unsigned int)fd);
	return buf;
}

void irq_fd_text(const struct irq_fd_call *c, char *buf, size_t size)
{
	static const char *const plain[] = { [FD_EVENTFD] = "eventfd",
					     [FD_SEMAPHORE] = "eventfd(EFD_SEMAPHORE)",
					     [FD_CLOSE] = "close",
					     [FD_READ] = "read" };
	char a[8], b[8];
	const char *fd = name_of(c->fd, a, sizeof(a)), *with = name_of(c->with, b, sizeof(b));

	switch (c->kind) {
	case FD_DUP:
		snprintf(buf, size, "dup %s to %s", with, fd);
		break;
	case FD_WRITE:
		snprintf(buf, size, "write %s %" PRIu64, fd, c->value);
		break;
	case FD_IRQFD:
		snprintf(buf, size, "KVM_IRQFD %s gsi %u flags 0x%x resamplefd %s%s", fd, c->gsi,
			 c->flags, with, c->no_pointer ? " at NULL" : "");
		break;
	case FD_IOEVENTFD:
		snprintf(buf, size,
			 "KVM_IOEVENTFD %s addr 0x%llx len %u flags 0x%x datamatch 0x%llx%s", fd,
			 c->io.addr, c->io.len, c->io.flags, c->io.datamatch,
			 c->no_pointer ? " at NULL" : "");
		break;
	default:
		snprintf(buf, size, "%s %s", plain[c->kind], fd);
	}
}

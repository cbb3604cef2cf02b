// SPDX-License-Identifier: GPL-2.0-only
/*
 * eventfd(2), read(2), write(2) and poll(2) on one, and epoll with one. None of them waits: they
 * answer -EAGAIN as with EFD_NONBLOCK, and poll as without a timeout.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/poll.h>

#include "door.h"
#include "../../sim/kernel/file.h"

#define SEMAPHORE 1 /* EFD_SEMAPHORE, <sys/eventfd.h> */

int door_eventfd(unsigned int count, int flags)
{
	struct file *file;
	int fd;

	if (flags & ~(SEMAPHORE | O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;

	file = irqsim_eventfd_new(count, flags & SEMAPHORE);
	if (!file)
		return -ENOMEM;
	fd = door_open(DOOR_EVENTFD, file);
	if (fd < 0)
		fput(file);

	return fd;
}

long door_read(const struct door_file *f, u64 *count)
{
	int ret;

	if (f->kind != DOOR_EVENTFD)
		return -EINVAL;
	ret = irqsim_eventfd_read(f->object, count);
	return ret ? ret : (long)sizeof(*count);
}

long door_write(const struct door_file *f, u64 count)
{
	int ret;

	if (f->kind != DOOR_EVENTFD)
		return -EINVAL;
	ret = irqsim_eventfd_write(f->object, count);
	return ret ? ret : (long)sizeof(count);
}

int door_poll(const struct door_file *f)
{
	if (f->kind != DOOR_EVENTFD && f->kind != DOOR_EPOLL)
		return -EINVAL;
	return (__force int)vfs_poll(f->object, NULL);
}

int door_epoll(const struct door_file *f)
{
	struct file *file;
	int fd;

	if (f->kind != DOOR_EVENTFD)
		return -EINVAL;
	file = irqsim_eventfd_watch(f->object);
	if (!file)
		return -ENOMEM;
	fd = door_open(DOOR_EPOLL, file);
	if (fd < 0)
		fput(file);
	return fd;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * eventfd(2), and read(2) and write(2) on one. None of them waits: they answer -EAGAIN as with
 * EFD_NONBLOCK.
 */
#include <linux/file.h>
#include <linux/fs.h>

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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors: the lowest free number first, as open(2) gives them. One table for each KVM object.
 */
#include <linux/spinlock.h>

#include "door.h"

#define DOOR_MAX_FD 4096

static struct door_file files[DOOR_MAX_FD];
static int lowest_free; /* nothing below it is free */
static int highest_used = -1;
static DEFINE_RAW_SPINLOCK(files_lock);

int door_open(enum door_kind kind, void *object)
{
	int fd;

	raw_spin_lock(&files_lock);
	for (fd = lowest_free; fd < DOOR_MAX_FD; fd++)
		if (files[fd].kind == DOOR_NONE)
			break;
	if (fd < DOOR_MAX_FD) {
		files[fd] = (struct door_file){ .kind = kind, .fd = fd, .object = object };
		lowest_free = fd + 1;
		highest_used = max(highest_used, fd);
	}
	raw_spin_unlock(&files_lock);

	return fd < DOOR_MAX_FD ? fd : -EMFILE;
}

struct door_file *door_get(int fd)
{
	if (fd < 0 || fd >= DOOR_MAX_FD || READ_ONCE(files[fd].kind) == DOOR_NONE)
		return NULL;

	return &files[fd];
}

int door_fd_of(const void *object)
{
	int fd;

	for (fd = 0; fd <= highest_used; fd++)
		if (files[fd].kind != DOOR_NONE && files[fd].object == object)
			return fd;
	return -1;
}

int door_close(int fd, struct door_file *was)
{
	struct door_file *f = door_get(fd);

	if (!f)
		return -EBADF;

	raw_spin_lock(&files_lock);
	*was = *f;
	f->kind = DOOR_NONE;
	lowest_free = min(lowest_free, fd);
	while (highest_used >= 0 && files[highest_used].kind == DOOR_NONE)
		highest_used--;
	raw_spin_unlock(&files_lock);

	return 0;
}

void door_forget_all(void)
{
	for (; highest_used >= 0; highest_used--)
		files[highest_used].kind = DOOR_NONE;
	lowest_free = 0;
}

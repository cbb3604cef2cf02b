// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors: the lowest free number first, as open(2) gives them. One table for each KVM object.
 */
#include <linux/file.h>
#include <linux/spinlock.h>

#include "door.h"
#include "../../sim/kernel/file.h"

#define DOOR_MAX_FD 9216 /* two eventfds for each GSI, and vCPUs */

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

/* One more user of what @f names. */
static void hold(const struct door_file *f)
{
	switch (f->kind) {
	case DOOR_SYSTEM:
		door_module_hold();
		break;
	case DOOR_VM:
		refcount_inc(
			&container_of((struct kvm *)f->object, struct door_vm, kvm)->file_users);
		break;
	case DOOR_VCPU:
		refcount_inc(&((struct kvm_vcpu *)f->object)->kvm->users_count);
		break;
	case DOOR_EVENTFD:
		irqsim_file_hold(f->object);
		break;
	default:
		break;
	}
}

void door_put(const struct door_file *f)
{
	switch (f->kind) {
	case DOOR_SYSTEM:
		door_module_put();
		break;
	case DOOR_VM:
		door_put_vm_file(f->object);
		break;
	case DOOR_VCPU:
		door_put_vm(((struct kvm_vcpu *)f->object)->kvm);
		break;
	case DOOR_EVENTFD:
		fput(f->object);
		break;
	default:
		break;
	}
}

static bool is_open(int fd)
{
	return fd >= 0 && fd < DOOR_MAX_FD && files[fd].kind != DOOR_NONE;
}

bool door_get(int fd, struct door_file *out)
{
	bool found;

	raw_spin_lock(&files_lock);
	found = is_open(fd);
	if (found) {
		*out = files[fd];
		hold(out);
	}
	raw_spin_unlock(&files_lock);

	return found;
}

int door_dup(int fd)
{
	struct door_file f;
	int ret;

	if (!door_get(fd, &f))
		return -EBADF;
	ret = door_open(f.kind, f.object);
	if (ret < 0)
		door_put(&f);
	return ret;
}

/* What kernel code finds behind a descriptor: an eventfd, or something that is none. */
struct file *irqsim_file_of_fd(unsigned int fd)
{
	struct door_file f;

	if (!door_get(fd, &f))
		return NULL;
	if (f.kind == DOOR_EVENTFD)
		return f.object; /* with the reference */
	door_put(&f);
	return irqsim_file_foreign();
}

struct kvm *door_vm_of(int fd)
{
	return is_open(fd) && files[fd].kind == DOOR_VM ? files[fd].object : NULL;
}

int door_fd_of(const void *object)
{
	int fd;

	for (fd = 0; fd <= highest_used; fd++)
		if (files[fd].kind != DOOR_NONE && files[fd].object == object)
			return fd;
	return -1;
}

int door_close(int fd)
{
	struct door_file was = {};

	raw_spin_lock(&files_lock);
	if (is_open(fd)) {
		was = files[fd];
		files[fd].kind = DOOR_NONE;
		lowest_free = min(lowest_free, fd);
		while (highest_used >= 0 && files[highest_used].kind == DOOR_NONE)
			highest_used--;
	}
	raw_spin_unlock(&files_lock);

	/* The descriptor's own reference. */
	door_put(&was);
	return was.kind == DOOR_NONE ? -EBADF : 0;
}

void door_forget_all(void)
{
	for (; highest_used >= 0; highest_used--)
		files[highest_used].kind = DOOR_NONE;
	lowest_free = 0;
	door_module_forget();
}

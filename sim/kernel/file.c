// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/file.h: descriptors become files, files are counted.
 */
#include <linux/file.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "file.h"
#include "supply.h"

struct sim_file {
	struct file file;
	refcount_t users;
};

static struct sim_file *sim_file(struct file *file)
{
	return container_of(file, struct sim_file, file);
}

struct file *irqsim_file_new(const struct file_operations *f_op, void *data)
{
	struct sim_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	f->file.f_op = f_op;
	f->file.private_data = data;
	refcount_set(&f->users, 1);

	return &f->file;
}

struct file *irqsim_file_foreign(void)
{
	static const struct file_operations none;
	static struct sim_file foreign = {
		.file.f_op = &none, .users = REFCOUNT_INIT(1), /* its own: it is never freed */
	};

	refcount_inc(&foreign.users);
	return &foreign.file;
}

void irqsim_file_hold(struct file *file)
{
	refcount_inc(&sim_file(file)->users);
}

/* The kernel's runs the release when the system call returns; here at once: nobody holds a lock. */
SUPPLY(void, fput, struct file *file)
{
	if (!refcount_dec_and_test(&sim_file(file)->users))
		return;
	if (file->f_op->release)
		file->f_op->release(NULL, file);
	kfree(sim_file(file));
}

/* Without a front door there are no descriptors. */
struct file *__weak irqsim_file_of_fd(unsigned int fd)
{
	return NULL;
}

SUPPLY(struct file *, fget, unsigned int fd)
{
	return irqsim_file_of_fd(fd);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
SUPPLY(struct fd, fdget, unsigned int fd)
{
	struct file *file = irqsim_file_of_fd(fd);

	return (struct fd){ file ? (unsigned long)file | FDPUT_FPUT : 0 };
}
#else
SUPPLY(unsigned long, __fdget, unsigned int fd)
{
	struct file *file = irqsim_file_of_fd(fd);

	return file ? (unsigned long)file | FDPUT_FPUT : 0;
}
#endif

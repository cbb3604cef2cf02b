/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files, as far as eventfds need them: a real struct file with a count of its own, since the
 * kernel's changed its type in 6.13.
 */
#ifndef SIM_KERNEL_FILE_H
#define SIM_KERNEL_FILE_H

#include <linux/fs.h>

/* A file with one reference, or NULL. @f_op->release runs at the last fput(). */
struct file *irqsim_file_new(const struct file_operations *f_op, void *data);
void irqsim_file_hold(struct file *file); /* one more reference */

/* A reference to the file that stands for all that are no eventfds. */
struct file *irqsim_file_foreign(void);

/*
 * What @fd is, with a reference to it, or NULL. Supplied by the front door (model/kvm/fd.c).
 */
struct file *irqsim_file_of_fd(unsigned int fd);

/* eventfd(2): NULL without memory. read(2) and write(2) of one: 0, or -EAGAIN, -EINVAL. */
struct file *irqsim_eventfd_new(u64 count, bool semaphore);
int irqsim_eventfd_read(struct file *file, u64 *count);
int irqsim_eventfd_write(struct file *file, u64 count);

/*
 * epoll_create(2) with one descriptor added for EPOLLIN: a file that polls EPOLLIN while @file, an
 * eventfd, was signalled and has a count. NULL without memory.
 */
struct file *irqsim_eventfd_watch(struct file *file);

#endif

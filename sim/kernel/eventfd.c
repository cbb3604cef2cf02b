// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/eventfd.h: a counter that can be waited for (eventfd(2), fs/eventfd.c). Its wait queue's
 * lock guards it.
 */
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/kref.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/wait.h>

#include "file.h"
#include "supply.h"

struct eventfd_ctx {
	struct kref users;
	wait_queue_head_t queue;
	u64 count;
	bool semaphore;
};

static void free_ctx(struct kref *users)
{
	kfree(container_of(users, struct eventfd_ctx, users));
}

SUPPLY(void, eventfd_ctx_put, struct eventfd_ctx *ctx)
{
	kref_put(&ctx->users, free_ctx);
}

static int release(struct inode *inode, struct file *file)
{
	struct eventfd_ctx *ctx = file->private_data;

	wake_up_poll(&ctx->queue, EPOLLHUP);
	eventfd_ctx_put(ctx);
	return 0;
}

static __poll_t poll(struct file *file, poll_table *table)
{
	struct eventfd_ctx *ctx = file->private_data;
	__poll_t events = 0;
	u64 count;

	poll_wait(file, &ctx->queue, table);
	count = READ_ONCE(ctx->count);
	if (count)
		events |= EPOLLIN;
	if (count == ULLONG_MAX)
		events |= EPOLLERR;
	if (count < ULLONG_MAX - 1)
		events |= EPOLLOUT;

	return events;
}

static const struct file_operations eventfd_ops = {
	.release = release,
	.poll = poll,
};

struct file *irqsim_eventfd_new(u64 count, bool semaphore)
{
	struct eventfd_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	struct file *file;

	if (!ctx)
		return NULL;
	kref_init(&ctx->users);
	init_waitqueue_head(&ctx->queue);
	ctx->count = count;
	ctx->semaphore = semaphore;
	file = irqsim_file_new(&eventfd_ops, ctx);
	if (!file)
		kfree(ctx);

	return file;
}

SUPPLY(struct eventfd_ctx *, eventfd_ctx_fileget, struct file *file)
{
	struct eventfd_ctx *ctx = file->private_data;

	if (file->f_op != &eventfd_ops)
		return ERR_PTR(-EINVAL);
	kref_get(&ctx->users);
	return ctx;
}

SUPPLY(struct eventfd_ctx *, eventfd_ctx_fdget, int fd)
{
	struct file *file = irqsim_file_of_fd(fd);
	struct eventfd_ctx *ctx;

	if (!file)
		return ERR_PTR(-EBADF);
	ctx = eventfd_ctx_fileget(file);
	fput(file);
	return ctx;
}

SUPPLY(void, eventfd_ctx_do_read, struct eventfd_ctx *ctx, __u64 *count)
{
	lockdep_assert_held(&ctx->queue.lock);

	*count = ctx->semaphore && ctx->count ? 1 : ctx->count;
	ctx->count -= *count;
}

SUPPLY(int, eventfd_ctx_remove_wait_queue, struct eventfd_ctx *ctx, wait_queue_entry_t *wait,
       __u64 *count)
{
	unsigned long flags;

	spin_lock_irqsave(&ctx->queue.lock, flags);
	eventfd_ctx_do_read(ctx, count);
	__remove_wait_queue(&ctx->queue, wait);
	if (*count && waitqueue_active(&ctx->queue))
		wake_up_locked_poll(&ctx->queue, EPOLLOUT);
	spin_unlock_irqrestore(&ctx->queue.lock, flags);

	return *count ? 0 : -EAGAIN;
}

/* A waiter that signals another eventfd, and so on round a circle, would never end. */
static void add(struct eventfd_ctx *ctx, u64 n, __poll_t mask)
{
	bool was = current->in_eventfd;

	current->in_eventfd = 1;
	ctx->count += n;
	if (waitqueue_active(&ctx->queue))
		wake_up_locked_poll(&ctx->queue, EPOLLIN | mask);
	current->in_eventfd = was;
}

static void signal(struct eventfd_ctx *ctx, u64 n, __poll_t mask)
{
	unsigned long flags;

	if (WARN_ON_ONCE(current->in_eventfd))
		return;
	spin_lock_irqsave(&ctx->queue.lock, flags);
	add(ctx, min(n, ULLONG_MAX - ctx->count), mask);
	spin_unlock_irqrestore(&ctx->queue.lock, flags);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
SUPPLY(void, eventfd_signal_mask, struct eventfd_ctx *ctx, __poll_t mask)
{
	signal(ctx, 1, mask);
}
#else
SUPPLY(__u64, eventfd_signal, struct eventfd_ctx *ctx, __u64 n)
{
	signal(ctx, n, 0);
	return n;
}
#endif

int irqsim_eventfd_read(struct file *file, u64 *count)
{
	struct eventfd_ctx *ctx = file->private_data;

	if (file->f_op != &eventfd_ops)
		return -EINVAL;

	spin_lock_irq(&ctx->queue.lock);
	eventfd_ctx_do_read(ctx, count);
	if (*count && waitqueue_active(&ctx->queue))
		wake_up_locked_poll(&ctx->queue, EPOLLOUT);
	spin_unlock_irq(&ctx->queue.lock);

	return *count ? 0 : -EAGAIN;
}

int irqsim_eventfd_write(struct file *file, u64 n)
{
	struct eventfd_ctx *ctx = file->private_data;
	int ret = 0;

	if (file->f_op != &eventfd_ops || n == ULLONG_MAX)
		return -EINVAL;

	spin_lock_irq(&ctx->queue.lock);
	if (ULLONG_MAX - ctx->count > n)
		add(ctx, n, 0);
	else
		ret = -EAGAIN;
	spin_unlock_irq(&ctx->queue.lock);

	return ret;
}

/* ---- one that is watched ---- */

struct watch {
	wait_queue_entry_t wait;
	struct eventfd_ctx *ctx;
	bool woken; /* maybe there is something */
};

/* Under the queue's lock. The last close takes the eventfd out of the set. */
static int watch_woken(wait_queue_entry_t *wait, unsigned int mode, int sync, void *key)
{
	struct watch *w = container_of(wait, struct watch, wait);

	if (key_to_poll(key) & EPOLLIN)
		w->woken = true;
	if (key_to_poll(key) & EPOLLHUP) {
		w->woken = false;
		list_del_init(&wait->entry);
	}
	return 1;
}

/* A set asks those again that woke it, and forgets those that have nothing after all. */
static __poll_t watch_poll(struct file *file, poll_table *table)
{
	struct watch *w = file->private_data;
	bool ready;

	spin_lock_irq(&w->ctx->queue.lock);
	w->woken = w->woken && w->ctx->count;
	ready = w->woken;
	spin_unlock_irq(&w->ctx->queue.lock);

	return ready ? EPOLLIN : 0;
}

static int watch_release(struct inode *inode, struct file *file)
{
	struct watch *w = file->private_data;

	spin_lock_irq(&w->ctx->queue.lock);
	list_del_init(&w->wait.entry);
	spin_unlock_irq(&w->ctx->queue.lock);
	eventfd_ctx_put(w->ctx);
	kfree(w);
	return 0;
}

static const struct file_operations watch_ops = {
	.release = watch_release,
	.poll = watch_poll,
};

struct file *irqsim_eventfd_watch(struct file *file)
{
	struct watch *w = kzalloc(sizeof(*w), GFP_KERNEL);
	struct file *set;

	if (!w)
		return NULL;
	set = irqsim_file_new(&watch_ops, w);
	if (!set) {
		kfree(w);
		return NULL;
	}
	w->ctx = eventfd_ctx_fileget(file);
	init_waitqueue_func_entry(&w->wait, watch_woken);
	spin_lock_irq(&w->ctx->queue.lock);
	__add_wait_queue(&w->ctx->queue, &w->wait);
	w->woken = w->ctx->count;
	spin_unlock_irq(&w->ctx->queue.lock);

	return set;
}

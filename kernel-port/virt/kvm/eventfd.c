// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqfd: assign, deassign, release; what happens at a write and at the last close of the eventfd.
 */
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/irqbypass.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "irqfd.h"

/* One for all VMs, and for nothing else: a VM that goes away waits for its own work only. */
static struct workqueue_struct *cleanup_wq;

bool __weak kvm_arch_irqfd_allowed(struct kvm *kvm, struct kvm_irqfd *args)
{
	return true;
}

int __weak kvm_arch_set_irq_inatomic(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm,
				     int irq_source_id, int level, bool line_status)
{
	return -EWOULDBLOCK;
}

/* Unless the architecture can tell: every update is a change for the device. */
bool __weak kvm_arch_irqfd_route_changed(struct kvm_kernel_irq_routing_entry *old,
					 struct kvm_kernel_irq_routing_entry *new)
{
	return true;
}

/* ---- a write ---- */

/* The slow way: routes are looked up, controllers may take mutexes. */
static void inject(struct work_struct *work)
{
	struct kvm_kernel_irqfd *irqfd = container_of(work, struct kvm_kernel_irqfd, inject);
	struct kvm *kvm = irqfd->kvm;

	if (irqfd->resampler) {
		/* Stays up until the guest acknowledges it. */
		kvm_set_irq(kvm, KVM_IRQFD_RESAMPLE_IRQ_SOURCE_ID, irqfd->gsi, 1, false);
		return;
	}
	kvm_set_irq(kvm, KVM_USERSPACE_IRQ_SOURCE_ID, irqfd->gsi, 1, false);
	kvm_set_irq(kvm, KVM_USERSPACE_IRQ_SOURCE_ID, irqfd->gsi, 0, false);
}

/*
 * Under irqfds.lock the answer is exact. In a reader it may be "active" for one that is leaving,
 * whose route is good until the reader ends.
 */
static bool is_active(struct kvm_kernel_irqfd *irqfd)
{
	lockdep_assert_once(lockdep_is_held(&irqfd->kvm->irqfds.lock) ||
			    srcu_read_lock_held(&irqfd->kvm->irq_srcu));

	return !list_empty(&irqfd->list);
}

static void read_route(struct kvm_kernel_irqfd *irqfd, struct kvm_kernel_irq_routing_entry *e)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&irqfd->irq_entry_sc);
		*e = irqfd->irq_entry;
	} while (read_seqcount_retry(&irqfd->irq_entry_sc, seq));
}

static void signalled(struct kvm_kernel_irqfd *irqfd)
{
	struct kvm_kernel_irq_routing_entry e;
	struct kvm *kvm = irqfd->kvm;
	u64 count;
	int idx;

	eventfd_ctx_do_read(irqfd->eventfd, &count);

	idx = srcu_read_lock(&kvm->irq_srcu);
	read_route(irqfd, &e);
	/* The copy of one that left the list is not kept up to date: look the route up. */
	if (!is_active(irqfd) || kvm_arch_set_irq_inatomic(&e, kvm, KVM_USERSPACE_IRQ_SOURCE_ID, 1,
							   false) == -EWOULDBLOCK)
		schedule_work(&irqfd->inject);
	srcu_read_unlock(&kvm->irq_srcu, idx);
}

/* ---- the end of an irqfd ---- */

static void deactivate(struct kvm_kernel_irqfd *irqfd)
{
	lockdep_assert_held(&irqfd->kvm->irqfds.lock);

	list_del_init(&irqfd->list);
	queue_work(cleanup_wq, &irqfd->shutdown);
}

/*
 * The last descriptor of the eventfd is gone. Whoever shuts the irqfd down needs the wait queue's
 * lock, which the caller holds: it cannot vanish here.
 */
static void hang_up(struct kvm_kernel_irqfd *irqfd)
{
	struct kvm *kvm = irqfd->kvm;
	unsigned long flags;

	spin_lock_irqsave(&kvm->irqfds.lock, flags);
	if (is_active(irqfd))
		deactivate(irqfd);
	spin_unlock_irqrestore(&kvm->irqfds.lock, flags);
}

/* Under the wait queue's lock, interrupts off. */
static int wakeup(wait_queue_entry_t *wait, unsigned int mode, int sync, void *key)
{
	struct kvm_kernel_irqfd *irqfd = container_of(wait, struct kvm_kernel_irqfd, wait);
	__poll_t events = key_to_poll(key);

	if (events & EPOLLIN)
		signalled(irqfd);
	if (events & EPOLLHUP)
		hang_up(irqfd);

	return !!(events & EPOLLIN);
}

static void free_irqfd(struct kvm_kernel_irqfd *irqfd)
{
	if (irqfd->resamplefd)
		eventfd_ctx_put(irqfd->resamplefd);
	if (irqfd->eventfd)
		eventfd_ctx_put(irqfd->eventfd);
	kfree(irqfd);
}

/* Each step makes sure that the next one is the last to see what it takes away. */
static void shut_down(struct work_struct *work)
{
	struct kvm_kernel_irqfd *irqfd = container_of(work, struct kvm_kernel_irqfd, shutdown);
	u64 count;

	/* It may be half assigned. */
	synchronize_srcu_expedited(&irqfd->kvm->irq_srcu);

	/* From here on nobody queues the injection ... */
	eventfd_ctx_remove_wait_queue(irqfd->eventfd, &irqfd->wait, &count);
	/* ... and from here on none is under way. */
	flush_work(&irqfd->inject);

	if (irqfd->resampler)
		kvm_irqfd_resampler_leave(irqfd);
	irq_bypass_unregister_consumer(&irqfd->consumer);
	free_irqfd(irqfd);
}

/* ---- assign ---- */

void kvm_irqfd_copy_route(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd)
{
	struct kvm_kernel_irq_routing_entry entries[KVM_NR_IRQCHIPS];
	int n = kvm_irq_map_gsi(kvm, entries, irqfd->gsi);

	lockdep_assert_held(&kvm->irqfds.lock);

	write_seqcount_begin(&irqfd->irq_entry_sc);
	if (n == 1)
		irqfd->irq_entry = entries[0];
	else
		irqfd->irq_entry.type = 0; /* no type: the slow way */
	write_seqcount_end(&irqfd->irq_entry_sc);
}

static void connect_bypass(struct kvm_kernel_irqfd *irqfd)
{
	int ret;

	if (!kvm_arch_has_irq_bypass())
		return;

	irqfd->consumer.token = irqfd->eventfd;
	irqfd->consumer.add_producer = kvm_arch_irq_bypass_add_producer;
	irqfd->consumer.del_producer = kvm_arch_irq_bypass_del_producer;
	irqfd->consumer.stop = kvm_arch_irq_bypass_stop;
	irqfd->consumer.start = kvm_arch_irq_bypass_start;
	/* Without it interrupts take the longer way, that is all. */
	ret = irq_bypass_register_consumer(&irqfd->consumer);
	if (ret)
		pr_info("kvm: irqfd: no bypass for its interrupts: %d\n", ret);
}

static int connect_eventfd(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd, struct file *file)
{
	__poll_t events;
	int idx, ret;

	idx = srcu_read_lock(&kvm->irq_srcu);
	ret = kvm_irqfd_register(kvm, irqfd, file, &events);
	if (!ret) {
		/* Written to before it was assigned. */
		if (events & EPOLLIN)
			schedule_work(&irqfd->inject);
		connect_bypass(irqfd);
	}
	srcu_read_unlock(&kvm->irq_srcu, idx);

	return ret;
}

static int set_up(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd, const struct kvm_irqfd *args,
		  struct file *file)
{
	struct eventfd_ctx *ctx = eventfd_ctx_fileget(file);
	int ret;

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	irqfd->eventfd = ctx;

	if (args->flags & KVM_IRQFD_FLAG_RESAMPLE) {
		ctx = eventfd_ctx_fdget(args->resamplefd);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
		irqfd->resamplefd = ctx;

		ret = kvm_irqfd_resampler_join(kvm, irqfd);
		if (ret)
			return ret;
	}

	ret = connect_eventfd(kvm, irqfd, file);
	if (ret && irqfd->resampler)
		kvm_irqfd_resampler_leave(irqfd);

	return ret;
}

static struct kvm_kernel_irqfd *new_irqfd(struct kvm *kvm, u32 gsi)
{
	struct kvm_kernel_irqfd *irqfd = kzalloc(sizeof(*irqfd), GFP_KERNEL_ACCOUNT);

	if (!irqfd)
		return NULL;
	irqfd->kvm = kvm;
	irqfd->gsi = gsi;
	INIT_LIST_HEAD(&irqfd->list);
	INIT_LIST_HEAD(&irqfd->resampler_link);
	INIT_WORK(&irqfd->inject, inject);
	INIT_WORK(&irqfd->shutdown, shut_down);
	seqcount_spinlock_init(&irqfd->irq_entry_sc, &kvm->irqfds.lock);
	init_waitqueue_func_entry(&irqfd->wait, wakeup);

	return irqfd;
}

static int assign(struct kvm *kvm, struct kvm_irqfd *args)
{
	struct kvm_kernel_irqfd *irqfd;
	struct fd f;
	int ret;

	if (!kvm_arch_intc_initialized(kvm))
		return -EAGAIN;
	if (!kvm_arch_irqfd_allowed(kvm, args))
		return -EINVAL;

	irqfd = new_irqfd(kvm, args->gsi);
	if (!irqfd)
		return -ENOMEM;

	/* Kept until all is there: a last close meanwhile would hang up a half-made irqfd. */
	f = fdget(args->fd);
	ret = kvm_fd_file(f) ? set_up(kvm, irqfd, args, kvm_fd_file(f)) : -EBADF;
	/* Once registered it belongs to its shutdown. */
	if (ret)
		free_irqfd(irqfd);
	fdput(f);

	return ret;
}

/* ---- deassign, release ---- */

/* All of @eventfd and @gsi; NULL: all of the VM. They are gone when this returns. */
static void deactivate_all(struct kvm *kvm, const struct eventfd_ctx *eventfd, int gsi)
{
	struct kvm_kernel_irqfd *irqfd, *next;

	spin_lock_irq(&kvm->irqfds.lock);
	list_for_each_entry_safe(irqfd, next, &kvm->irqfds.items, list) {
		if (!eventfd || (irqfd->eventfd == eventfd && irqfd->gsi == gsi))
			deactivate(irqfd);
	}
	spin_unlock_irq(&kvm->irqfds.lock);
}

static int deassign(struct kvm *kvm, const struct kvm_irqfd *args)
{
	struct eventfd_ctx *eventfd = eventfd_ctx_fdget(args->fd);

	if (IS_ERR(eventfd))
		return PTR_ERR(eventfd);
	deactivate_all(kvm, eventfd, args->gsi);
	eventfd_ctx_put(eventfd);
	flush_workqueue(cleanup_wq);

	return 0;
}

int kvm_irqfd(struct kvm *kvm, struct kvm_irqfd *args)
{
	if (args->flags & ~(KVM_IRQFD_FLAG_DEASSIGN | KVM_IRQFD_FLAG_RESAMPLE))
		return -EINVAL;

	return args->flags & KVM_IRQFD_FLAG_DEASSIGN ? deassign(kvm, args) : assign(kvm, args);
}

/* They hold no reference to the VM, so it waits for them. */
void kvm_irqfd_release(struct kvm *kvm)
{
	deactivate_all(kvm, NULL, 0);
	flush_workqueue(cleanup_wq);
}

/* ---- a new routing table ---- */

static void tell_producer(struct kvm_kernel_irqfd *irqfd, struct kvm_kernel_irq_routing_entry *old)
{
	int ret;

	if (!irqfd->producer || !kvm_arch_irqfd_route_changed(old, &irqfd->irq_entry))
		return;
	ret = kvm_arch_update_irqfd_routing(irqfd->kvm, irqfd->producer->irq, irqfd->gsi, 1);
	WARN_ON(ret);
}

/* Under irq_lock, after the table was published; the old one is freed after a grace period. */
void kvm_irq_routing_update(struct kvm *kvm)
{
	struct kvm_kernel_irqfd *irqfd;

	spin_lock_irq(&kvm->irqfds.lock);
	list_for_each_entry(irqfd, &kvm->irqfds.items, list) {
		struct kvm_kernel_irq_routing_entry old = irqfd->irq_entry;

		kvm_irqfd_copy_route(kvm, irqfd);
		tell_producer(irqfd, &old);
	}
	spin_unlock_irq(&kvm->irqfds.lock);
}

/* ---- module ---- */

int kvm_irqfd_init(void)
{
	cleanup_wq = alloc_workqueue("kvm-irqfd-cleanup", 0, 0);

	return cleanup_wq ? 0 : -ENOMEM;
}

void kvm_irqfd_exit(void)
{
	destroy_workqueue(cleanup_wq);
}

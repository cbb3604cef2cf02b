// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration as up to 6.16: an eventfd is one irqfd's in a VM, which a look at each of the VM's
 * irqfds finds out. Two VMs may have the same eventfd; the first of them gets all its events.
 */
#include <linux/poll.h>
#include <linux/wait.h>

#include "irqfd.h"

/* What vfs_poll() calls with the eventfd's wait queue. */
struct joining {
	poll_table table;
	struct kvm_kernel_irqfd *irqfd;
};

static void join_queue(struct file *file, wait_queue_head_t *queue, poll_table *table)
{
	struct joining *j = container_of(table, struct joining, table);

	add_wait_queue_priority(queue, &j->irqfd->wait);
}

static bool is_taken(struct kvm *kvm, const struct eventfd_ctx *eventfd)
{
	struct kvm_kernel_irqfd *other;

	list_for_each_entry(other, &kvm->irqfds.items, list) {
		if (other->eventfd == eventfd)
			return true;
	}

	return false;
}

int kvm_irqfd_register(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd, struct file *file,
		       __poll_t *events)
{
	struct joining j = { .irqfd = irqfd };
	int ret = 0;

	spin_lock_irq(&kvm->irqfds.lock);
	if (is_taken(kvm, irqfd->eventfd)) {
		ret = -EBUSY;
	} else {
		kvm_irqfd_copy_route(kvm, irqfd);
		list_add_tail(&irqfd->list, &kvm->irqfds.items);
	}
	spin_unlock_irq(&kvm->irqfds.lock);
	if (ret)
		return ret;

	/* From here on it can be deactivated; its shutdown waits for the caller's read section. */
	init_poll_funcptr(&j.table, join_queue);
	*events = vfs_poll(file, &j.table);

	return 0;
}

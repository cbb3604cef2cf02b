// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration as from 6.17: the eventfd's wait queue has room for one such waiter, whichever VM it
 * is of, so nothing has to be looked through. List and queue are joined together, inside the poll
 * callback.
 */
#include <linux/poll.h>
#include <linux/wait.h>

#include "irqfd.h"

struct joining {
	poll_table table;
	struct kvm_kernel_irqfd *irqfd;
	int ret;
};

static void join_queue(struct file *file, wait_queue_head_t *queue, poll_table *table)
{
	struct joining *j = container_of(table, struct joining, table);
	struct kvm_kernel_irqfd *irqfd = j->irqfd;
	struct kvm *kvm = irqfd->kvm;

	spin_lock_irq(&kvm->irqfds.lock);
	/* Before it is on the queue, where it can be woken at once. */
	kvm_irqfd_copy_route(kvm, irqfd);

	/*
	 * The queue's lock is taken inside irqfds.lock here and outside it by a hang-up, which
	 * needs an irqfd that is on the queue: never this one. lockdep knows classes only.
	 */
	spin_release(&kvm->irqfds.lock.dep_map, _RET_IP_);
	j->ret = add_wait_queue_priority_exclusive(queue, &irqfd->wait);
	spin_acquire(&kvm->irqfds.lock.dep_map, 0, 0, _RET_IP_);
	if (!j->ret)
		list_add_tail(&irqfd->list, &kvm->irqfds.items);
	spin_unlock_irq(&kvm->irqfds.lock);
}

int kvm_irqfd_register(struct kvm *kvm, struct kvm_kernel_irqfd *irqfd, struct file *file,
		       __poll_t *events)
{
	struct joining j = { .irqfd = irqfd };

	init_poll_funcptr(&j.table, join_queue);
	*events = vfs_poll(file, &j.table);

	return j.ret;
}

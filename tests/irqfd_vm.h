/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of irqfds share: eventfds, irqfds, and the interrupts that came out.
 */
#ifndef TESTS_IRQFD_VM_H
#define TESTS_IRQFD_VM_H

#include <errno.h>

#include <sim/fault.h>

#include "routing_vm.h"

/* KVM_IRQFD. 0 or -errno. */
static inline long irqfd(struct vm *vm, int fd, uint32_t gsi, uint32_t flags, int resamplefd)
{
	struct kvm_irqfd args = { .fd = fd, .gsi = gsi, .flags = flags, .resamplefd = resamplefd };

	return vm->ops->ioctl(vm->fd, KVM_IRQFD, (unsigned long)&args);
}

static inline long assign(struct vm *vm, int fd, uint32_t gsi)
{
	return irqfd(vm, fd, gsi, 0, 0);
}

static inline long deassign(struct vm *vm, int fd, uint32_t gsi)
{
	return irqfd(vm, fd, gsi, KVM_IRQFD_FLAG_DEASSIGN, 0);
}

static inline void signal_fd(struct vm *vm, int fd)
{
	cr_assert_eq(vm->ops->write(fd, 1), 8);
}

static inline int new_eventfd(struct vm *vm)
{
	int fd = vm->ops->eventfd(0, 0);

	cr_assert_geq(fd, 0);
	return fd;
}

/* Injections since the last begin_events(): how many, and the data of the last message. */
struct seen {
	unsigned int nr;
	int vm_fd;
	uint32_t gsi, data;
};
extern struct seen seen;
void begin_events(struct vm *vm);
void expect_event(unsigned int nr, uint32_t gsi, uint32_t data);

/* Work that was queued has been done. */
void settle(struct vm *vm);

#endif

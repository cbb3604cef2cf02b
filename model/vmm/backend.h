/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A KVM to talk to: a simulated one (a KVM object) or the machine's own /dev/kvm. Trace replay,
 * conformance cases and random comparison are written once against it.
 */
#ifndef VMM_BACKEND_H
#define VMM_BACKEND_H

#include <stdbool.h>
#include <stddef.h>

#include <port.h>

/* Descriptors of something that is neither KVM nor an eventfd. */
enum backend_other { OTHER_NULL, OTHER_TIMER, OTHER_PIPE_READ, OTHER_PIPE_WRITE, NR_OTHERS };

struct backend {
	const char *name;
	/* All return -errno on failure, as the kernel does inside. */
	int (*open_kvm)(struct backend *b);
	long (*ioctl)(struct backend *b, int fd, unsigned int cmd, unsigned long arg);
	int (*close)(struct backend *b, int fd);
	int (*eventfd)(struct backend *b);   /* count 0, EFD_NONBLOCK */
	int (*semaphore)(struct backend *b); /* the same with EFD_SEMAPHORE */
	long (*write)(struct backend *b, int fd, uint64_t count);
	long (*read)(struct backend *b, int fd, uint64_t *count);
	int (*dup)(struct backend *b, int fd);
	int (*open_other)(struct backend *b, enum backend_other kind);
	bool (*readable)(struct backend *b, int fd); /* poll(2) says POLLIN */
	int (*epoll)(struct backend *b, int fd);     /* a set of one, watched for EPOLLIN */
	long (*epoll_wait)(struct backend *b, int set, unsigned int timeout_ms);
	/* A device's interrupt that signals @fd may go past the host. NULL: cannot be made here. */
	int (*producer_add)(struct backend *b, int fd, unsigned int host_irq);
	int (*producer_remove)(struct backend *b, unsigned int host_irq);
	/*
	 * The struct kvm_run of a vCPU, to be unmapped with its size (KVM_GET_VCPU_MMAP_SIZE);
	 * NULL.
	 */
	void *(*map_run)(struct backend *b, int vcpu, size_t size);
	void (*unmap_run)(struct backend *b, void *area, size_t size);
	const struct port_ops *ops; /* NULL for a real kernel */
};

void backend_port_init(struct backend *b, const struct port *port);
void backend_real_init(struct backend *b); /* open_kvm() fails where there is no /dev/kvm */

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a KVM object exports: one whole KVM, made of kernel code compiled with one kernel tree's
 * headers, behind the ioctl ABI of <linux/kvm.h>. Several live in one process; each has its own
 * kernel side, file descriptors and per-CPU variables. Plain C types only.
 */
#ifndef PORT_OPS_H
#define PORT_OPS_H

#include <stdbool.h>
#include <stdint.h>

#define PORT_ROUTES_PER_GSI 3 /* KVM_NR_IRQCHIPS on x86 */
#define PORT_NR_CHIPS	    3
#define PORT_NR_PINS	    24
#define PORT_MAX_GSI	    4096 /* KVM_MAX_IRQ_ROUTES */

/* A routing entry as the kernel holds it, without pointers. */
struct port_route {
	uint32_t gsi;
	uint32_t type;	   /* KVM_IRQ_ROUTING_* */
	uint32_t words[5]; /* IRQCHIP: chip, pin (PIC slave pins +8); MSI: lo, hi, data, flags,
			    * devid; HV_SINT: vcpu, sint; XEN: port, vcpu id, priority */
	uint32_t handler;  /* which set function: equal numbers, equal functions */
};

/* Where a host interrupt goes: to a host vector, or posted to a vCPU. */
#define PORT_NR_HOST_IRQS 4096 /* assumed enough */
struct port_irte {
	bool posted;
	uint32_t vcpu_id; /* posted: its target */
	uint32_t vector;
	uint64_t updates; /* how often it was written */
};

/* An injection on its way to a controller, or to what is not modelled (Hyper-V, Xen). */
struct port_event {
	uint32_t gsi; /* of the route; PORT_GSI_NONE for KVM_SIGNAL_MSI */
	int32_t level;
	struct port_route route;
};
#define PORT_GSI_NONE 0xffffffffu
typedef void port_event_sink(void *arg, int vm_fd, const struct port_event *ev);

struct port_ops {
	const char *release; /* kernel release of its headers, "6.12.117" */
	const char *config;  /* configuration variant, "plain" or "lockdep" */

	/* Bring the kernel side up. Once a process, after sim_init(). 0 or -errno. */
	int (*boot)(void);

	/*
	 * The system calls. Errors are returned as -errno. open_kvm() is open("/dev/kvm"); ioctl()
	 * takes the fd of the system, of a VM or of a vCPU; @arg is a number or a user address. The
	 * last close of a VM's descriptors destroys it. fds are small and the lowest free is used.
	 */
	int (*open_kvm)(void);
	long (*ioctl)(int fd, unsigned int cmd, unsigned long arg);
	int (*close)(int fd);
	int (*dup)(int fd);

	/*
	 * eventfd(2) with EFD_NONBLOCK, and reads and writes of one: 8, or -EAGAIN. open_other() is
	 * a descriptor of something that is neither KVM nor an eventfd. poll() is what poll(2) says
	 * of an eventfd without waiting, POLLIN and so on; epoll() makes an epoll set of one
	 * eventfd, watched for EPOLLIN, which can be polled itself.
	 */
	int (*eventfd)(unsigned int count, int flags);
	long (*read)(int fd, uint64_t *count);
	long (*write)(int fd, uint64_t count);
	int (*poll)(int fd);
	int (*epoll)(int fd);
	int (*open_other)(void);

	/*
	 * A device's interrupt @host_irq that signals the eventfd @fd, as VFIO registers it with the
	 * bypass manager; and its remapping entry. 0 or -errno.
	 */
	int (*producer_add)(int fd, unsigned int host_irq);
	int (*producer_remove)(unsigned int host_irq);
	int (*irte)(unsigned int host_irq, struct port_irte *out);

	/*
	 * What the ABI does not show, read as a reader in the kernel would (under irq_srcu).
	 * map_gsi: the routes of one GSI in the kernel's order; returns how many (at most
	 * PORT_ROUTES_PER_GSI), -EBADF for a fd that is no VM. map_pin: the GSI of a chip's pin or
	 * -1. routing_digest: one number over every GSI's routes and every pin; equal tables, equal
	 * numbers, in any strategy and kernel version.
	 */
	int (*map_gsi)(int vm_fd, uint32_t gsi, struct port_route *out);
	int (*map_pin)(int vm_fd, unsigned int chip, unsigned int pin);
	int (*routing_digest)(int vm_fd, uint64_t *digest);

	/*
	 * routing_table: all of it, read in one read section: the routes of GSI 0, of GSI 1 and so
	 * on, each GSI's in the kernel's order, the first @max of them written to @out; and the GSI
	 * or -1 of every pin, chip by chip, to @pins (PORT_NR_CHIPS * PORT_NR_PINS). How many
	 * routes there are, or -EBADF.
	 */
	int (*routing_table)(int vm_fd, struct port_route *out, unsigned int max, int32_t *pins);

	/*
	 * A slow reader, in steps: reader_enter() enters a read section of the VM's irq_srcu and
	 * returns its index, or -EBADF; reader_table() is what the section sees; table_gsi() looks
	 * a GSI up in it, as map_gsi does in the current one; reader_leave() leaves. A table is
	 * good until then.
	 */
	int (*reader_enter)(int vm_fd);
	const void *(*reader_table)(int vm_fd);
	int (*table_gsi)(const void *table, uint32_t gsi, struct port_route *out);
	void (*reader_leave)(int vm_fd, int idx);

	/*
	 * A vCPU beyond the ABI. vcpu_run_area: what mmap() of its descriptor shows, a struct
	 * kvm_run, good until it is closed; NULL: no vCPU. vcpu_acknowledge: the processor lets an
	 * interrupt in, as a guest with interrupts enabled would: its vector, -1 for none, or
	 * -EBADF. vcpu_write: its guest writes @len bytes, at most 8, to a port or a physical
	 * address: 0 where an ioeventfd takes it, -EOPNOTSUPP where it would leave the kernel.
	 */
	void *(*vcpu_run_area)(int vcpu_fd);
	int (*vcpu_acknowledge)(int vcpu_fd);
	int (*vcpu_write)(int vcpu_fd, bool pio, uint64_t addr, const void *val, unsigned int len);

	/* Called for each injection, before it gets there; NULL: nobody listens. */
	void (*set_event_sink)(port_event_sink *sink, void *arg);

	/* Forget every fd and VM without freeing, for a sim_mm_reset() that takes the memory away.
	 */
	void (*reset)(void);
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel half of the front door: file descriptors and ioctls, in front of struct kvm.
 */
#ifndef MODEL_KVM_DOOR_H
#define MODEL_KVM_DOOR_H

#include <linux/kvm_host.h>

#include <port_ops.h>

#include "../../kernel-port/compat/kvm_compat.h"

/* A VM, and how many descriptors and system calls under way hold its file. */
struct door_vm {
	struct kvm kvm;
	refcount_t file_users;
};

/* OTHER: a descriptor of something that is neither KVM nor an eventfd. */
enum door_kind { DOOR_NONE, DOOR_SYSTEM, DOOR_VM, DOOR_VCPU, DOOR_EVENTFD, DOOR_EPOLL, DOOR_OTHER };

struct door_file {
	enum door_kind kind;
	int fd;
	void *object; /* struct kvm, struct kvm_vcpu, struct file (EVENTFD, EPOLL), or NULL */
};

/* fd.c: the descriptor table. -EMFILE when it is full. */
int door_open(enum door_kind kind, void *object);
int door_dup(int fd); /* -EBADF as well */

/*
 * What @fd names, held until door_put(): a VM that is closed meanwhile lives on for that long, as
 * under fdget(). False: not open.
 */
bool door_get(int fd, struct door_file *out);
void door_put(const struct door_file *f);

/* The VM of @fd, which the caller keeps open, or NULL. */
struct kvm *door_vm_of(int fd);
int door_fd_of(const void *object); /* the first descriptor of @object, or -1 */
int door_close(int fd);		    /* 0 or -EBADF */
void door_forget_all(void);

/* system.c, vm.c, vcpu_state.c: an ioctl of that kind of descriptor. */
long door_system_ioctl(unsigned int cmd, unsigned long arg);
long door_vm_ioctl(struct kvm *kvm, unsigned int cmd, unsigned long arg);
long door_vcpu_ioctl(struct kvm_vcpu *vcpu, unsigned int cmd, unsigned long arg);

/*
 * module.c: the first user brings it up, 0 or -errno; hold: for those who know that there is one.
 */
int door_module_use(void);
void door_module_hold(void);
void door_module_put(void);
void door_module_forget(void);

/* eventfd.c: eventfd(2), read(2), write(2), poll(2), and an epoll set of the one. */
int door_eventfd(unsigned int count, int flags);
long door_read(const struct door_file *f, u64 *count);
long door_write(const struct door_file *f, u64 count);
int door_poll(const struct door_file *f);
int door_epoll(const struct door_file *f);

/* producer.c, model/x86/remapping.c: device interrupts that may go past the host. */
int door_producer_add(int fd, unsigned int host_irq);
int door_producer_remove(unsigned int host_irq);
bool model_irte(unsigned int host_irq, struct port_irte *out);

/* controllers.c: the controllers of a VM. */
long door_create_irqchip(struct kvm *kvm);
long door_enable_split_irqchip(struct kvm *kvm, u64 nr_pins);
long door_get_irqchip(struct kvm *kvm, struct kvm_irqchip __user *user);
long door_set_irqchip(struct kvm *kvm, struct kvm_irqchip __user *user);
long door_create_pit(struct kvm *kvm,
		     struct kvm_pit_config __user *user); /* @user NULL: no flags */
void door_destroy_irqchip(struct kvm *kvm);

/* vcpu_state.c: KVM_GET_SUPPORTED_CPUID, as far as a LAPIC needs it. */
long door_supported_cpuid(struct kvm_cpuid2 __user *user);

/* caps.c: KVM_CHECK_EXTENSION on the system (@kvm NULL) or a VM. */
long door_check_extension(struct kvm *kvm, unsigned long cap);

/* vm.c, vcpu.c: life and death. */
long door_create_vm(unsigned long type);
void door_put_vm(struct kvm *kvm);
void door_put_vm_file(struct kvm *kvm); /* the last one ends its irqfds */
long door_create_vcpu(struct kvm *kvm, unsigned long id);
void door_free_vcpus(struct kvm *kvm);

/* model/x86/event.c */
void model_set_event_sink(port_event_sink *sink, void *arg);
/* The injection that follows comes from KVM_SIGNAL_MSI: there is no GSI. */
void model_event_from_msi(bool on);

/* port_ops.c: @e without its pointers. */
void port_route_of(const struct kvm_kernel_irq_routing_entry *e, struct port_route *out);

/* sim/kernel/sched.c */
void sim_syscall_end(const char *what, const void *caller);

#endif

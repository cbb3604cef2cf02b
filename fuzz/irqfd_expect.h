/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold of eventfds, irqfds, lines and the interrupts that come of them, kept beside the
 * calls: eventfd(2), KVM_IRQFD and KVM_IRQ_LINE in Documentation/virt/kvm/api.rst, 82093AA IOAPIC
 * data sheet, Intel SDM vol. 3, "Handling Interrupts". Written without a look at the port.
 *
 * One vCPU a VM, id 0, in x2APIC mode and enabled; one route a GSI: a message, or one of the
 * IOAPIC's upper pins, which are unmasked, even ones edge-triggered and odd ones level-triggered.
 */
#ifndef FUZZ_IRQFD_EXPECT_H
#define FUZZ_IRQFD_EXPECT_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

#define EXPECT_VMS		  3
#define EXPECT_SPLIT_VM		  2U /* without a PIC and an IOAPIC */
#define EXPECT_GSIS		  8
#define EXPECT_FIRST_PIN	  16 /* below are the PIC's too */
#define EXPECT_PINS		  8
#define EXPECT_FDS		  64
#define EXPECT_EVENTFDS		  64 /* ever made */
#define EXPECT_HOST_IRQS	  4

#define EXPECT_VECTOR_OF_PIN(pin) (0xa0 + (pin))

enum { SOURCE_USER, SOURCE_RESAMPLE, NR_SOURCES };

struct expect_route {
	enum { ROUTE_NONE, ROUTE_MESSAGE, ROUTE_PIN } kind;
	uint8_t vector;
	bool meant;	  /* its destination is the vCPU */
	unsigned int pin; /* from EXPECT_FIRST_PIN */
};

struct expect_lapic {
	uint32_t irr[8], isr[8], tmr[8];
};

struct expect_kvm {
	bool full;
	unsigned int files;
	struct expect_route routes[EXPECT_GSIS];
	int gsi_of_pin[EXPECT_PINS];
	bool lines[EXPECT_PINS][NR_SOURCES];
	uint32_t pending, remote; /* IRR and remote IRR, by pin */
	uint32_t handled[8];	  /* vectors whose EOIs the IOAPIC hears of */
	bool scan;		  /* they are found out anew at the next KVM_RUN */
	struct expect_lapic lapic;
	bool rerouted;	       /* other routes than it began with */
	bool touched, changed; /* so is the rest: since it began, since it was looked at */
};

struct expect_eventfd {
	uint64_t count;
	bool semaphore;
	unsigned int files;
};

struct expect_irqfd {
	struct expect_kvm *kvm;
	struct expect_eventfd *eventfd, *resample; /* NULL: none */
	uint32_t gsi;
	bool consumer;	   /* known to the bypass manager, which knows one an eventfd */
	unsigned int turn; /* its work item waits, behind those of lower numbers; 0: it does not */
};

enum expect_kind { FD_NONE, FD_KVM, FD_VCPU, FD_VM, FD_EVENTFD, FD_OTHER };

struct expect_fd {
	enum expect_kind kind;
	void *object; /* of a VM or an eventfd */
};

struct expect {
	bool unique; /* the scheme: an eventfd is one irqfd's, whichever VM's */
	struct expect_kvm kvms[EXPECT_VMS];
	struct expect_fd fds[EXPECT_FDS];
	struct expect_eventfd eventfds[EXPECT_EVENTFDS];
	unsigned int nr_eventfds;
	struct expect_irqfd irqfds[EXPECT_EVENTFDS * EXPECT_VMS]; /* in the order they came */
	unsigned int nr_irqfds;
	unsigned int last_turn, nr_turns;
	struct expect_eventfd *producers[EXPECT_HOST_IRQS];
};

/* irqfd_expect.c, irqfd_expect_vm.c: each does the call and returns what it has to answer. */
long expect_eventfd(struct expect *x, uint32_t count, bool semaphore);
long expect_dup(struct expect *x, int fd);
long expect_close(struct expect *x, int fd);
long expect_write(struct expect *x, int fd, uint64_t n);
long expect_read(struct expect *x, int fd, uint64_t *count);
long expect_irqfd(struct expect *x, int vm_fd, const struct kvm_irqfd *args);
long expect_routes(struct expect *x, int vm_fd, const struct kvm_irq_routing *t);
long expect_line(struct expect *x, int vm_fd, uint32_t gsi, bool level, int *status);
long expect_producer_add(struct expect *x, int fd, unsigned int host_irq);
long expect_producer_remove(struct expect *x, unsigned int host_irq);
/* The vector that a host interrupt is posted to its vCPU as; -1: it goes through the host. */
int expect_posted(const struct expect *x, unsigned int host_irq);
/* KVM_RUN of a VM's vCPU: which EOIs its IOAPIC has to hear of. */
void expect_run(struct expect *x, struct expect_kvm *kvm);
/* It writes EOI: irqfds with a resampler hear of it. */
void expect_eoi(struct expect *x, struct expect_kvm *kvm);
/* The object of @fd if it is of that kind, or NULL. */
void *expect_object(const struct expect *x, int fd, enum expect_kind kind);
/* The calls that follow see @fd as that; its object's count of files goes up. */
void expect_open(struct expect *x, int fd, enum expect_kind kind, void *object);

/* Between irqfd_expect.c and irqfd_expect_vm.c. */
long expect_not_a_vm(const struct expect *x, int fd); /* 0: it is one; -errno of an ioctl on it */
long expect_not_an_eventfd(const struct expect *x, int fd); /* the same of other calls */
bool expect_resamples(const struct expect *x, const struct expect_kvm *kvm, uint32_t gsi);
/* An eventfd was written to: the first irqfd takes what there is, and no other is asked. */
void expect_wake(struct expect *x, struct expect_eventfd *e);
/* The end of a call: work items in the order in which they were queued. */
void expect_run_items(struct expect *x);

/* irqfd_expect_chip.c: of one VM, without irqfds. */
int expect_set_irq(struct expect_kvm *kvm, int source, uint32_t gsi, bool level);
int expect_acknowledge(struct expect_kvm *kvm);
/* The vector in service ends: the vector, -1 for none; @level: as its TMR said. */
int expect_end(struct expect_kvm *kvm, bool *level);
/* The IOAPIC hears of EOIs of level-triggered pins, and of those in @others. */
void expect_scan(struct expect_kvm *kvm, uint32_t others);
/* @pin's interrupt was ended. */
void expect_pin_ended(struct expect_kvm *kvm, unsigned int pin);

static inline bool expect_bit(const uint32_t *bits, unsigned int n)
{
	return bits[n / 32] >> n % 32 & 1;
}

#endif

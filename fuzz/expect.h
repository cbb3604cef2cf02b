/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What KVM on x86 is to answer, by Documentation/virt/kvm/api.rst (4.28, 4.52 and its neighbours)
 * and by the answers recorded in tests/oracle/: written without a look at the port, so that a fault
 * that all strategies share is a difference too. Delivery is not predicted.
 */
#ifndef FUZZ_EXPECT_H
#define FUZZ_EXPECT_H

#include <port_ops.h>

#include "program.h"

#define EXPECT_PINS (PORT_NR_CHIPS * PORT_NR_PINS)

/* A table as the kernel shows it: GSI by GSI, the last route of user space first. */
struct expect_table {
	uint32_t nr;
	uint32_t highest;	   /* GSI that is routed */
	bool no_pins;		   /* all pins are known to be -1 */
	int32_t pins[EXPECT_PINS]; /* chip by chip: the GSI or -1 */
	struct port_route routes[PORT_MAX_GSI];
};

enum expect_mode { MODE_NONE, MODE_KERNEL, MODE_SPLIT };

struct expect_vm {
	int fd; /* -1: not open */
	enum expect_mode mode;
	bool x2apic_format;
	unsigned int nr_vcpus;
	unsigned long ids[PROGRAM_VCPUS];
	struct expect_table *table;
};

struct expect {
	struct expect_vm vms[PROGRAM_VMS];
	int vcpu_fds[PROGRAM_VCPUS];
	uint64_t fds; /* descriptors in use, by number */
	unsigned long max_vcpu_ids;
	struct expect_table *next; /* the table that the call at hand makes */
};

/* As open(2): the lowest number that is free. */
static inline int expect_lowest_free(const struct expect *ex)
{
	return __builtin_ctzll(~ex->fds);
}

#define EXPECT_ANY (-1000L) /* not predicted: the strategies are compared with each other */

/*
 * expect_init - nothing is open but the system, at descriptor 0
 * expect_fd - the descriptor that @call goes to, or -1: there is none, the call is to be left out
 * expect_result - the call's result, as -errno when it fails; nothing changes
 * expect_done - the call was made with that result
 * expect_changes_table - whether the call, if it succeeds, changes or makes the table of its VM
 */
void expect_init(struct expect *ex, unsigned long max_vcpu_ids);
int expect_fd(const struct expect *ex, const struct call *call);
long expect_result(struct expect *ex, const struct call *call, const struct kvm_irq_routing *table);
void expect_done(struct expect *ex, const struct call *call, long result);
bool expect_changes_table(const struct call *call);

#endif

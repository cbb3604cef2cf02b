/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VMs and tables for tests of routing, on every strategy in turn: or on the one that the
 * environment variable IRQSIM_PORT names, which is how a mutant is put before the same tests.
 */
#ifndef TESTS_ROUTING_VM_H
#define TESTS_ROUTING_VM_H

#include <criterion/criterion.h>
#include <linux/kvm.h>
#include <stdint.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/ops.h>
#include <sim/report.h>
#include <sim/task.h>

/* The next port under test after @p (NULL: the first), or NULL. */
const struct port *next_port(const struct port *p);
extern bool ports_with_variants; /* are variants of strategies among them? */
#define for_each_port(p) for ((p) = next_port(NULL); (p); (p) = next_port(p))

enum chip { NO_CHIP, FULL_CHIP, SPLIT_CHIP };

struct vm {
	const struct port *port;
	const struct port_ops *ops;
	int kvm, fd;
	uint64_t live_before; /* objects alive before it was made */
};

/* Fresh memory with all checks, and a VM on it. */
struct vm vm_make(const struct port *port, enum chip chip);
/* Close it; nothing may be left and nothing reported. */
void vm_end(struct vm *vm);

/* struct kvm_irq_routing with room: its own array has no size. */
struct table {
	struct {
		uint32_t nr, flags;
	} head;
	struct kvm_irq_routing_entry entries[PORT_MAX_GSI + 1];
};

struct table *table_new(void); /* empty; free() it */
void add_msi(struct table *t, uint32_t gsi, uint32_t data);
void add_pin(struct table *t, uint32_t gsi, uint32_t chip, uint32_t pin);
/* @nr MSI routes on GSI 0 and up, data @tag in each. */
struct table *msi_table(uint32_t nr, uint32_t tag);

long vm_set(struct vm *vm, const struct table *t);
/* Every GSI's routes and every pin are what @t says, last first; nothing else is routed. */
void expect_table(struct vm *vm, const struct table *t);

uint64_t live_objects(void);

#endif

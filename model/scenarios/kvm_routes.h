/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small VM with routes, for scenarios of KVM_SET_GSI_ROUTING.
 */
#ifndef MODEL_SCENARIOS_KVM_ROUTES_H
#define MODEL_SCENARIOS_KVM_ROUTES_H

#include <linux/kvm.h>

#include <port_ops.h>

#include "programs.h"

extern const char irqsim_object_name[];
extern const struct port_ops port_ops;

#define NR_ROUTES 2
#define NR_TABLES 3

/* User space's side, laid out as struct kvm_irq_routing. */
struct route_table {
	u32 nr, flags;
	struct kvm_irq_routing_entry entries[NR_ROUTES];
};

/* Descriptors, and tables of which number n routes GSI g to vector 16 * (n + 1) + g. */
struct routes {
	int system, vm, vcpu;
	struct route_table tables[NR_TABLES];
};
extern struct routes routes;

/* A VM with one vCPU and a split irqchip, or a full one with its default routes. */
void routes_vm(bool split);
/* The same, and table 0 is its table. */
void routes_setup(void);
/* Close whatever is open; nothing may be left. */
void routes_end(void);
/* Close one descriptor, if it is open. */
void routes_close(int *fd);

void route_table_use(int n);
/* Is @vector one of GSI @gsi's, of table @first or later? */
bool route_fits(u32 vector, u32 gsi, int first);

#define ROUTES(id, title, about, nr, ...) \
	PROGRAM(id, title, about, nr, .strategy = irqsim_object_name, __VA_ARGS__)

#endif

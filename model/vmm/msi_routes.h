/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The routing layer of a VMM, as QEMU has it (accel/kvm/kvm-all.c): a table in user space, changed
 * entry by entry, of which the kernel gets all with each commit. Numbers of GSIs for messages
 * ("virqs") are the lowest free ones.
 *
 * One thing is otherwise: QEMU asserts that the kernel takes a table, here the caller is told that
 * it did not, and must take back what it changed.
 */
#ifndef VMM_MSI_ROUTES_H
#define VMM_MSI_ROUTES_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>

#include "backend.h"

/* QEMU leaves the last GSI alone (kvm_init_irq_routing()). */
#define MSI_ROUTES_GSIS (PORT_MAX_GSI - 1)
/* Entries for the pins of a PC, of which two share a GSI at times. */
#define MSI_ROUTES_PINS 38

struct msi_message {
	uint64_t address;
	uint32_t data;
};

struct msi_routes {
	struct backend *b;
	int vm;
	unsigned long commits; /* KVM_SET_GSI_ROUTING that were sent */
	uint64_t used[PORT_MAX_GSI / 64];
	struct {
		uint32_t nr, flags;
		struct kvm_irq_routing_entry entries[PORT_MAX_GSI];
	} table;
};

/* kvm_irqchip_begin_route_changes(): gathers what one commit will send. */
struct route_change {
	struct msi_routes *routes;
	unsigned int changes;
};

/*
 * Start with the pins of a PC: of the PIC pair and the IOAPIC, the timer on the IOAPIC's pin 2
 * (hw/i386/kvm/ioapic.c, kvm_pc_setup_irq_routing()); committed. @pins false: with nothing. 0 or
 * -errno.
 */
int msi_routes_init(struct msi_routes *r, struct backend *b, int vm, bool pins);

struct route_change msi_routes_begin(struct msi_routes *r);
/* The virq, or -ENOSPC; not in the kernel before the commit. */
int msi_routes_add(struct route_change *c, const struct msi_message *m);
/* Changed in the table; the same message again is no change. -ESRCH: no such virq. */
int msi_routes_update(struct route_change *c, int virq, const struct msi_message *m);
/* Out of the table and free again. The kernel learns of it with the next commit, whenever that is. */
void msi_routes_release(struct msi_routes *r, int virq);
/* Send the table if anything changed. 0 or -errno. */
int msi_routes_commit(struct route_change *c);
/* Send it in any case, as QEMU does after an update outside of a change. 0 or -errno. */
int msi_routes_send(struct msi_routes *r);

#endif

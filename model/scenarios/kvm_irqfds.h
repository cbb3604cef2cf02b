/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Eventfds and irqfds on the small VM of kvm_routes.h.
 */
#ifndef MODEL_SCENARIOS_KVM_IRQFDS_H
#define MODEL_SCENARIOS_KVM_IRQFDS_H

#include "kvm_routes.h"

int new_eventfd(void);
long irqfd_assign(int vm, int fd, u32 gsi);
long irqfd_deassign(int vm, int fd, u32 gsi);
/* Level-triggered; @resamplefd is told when the guest acknowledges. */
long irqfd_assign_resampling(int vm, int fd, u32 gsi, int resamplefd);
void write_eventfd(int fd);
/* What was written and not consumed; resets it. */
u64 read_eventfd(int fd);

/* A second VM, with a split irqchip and table 0. */
int another_vm(void);

/* Injections that routes.vm or another VM saw since count_injections(): of tables that exist. */
void count_injections(void);
unsigned int injections(void);
u32 last_vector(void);

#endif

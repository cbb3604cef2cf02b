/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FUZZ_EXPECT_TABLE_H
#define FUZZ_EXPECT_TABLE_H

#include "expect.h"

void expect_table_clear(struct expect_table *t);

/* Make @t from what user space passes. False: KVM refuses it, @t is not to be used. */
bool expect_table_set(struct expect_table *t, const struct kvm_irq_routing_entry *e, uint32_t nr,
		      enum expect_mode mode, bool x2apic_format);

/* The routes of a new in-kernel irqchip. */
void expect_table_pc(struct expect_table *t);

#endif

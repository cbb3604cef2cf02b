// SPDX-License-Identifier: GPL-2.0-only
/*
 * What KVM_SET_GSI_ROUTING accepts, and that what it refuses changes nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "routing_vm.h"

Test(routing_rules, boundaries_of_the_table)
{
	const struct port *port;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct table *t = msi_table(4095, 1), *keep;

		cr_expect_eq(vm_set(&vm, t), 0, "%s: MAX - 1 routes", port->name);
		expect_table(&vm, t);
		add_msi(t, 4095, 1);
		cr_expect_eq(vm_set(&vm, t), 0, "%s: MAX routes", port->name);
		expect_table(&vm, t);
		add_msi(t, 0, 2); /* refused for the number before anything else is looked at */
		cr_expect_eq(vm_set(&vm, t), -EINVAL, "%s: MAX + 1 routes", port->name);
		t->head.nr--;
		expect_table(&vm, t);

		t->head.nr = 0;
		cr_expect_eq(vm_set(&vm, t), 0, "%s: no route", port->name);
		expect_table(&vm, t);

		keep = table_new();
		add_msi(keep, 4095, 3);
		cr_expect_eq(vm_set(&vm, keep), 0, "%s: the highest GSI", port->name);
		expect_table(&vm, keep);
		t->head.nr = 0;
		add_msi(t, 4096, 3);
		cr_expect_eq(vm_set(&vm, t), -EINVAL, "%s: one GSI above", port->name);
		t->entries[0].gsi = UINT32_MAX;
		cr_expect_eq(vm_set(&vm, t), -EINVAL, "%s: the last u32", port->name);
		expect_table(&vm, keep);
		vm_end(&vm);
		free(t);
		free(keep);
	}
}

/* One refused entry at each place, of each kind: ledger and old table stay as they were. */
Test(routing_rules, a_refused_entry_leaves_nothing_behind)
{
	const struct port *port;
	uint32_t place;
	int kind;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct table *old = msi_table(70, 1), *t = msi_table(130, 2);
		uint64_t live;

		cr_assert_eq(vm_set(&vm, old), 0);
		cr_assert_eq(vm_set(&vm, old), 0);
		live = live_objects();
		for (place = 0; place < t->head.nr; place++) {
			for (kind = 0; kind < 4; kind++) {
				struct kvm_irq_routing_entry *e = &t->entries[place], good = *e;

				switch (kind) {
				case 0: /* KVM_MSI_VALID_DEVID is bit 0; no other is known */
					e->flags = 2;
					break;
				case 1: /* no such type */
					e->type = 9;
					break;
				case 2: /* pins are user space's with a split irqchip */
					e->type = KVM_IRQ_ROUTING_IRQCHIP;
					break;
				case 3: /* the GSI has an MSI route already */
					e->gsi = place ? place - 1 : 1;
					break;
				}
				cr_assert_eq(vm_set(&vm, t), -EINVAL, "%s: place %u, kind %d",
					     port->name, place, kind);
				*e = good;
				cr_assert_eq(live_objects(), live,
					     "%s: place %u, kind %d: %ld objects", port->name,
					     place, kind, (long)(live_objects() - live));
			}
		}
		expect_table(&vm, old);
		vm_end(&vm);
		free(old);
		free(t);
	}
}

Test(routing_rules, pins_share_a_gsi_by_irqchip_only)
{
	const struct port *port;

	for_each_port(port) {
		struct vm vm = vm_make(port, FULL_CHIP);
		struct table *t = table_new();

		/* Three irqchips on one GSI, injected in the order of the table. */
		add_pin(t, 5, KVM_IRQCHIP_PIC_MASTER, 5);
		add_pin(t, 5, KVM_IRQCHIP_PIC_SLAVE, 5);
		add_pin(t, 5, KVM_IRQCHIP_IOAPIC, 5);
		add_pin(t, 9, KVM_IRQCHIP_IOAPIC, 5); /* the pin goes to whoever is last */
		cr_expect_eq(vm_set(&vm, t), 0);
		expect_table(&vm, t);

		add_pin(t, 5, KVM_IRQCHIP_IOAPIC, 6);
		cr_expect_eq(vm_set(&vm, t), -EINVAL, "%s: the IOAPIC twice", port->name);
		t->head.nr--;
		add_msi(t, 5, 1);
		cr_expect_eq(vm_set(&vm, t), -EINVAL, "%s: an MSI on top of pins", port->name);
		t->head.nr--;
		add_msi(t, 10, 1);
		add_pin(t, 10, KVM_IRQCHIP_IOAPIC, 7);
		cr_expect_eq(vm_set(&vm, t), -EINVAL, "%s: a pin on top of an MSI", port->name);
		t->head.nr -= 2;
		expect_table(&vm, t);
		vm_end(&vm);
		free(t);
	}
}

/* Each 8259 has 8 pins (445ee82d7a97), the IOAPIC 24, and there is no fourth irqchip. */
Test(routing_rules, every_pin_of_every_chip)
{
	static const uint32_t pins[] = { 8, 8, 24, 0, 0 };
	const struct port *port;
	uint32_t chip, pin;

	for_each_port(port) {
		struct vm vm = vm_make(port, FULL_CHIP);

		for (chip = 0; chip < 5; chip++) {
			for (pin = 0; pin < 26; pin++) {
				struct table *t = table_new();

				add_pin(t, 3, chip, pin);
				cr_expect_eq(vm_set(&vm, t), pin < pins[chip] ? 0 : -EINVAL,
					     "%s: chip %u pin %u", port->name, chip, pin);
				free(t);
			}
		}
		vm_end(&vm);
	}
}

/*
 * A route of another type used the entry before: x86 leaves msi.flags and msi.devid as they are.
 * Two tables are alive at a time, so with three in turn memory meets each type.
 */
Test(routing_rules, memory_is_zeroed_before_it_holds_another_route)
{
	const struct port *port;
	int round;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct table *xen = table_new(), *msi = table_new();
		uint32_t i;

		for (i = 0; i < 10; i++) {
			struct kvm_irq_routing_entry *e = &xen->entries[xen->head.nr++];

			e->gsi = i;
			e->type = KVM_IRQ_ROUTING_XEN_EVTCHN;
			e->u.xen_evtchn.port = 1000 + i;
			e->u.xen_evtchn.vcpu = 77;
			e->u.xen_evtchn.priority = KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL;
			add_msi(msi, i, 50 + i);
		}
		for (round = 0; round < 4; round++) {
			cr_assert_eq(vm_set(&vm, xen), 0);
			for (i = 0; i < 2; i++) {
				msi->entries[3].u.msi.data = 2 * round + i;
				cr_assert_eq(vm_set(&vm, msi), 0);
				expect_table(&vm, msi);
			}
		}
		vm_end(&vm);
		free(xen);
		free(msi);
	}
}

/* x2APIC ids of 32 bits: address_hi's low byte has to be zero, from when they are enabled on. */
Test(routing_rules, msi_addresses_of_the_x2apic_format)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_X2APIC_API,
				      .args = { KVM_X2APIC_API_USE_32BIT_IDS } };
	const struct port *port;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct table *t = msi_table(3, 1);

		t->entries[1].u.msi.address_hi = 0x1ff;
		cr_expect_eq(vm_set(&vm, t), 0);
		cr_expect_eq(vm.ops->ioctl(vm.fd, KVM_ENABLE_CAP, (unsigned long)&cap), 0);
		cr_expect_eq(vm_set(&vm, t), -EINVAL, "%s: equal to the current one, but not valid",
			     port->name);
		expect_table(&vm, t);
		t->entries[1].u.msi.address_hi = 0x100;
		cr_expect_eq(vm_set(&vm, t), 0);
		expect_table(&vm, t);
		vm_end(&vm);
		free(t);
	}
}

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16) % n;
}

/* One GSI, one kind of route; pins of different irqchips. The table's own rule, not the kernel's
 * code. */
static int is_valid(const struct table *t)
{
	uint32_t i, j;

	for (i = 0; i < t->head.nr; i++)
		for (j = 0; j < i; j++)
			if (t->entries[i].gsi == t->entries[j].gsi &&
			    (t->entries[i].type != KVM_IRQ_ROUTING_IRQCHIP ||
			     t->entries[j].type != KVM_IRQ_ROUTING_IRQCHIP ||
			     t->entries[i].u.irqchip.irqchip == t->entries[j].u.irqchip.irqchip))
				return 0;
	return 1;
}

static void random_table(struct table *t)
{
	uint32_t n = random_below(40), i, chip;

	t->head.nr = 0;
	for (i = 0; i < n; i++) {
		uint32_t gsi = random_below(4) ? i : random_below(60);

		if (random_below(2)) {
			add_msi(t, gsi, random_below(3));
			continue;
		}
		chip = random_below(3);
		add_pin(t, gsi, chip, random_below(chip == KVM_IRQCHIP_IOAPIC ? 24 : 8));
	}
}

Test(routing_rules, random_tables_in_a_row)
{
	const struct port *port;
	int round, taken;

	for_each_port(port) {
		struct vm vm = vm_make(port, FULL_CHIP);
		struct table *now = table_new(), *next = table_new(), *swap;

		random_state = 0x9e3779b97f4a7c15ULL;
		cr_assert_eq(vm_set(&vm, now), 0);
		for (round = taken = 0; round < 3000; round++) {
			random_table(next);
			if (is_valid(next)) {
				cr_assert_eq(vm_set(&vm, next), 0, "%s: round %d", port->name,
					     round);
				swap = now;
				now = next;
				next = swap;
				taken++;
			} else {
				cr_assert_eq(vm_set(&vm, next), -EINVAL, "%s: round %d", port->name,
					     round);
			}
			if (round % 10 == 0)
				expect_table(&vm, now);
		}
		expect_table(&vm, now);
		cr_assert_gt(taken, 300);
		vm_end(&vm);
		free(now);
		free(next);
	}
}

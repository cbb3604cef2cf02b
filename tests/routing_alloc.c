// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an update allocates, by strategy: exact numbers. An object that one of them holds besides is
 * a change of the strategy, and these numbers are what they are compared by.
 */
#include <stdlib.h>
#include <string.h>

#include "routing_vm.h"

#define ROUTES	2000
#define UPDATES 6

struct expected {
	const char *strategy;
	unsigned long allocs[UPDATES]; /* of each update in turn */
	unsigned long frees[UPDATES];
};

/*
 * 2000 routes of 64 bytes, 64 a page: 31 full pages and one of 16. The table before the first is
 * that of a new VM. A new VM's "cached" has no array to give away, and its first update's array is
 * in use until the second has replaced it. "delta" has 56 entries a page, a pointer and 64 bytes
 * each behind a header of 32: 36 pages; its second update makes the second set of list heads. One
 * route changes each time.
 */
static const struct expected expectations[] = {
	{ "per-entry",
	  { 2001, 2001, 2001, 2001, 2001, 2001 },
	  { 1, 2001, 2001, 2001, 2001, 2001 } },
	{ "chunked", { 34, 34, 34, 34, 34, 34 }, { 1, 34, 34, 34, 34, 34 } },
	{ "array", { 2, 2, 2, 2, 2, 2 }, { 1, 2, 2, 2, 2, 2 } },
	{ "cached", { 2, 2, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1, 1 } },
	{ "delta", { 37, 1, 0, 0, 0, 0 }, { 0, 1, 0, 0, 0, 0 } },
};

static unsigned long allocs(const uint64_t *n)
{
	return n[SIM_OP_KMALLOC] + n[SIM_OP_PAGE_ALLOC] + n[SIM_OP_VMALLOC];
}

static unsigned long frees(const uint64_t *n)
{
	return n[SIM_OP_KFREE] + n[SIM_OP_PAGE_FREE] + n[SIM_OP_VFREE];
}

static const struct expected *find(const char *strategy)
{
	size_t i;

	for (i = 0; i < sizeof(expectations) / sizeof(expectations[0]); i++)
		if (!strcmp(expectations[i].strategy, strategy))
			return &expectations[i];
	return NULL;
}

Test(routing_alloc, every_update_allocates_exactly)
{
	const uint64_t *now = sim_counts.n[SIM_SECTION_ROUTING];
	const struct port *port;
	int checked = 0, u;

	for_each_port(port) {
		const struct expected *want = find(port->name);
		struct table *t = msi_table(ROUTES, 1);
		struct vm vm = vm_make(port, SPLIT_CHIP);

		cr_assert(want, "%s: its numbers are not written down", port->name);
		for (u = 0; u < UPDATES; u++) {
			unsigned long a = allocs(now), f = frees(now);

			t->entries[100].u.msi.data = 100 + u;
			cr_assert_eq(vm_set(&vm, t), 0);
			cr_expect_eq(allocs(now) - a, want->allocs[u], "%s, update %d: %lu allocs",
				     port->name, u, allocs(now) - a);
			cr_expect_eq(frees(now) - f, want->frees[u], "%s, update %d: %lu frees",
				     port->name, u, frees(now) - f);
			expect_table(&vm, t);
		}
		vm_end(&vm);
		free(t);
		checked++;
	}
	cr_assert_geq(checked, 1);
}

/* The user's array is copied in one allocation outside kvm_set_irq_routing(), and given back. */
Test(routing_alloc, the_copy_of_the_input_is_counted_apart)
{
	const uint64_t *entry = sim_counts.n[SIM_SECTION_ENTRY];
	const struct port *port;

	for_each_port(port) {
		struct table *t = msi_table(ROUTES, 1);
		struct vm vm = vm_make(port, SPLIT_CHIP);
		unsigned long a = allocs(entry), f = frees(entry), bytes = entry[SIM_OP_USER_BYTES];

		cr_assert_eq(vm_set(&vm, t), 0);
		cr_expect_eq(allocs(entry) - a, 1);
		cr_expect_eq(frees(entry) - f, 1);
		/* An 8-byte header, 48 bytes an entry (struct kvm_irq_routing, <linux/kvm.h>). */
		cr_expect_eq(entry[SIM_OP_USER_BYTES] - bytes, 8 + 48 * ROUTES);
		vm_end(&vm);
		free(t);
	}
}

/* "delta" alone: a table equal to the current one costs no memory and no grace period. */
Test(routing_alloc, delta_skips_equal_tables)
{
	const uint64_t *now = sim_counts.n[SIM_SECTION_ROUTING];
	const struct port *port = port_find("strategy", "delta");
	struct table *t = msi_table(300, 7);
	struct vm vm = vm_make(port, SPLIT_CHIP);
	unsigned long a, gp;
	int i;

	cr_assert_eq(vm_set(&vm, t), 0);
	cr_assert_eq(vm_set(&vm, t), 0); /* makes the list heads that are compared in */
	a = allocs(now);
	gp = now[SIM_OP_GRACE_PERIOD];
	for (i = 0; i < 10; i++)
		cr_assert_eq(vm_set(&vm, t), 0);
	cr_expect_eq(allocs(now), a);
	cr_expect_eq(now[SIM_OP_GRACE_PERIOD], gp);
	expect_table(&vm, t);

	vm_end(&vm);
	free(t);
}

Test(routing_alloc, delta_sees_that_a_pin_changed_hands)
{
	const struct port *port = port_find("strategy", "delta");
	struct vm vm = vm_make(port, FULL_CHIP);
	struct table *a = table_new(), *b = table_new();

	/* Equal lists for each GSI; which of the two GSIs the pin belongs to is a matter of order.
	 */
	add_pin(a, 3, KVM_IRQCHIP_IOAPIC, 5);
	add_pin(a, 4, KVM_IRQCHIP_IOAPIC, 5);
	add_pin(b, 4, KVM_IRQCHIP_IOAPIC, 5);
	add_pin(b, 3, KVM_IRQCHIP_IOAPIC, 5);
	cr_assert_eq(vm_set(&vm, a), 0);
	expect_table(&vm, a);
	cr_assert_eq(vm_set(&vm, b), 0);
	expect_table(&vm, b);
	vm_end(&vm);
	free(a);
	free(b);
}

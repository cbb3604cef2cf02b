// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM_SET_GSI_ROUTING against those who use the table: whatever they see is one table, whole, the
 * old one or the new one, and once the new one was seen the old one is gone.
 */
#include <linux/kvm.h>

#include <port_ops.h>

#include "programs.h"

extern const char irqsim_object_name[];
extern const struct port_ops port_ops;

#define NR_ROUTES 2
#define NR_TABLES 3

/* User space's side, laid out as struct kvm_irq_routing; table n routes GSI g to 16 * (n + 1) + g.
 */
static struct {
	u32 nr, flags;
	struct kvm_irq_routing_entry entries[NR_ROUTES];
} tables[NR_TABLES];
static int system, vm, vcpu;
static int delivered;
static u32 last_seen[4];

static void make_table(int n)
{
	int i;

	tables[n].nr = NR_ROUTES;
	for (i = 0; i < NR_ROUTES; i++) {
		struct kvm_irq_routing_entry *e = &tables[n].entries[i];

		e->gsi = i;
		e->type = KVM_IRQ_ROUTING_MSI;
		e->u.msi.address_lo = 0xfee00000;
		e->u.msi.data = 16 * (n + 1) + i;
	}
}

static void use_table(int n)
{
	DET_CHECK(!port_ops.ioctl(vm, KVM_SET_GSI_ROUTING, (unsigned long)&tables[n]));
}

static void setup(void)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	int n;

	for (n = 0; n < NR_TABLES; n++)
		make_table(n);
	system = port_ops.open_kvm();
	vm = port_ops.ioctl(system, KVM_CREATE_VM, 0);
	DET_CHECK(vm >= 0);
	DET_CHECK(!port_ops.ioctl(vm, KVM_ENABLE_CAP, (unsigned long)&split));
	vcpu = port_ops.ioctl(vm, KVM_CREATE_VCPU, 0);
	DET_CHECK(vcpu >= 0);
	use_table(0);
}

static void end(void)
{
	port_ops.close(vcpu);
	port_ops.close(vm);
	port_ops.close(system);
	det_check_leaks();
}

static uint64_t seen(void)
{
	return last_seen[0] | (u64)last_seen[1] << 16 | (u64)last_seen[2] << 32 |
	       (u64)delivered << 48;
}

/* A vector of table @first or later, of GSI @gsi. */
static bool fits(u32 vector, u32 gsi, int first)
{
	return vector % 16 == gsi && vector / 16 > first && vector / 16 <= NR_TABLES;
}

static void look(unsigned int n, u32 gsi)
{
	struct port_route route[PORT_ROUTES_PER_GSI];
	u32 vector;

	DET_CHECK(port_ops.map_gsi(vm, gsi, route) == 1);
	vector = route[0].words[2];
	DET_CHECK(fits(vector, gsi, 0));
	data_race(last_seen[n] = vector);
}

static void update_and_lookup(unsigned int n)
{
	u32 first;

	if (!n) {
		use_table(1);
		return;
	}
	look(n, 1);
	first = data_race(last_seen[n]);
	look(n, 0);
	DET_CHECK(data_race(last_seen[n]) / 16 >= first / 16);
}

static void on_event(void *arg, int fd, const struct port_event *ev)
{
	DET_CHECK(fits(ev->route.words[2], 1, 0));
	data_race(delivered++);
}

static void setup_delivery(void)
{
	setup();
	port_ops.set_event_sink(on_event, NULL);
}

static void update_and_delivery(unsigned int n)
{
	struct kvm_irq_level line = { .irq = 1, .level = 1 };

	if (n)
		DET_CHECK(!port_ops.ioctl(vm, KVM_IRQ_LINE, (unsigned long)&line));
	else
		use_table(1);
}

/* An array of the right size is idle when the updates begin. */
static void setup_idle(void)
{
	setup();
	use_table(1);
	use_table(0);
}

static void one_delivered(void)
{
	DET_CHECK(delivered == 1);
	port_ops.set_event_sink(NULL, NULL);
	end();
}

static void two_updates(unsigned int n)
{
	use_table(n + 1);
}

/* A reader that keeps its table over two updates: an array that is reused must not be its. */
static void slow_reader(unsigned int n)
{
	struct port_route route[PORT_ROUTES_PER_GSI];
	const void *table;
	u32 vector;
	int idx;

	if (!n) {
		use_table(1);
		use_table(2);
		return;
	}
	idx = port_ops.reader_enter(vm);
	table = port_ops.reader_table(vm);
	DET_CHECK(port_ops.table_gsi(table, 1, route) == 1);
	vector = route[0].words[2];
	DET_CHECK(port_ops.table_gsi(table, 0, route) == 1);
	DET_CHECK(route[0].words[2] / 16 == vector / 16);
	port_ops.reader_leave(vm, idx);
	data_race(last_seen[n] = vector);
}

#define ROUTE(id, title, about, nr, ...) \
	PROGRAM(id, title, about, nr, .strategy = irqsim_object_name, .state = seen, __VA_ARGS__)

ROUTE(route_update_lookup, "route-update-lookup", "a route update against two lookups", 2,
      .setup = setup, .actor = update_and_lookup, .final = end);
ROUTE(route_update_delivery, "route-update-delivery",
      "a route update against an interrupt's delivery", 2, .setup = setup_delivery,
      .actor = update_and_delivery, .final = one_delivered);
ROUTE(route_update_update, "route-update-update", "two route updates of one VM", 2, .setup = setup,
      .actor = two_updates, .final = end);
ROUTE(route_update_reuse, "route-update-reuse", "two route updates where one array is idle", 2,
      .setup = setup_idle, .actor = two_updates, .final = end);
ROUTE(route_update_slow_reader, "route-update-slow-reader",
      "two route updates against a reader that keeps its table", 2, .setup = setup,
      .actor = slow_reader, .final = end);

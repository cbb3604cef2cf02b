// SPDX-License-Identifier: GPL-2.0-only
/*
 * KVM_SET_GSI_ROUTING against those who use the table: whatever they see is one table, whole, the
 * old one or the new one, and once the new one was seen the old one is gone.
 */
#include "kvm_routes.h"

static int delivered;
static u32 last_seen[4];

static uint64_t seen(void)
{
	return last_seen[0] | (u64)last_seen[1] << 16 | (u64)last_seen[2] << 32 |
	       (u64)delivered << 48;
}

static void look(unsigned int n, u32 gsi)
{
	struct port_route route[PORT_ROUTES_PER_GSI];
	u32 vector;

	DET_CHECK(port_ops.map_gsi(routes.vm, gsi, route) == 1);
	vector = route[0].words[2];
	DET_CHECK(route_fits(vector, gsi, 0));
	data_race(last_seen[n] = vector);
}

static void update_and_lookup(unsigned int n)
{
	u32 first;

	if (!n) {
		route_table_use(1);
		return;
	}
	look(n, 1);
	first = data_race(last_seen[n]);
	look(n, 0);
	DET_CHECK(data_race(last_seen[n]) / 16 >= first / 16);
}

static void on_event(void *arg, int fd, const struct port_event *ev)
{
	DET_CHECK(route_fits(ev->route.words[2], 1, 0));
	data_race(delivered++);
}

static void setup_delivery(void)
{
	routes_setup();
	port_ops.set_event_sink(on_event, NULL);
}

static void update_and_delivery(unsigned int n)
{
	struct kvm_irq_level line = { .irq = 1, .level = 1 };

	if (n)
		DET_CHECK(!port_ops.ioctl(routes.vm, KVM_IRQ_LINE, (unsigned long)&line));
	else
		route_table_use(1);
}

/* An array of the right size is idle when the updates begin. */
static void setup_idle(void)
{
	routes_setup();
	route_table_use(1);
	route_table_use(0);
}

static void one_delivered(void)
{
	DET_CHECK(delivered == 1);
	port_ops.set_event_sink(NULL, NULL);
	routes_end();
}

static void two_updates(unsigned int n)
{
	route_table_use(n + 1);
}

/* A reader that keeps its table over two updates: an array that is reused must not be its. */
static void slow_reader(unsigned int n)
{
	struct port_route route[PORT_ROUTES_PER_GSI];
	const void *table;
	u32 vector;
	int idx;

	if (!n) {
		route_table_use(1);
		route_table_use(2);
		return;
	}
	idx = port_ops.reader_enter(routes.vm);
	table = port_ops.reader_table(routes.vm);
	DET_CHECK(port_ops.table_gsi(table, 1, route) == 1);
	vector = route[0].words[2];
	DET_CHECK(port_ops.table_gsi(table, 0, route) == 1);
	DET_CHECK(route[0].words[2] / 16 == vector / 16);
	port_ops.reader_leave(routes.vm, idx);
	data_race(last_seen[n] = vector);
}

/* What one update gives back the other may take, while the reader still has it. */
static void two_updates_and_lookup(unsigned int n)
{
	if (n < 2)
		route_table_use(n + 1);
	else
		look(n, 1);
}

/* A pin has one GSI or the other at every moment. */
static void setup_pins(void)
{
	struct kvm_irq_routing_entry *e = &routes.tables[1].entries[1];

	routes_vm(false);
	*e = (struct kvm_irq_routing_entry){ .gsi = 1, .type = KVM_IRQ_ROUTING_IRQCHIP };
	e->u.irqchip.irqchip = KVM_IRQCHIP_IOAPIC;
	e->u.irqchip.pin = 5;
}

static void update_and_pin(unsigned int n)
{
	int gsi;

	if (!n) {
		route_table_use(1);
		return;
	}
	gsi = port_ops.map_pin(routes.vm, KVM_IRQCHIP_IOAPIC, 5);
	DET_CHECK(gsi == 5 || gsi == 1);
	data_race(last_seen[n] = gsi);
}

/* An interrupt that comes at any event of the update, and looks a GSI up itself. */
static void update_only(unsigned int n)
{
	route_table_use(1);
}

static void look_in_handler(unsigned int n)
{
	look(2 + n, 1);
}

ROUTES(route_update_lookup, "route-update-lookup", "a route update against two lookups", 2,
       .setup = routes_setup, .state = seen, .actor = update_and_lookup, .final = routes_end);
ROUTES(route_update_delivery, "route-update-delivery",
       "a route update against an interrupt's delivery", 2, .setup = setup_delivery, .state = seen,
       .actor = update_and_delivery, .final = one_delivered);
ROUTES(route_update_update, "route-update-update", "two route updates of one VM", 2,
       .setup = routes_setup, .state = seen, .actor = two_updates, .final = routes_end);
ROUTES(route_updates_lookup, "route-updates-lookup", "two route updates against a lookup", 3,
       .setup = routes_setup, .state = seen, .actor = two_updates_and_lookup, .final = routes_end);
ROUTES(route_update_irq, "route-update-irq",
       "a GSI that an interrupt looks up in the middle of an update", 1, .nr_irqs = 1,
       .setup = routes_setup, .state = seen, .actor = update_only, .irq = look_in_handler,
       .final = routes_end);
ROUTES(route_update_pin, "route-update-pin", "a route update against the lookup of a pin", 2,
       .setup = setup_pins, .state = seen, .actor = update_and_pin, .final = routes_end);
ROUTES(route_update_reuse, "route-update-reuse", "two route updates where one array is idle", 2,
       .setup = setup_idle, .state = seen, .actor = two_updates, .final = routes_end);
ROUTES(route_update_slow_reader, "route-update-slow-reader",
       "two route updates against a reader that keeps its table", 2, .setup = routes_setup,
       .state = seen, .actor = slow_reader, .final = routes_end);

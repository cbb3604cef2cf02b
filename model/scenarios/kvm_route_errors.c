// SPDX-License-Identifier: GPL-2.0-only
/*
 * Updates that fail, and tables of other kinds: a reader sees the old table as it was, memory that
 * held a route of another type does not show.
 */
#include <sim/fault.h>

#include "kvm_routes.h"

static u32 last_seen;

static u64 what_was_seen(void)
{
	return last_seen;
}

static void look(u32 gsi, struct port_route *route)
{
	struct port_route found[PORT_ROUTES_PER_GSI];

	DET_CHECK(port_ops.map_gsi(routes.vm, gsi, found) == 1);
	*route = found[0];
	data_race(last_seen = route->words[2]);
}

/* ---- refused: the second route of table 2 has a flag that no kernel knows ---- */

static void setup_refused(void)
{
	routes_setup();
	routes.tables[2].entries[1].flags = 1u << 31;
}

static void refused_or_look(unsigned int n)
{
	struct port_route route;
	long ret;

	if (n) {
		look(1, &route);
		DET_CHECK(route_fits(route.words[2], 1, 0));
		return;
	}
	ret = port_ops.ioctl(routes.vm, KVM_SET_GSI_ROUTING, (unsigned long)&routes.tables[2]);
	DET_CHECK(ret == -EINVAL);
	route_table_use(1);
}

/* ---- every allocation of an update fails in turn ---- */

static void failing_or_look(unsigned int n)
{
	struct port_route route;
	unsigned long nth = 1;
	bool hit;
	long ret;

	if (n) {
		look(0, &route);
		DET_CHECK(route_fits(route.words[2], 0, 0));
		return;
	}
	do {
		sim_fail_nth_set(nth++);
		ret = port_ops.ioctl(routes.vm, KVM_SET_GSI_ROUTING,
				     (unsigned long)&routes.tables[1]);
		hit = sim_fail_nth_hit();
		sim_fail_nth_set(0);
		/* A kvmalloc goes on after its first attempt. */
		DET_CHECK(!ret || (hit && ret == -ENOMEM));
	} while (hit);
}

/* ---- a message's entry in memory that held a Xen event channel ---- */

static void make_event_channels(struct route_table *t)
{
	int i;

	for (i = 0; i < NR_ROUTES; i++) {
		struct kvm_irq_routing_entry *e = &t->entries[i];

		*e = (struct kvm_irq_routing_entry){ .gsi = i, .type = KVM_IRQ_ROUTING_XEN_EVTCHN };
		e->u.xen_evtchn.port = 1000 + i;
		e->u.xen_evtchn.priority = KVM_IRQ_ROUTING_XEN_EVTCHN_PRIO_2LEVEL;
	}
}

static void setup_other_type(void)
{
	routes_vm(true);
	make_event_channels(&routes.tables[0]);
	route_table_use(0);
	route_table_use(1);
}

/* x86 leaves msi.flags and msi.devid of an entry as they are: zero. */
static void other_type_or_look(unsigned int n)
{
	struct port_route route;

	if (!n) {
		route_table_use(2);
		return;
	}
	look(1, &route);
	DET_CHECK(route_fits(route.words[2], 1, 1));
	DET_CHECK(!route.words[3] && !route.words[4]);
}

/* ---- the largest table ---- */

static struct {
	u32 nr, flags;
	struct kvm_irq_routing_entry entries[PORT_MAX_GSI];
} largest;

static void setup_largest(void)
{
	unsigned int i;

	routes_vm(true);
	largest.nr = PORT_MAX_GSI;
	for (i = 0; i < PORT_MAX_GSI; i++) {
		struct kvm_irq_routing_entry *e = &largest.entries[i];

		e->gsi = i;
		e->type = KVM_IRQ_ROUTING_MSI;
		e->u.msi.address_lo = 0xfee00000;
		e->u.msi.data = i;
	}
	DET_CHECK(!port_ops.ioctl(routes.vm, KVM_SET_GSI_ROUTING, (unsigned long)&largest));
}

/* Two readers: replacing four thousand entries takes more events than one execution may have. */
static void look_at_an_end(unsigned int n)
{
	struct port_route route;
	u32 gsi = n ? PORT_MAX_GSI - 1 : 0;

	look(gsi, &route);
	DET_CHECK(route.words[2] == gsi);
}

ROUTES(route_update_refused, "route-update-refused",
       "an update that is refused, then one that is not, against a lookup", 2,
       .setup = setup_refused, .actor = refused_or_look, .final = routes_end,
       .state = what_was_seen);
ROUTES(route_update_failing, "route-update-failing",
       "an update whose allocations fail in turn, against a lookup", 2, .setup = routes_setup,
       .actor = failing_or_look, .final = routes_end, .state = what_was_seen);
ROUTES(route_update_other_type, "route-update-other-type",
       "memory that held a route of another type, against a lookup", 2, .setup = setup_other_type,
       .actor = other_type_or_look, .final = routes_end, .state = what_was_seen);
ROUTES(route_largest, "route-largest-table", "lookups at both ends of a table of 4096 routes", 2,
       .setup = setup_largest, .actor = look_at_an_end, .final = routes_end);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * An irqfd whose interrupts come from a device past the host: its remapping entry follows the route,
 * whoever comes and goes meanwhile.
 */
#include "kvm_irqfds.h"

#define HOST_IRQ 40
#define GSI	 1

static int fd = -1;

static struct port_irte entry(void)
{
	struct port_irte e = { 0 };

	DET_CHECK(!port_ops.irte(HOST_IRQ, &e));
	return e;
}

static u64 posted(void)
{
	return entry().posted;
}

static void setup(void)
{
	routes_setup();
	fd = new_eventfd();
	DET_CHECK(!irqfd_assign(routes.vm, fd, GSI));
}

static void setup_posted(void)
{
	setup();
	DET_CHECK(!port_ops.producer_add(fd, HOST_IRQ));
	DET_CHECK(entry().posted && route_fits(entry().vector, GSI, 0));
}

static void end(void)
{
	DET_CHECK(!entry().posted);
	routes_close(&fd);
	routes_end();
}

static void add_or_update(unsigned int n)
{
	if (n)
		route_table_use(1);
	else
		DET_CHECK(!port_ops.producer_add(fd, HOST_IRQ));
}

/* By the new route, whichever came first. */
static void end_posted(void)
{
	DET_CHECK(entry().posted && route_fits(entry().vector, GSI, 1));
	DET_CHECK(!port_ops.producer_remove(HOST_IRQ));
	DET_CHECK(!irqfd_deassign(routes.vm, fd, GSI));
	end();
}

static void remove_or_update(unsigned int n)
{
	if (n)
		route_table_use(1);
	else
		DET_CHECK(!port_ops.producer_remove(HOST_IRQ));
}

static void end_removed(void)
{
	DET_CHECK(!irqfd_deassign(routes.vm, fd, GSI));
	end();
}

static void deassign_or_update(unsigned int n)
{
	if (n)
		route_table_use(1);
	else
		DET_CHECK(!irqfd_deassign(routes.vm, fd, GSI));
}

static void end_deassigned(void)
{
	DET_CHECK(!entry().posted);
	DET_CHECK(!port_ops.producer_remove(HOST_IRQ));
	end();
}

static void deassign_or_remove(unsigned int n)
{
	if (n)
		DET_CHECK(!port_ops.producer_remove(HOST_IRQ));
	else
		DET_CHECK(!irqfd_deassign(routes.vm, fd, GSI));
}

/* ---- tables after which nothing can be posted ---- */

static void make_unpostable(struct route_table *t)
{
	t->nr = 1; /* GSI 1 and beyond have no route */
}

static void setup_unpostable(void)
{
	setup_posted();
	make_unpostable(&routes.tables[1]);
}

static void end_unposted(void)
{
	DET_CHECK(!entry().posted);
	DET_CHECK(!port_ops.producer_remove(HOST_IRQ));
	DET_CHECK(!irqfd_deassign(routes.vm, fd, GSI));
	end();
}

static void update_or_update(unsigned int n)
{
	/* The same table twice: whoever is last, it is this one. */
	route_table_use(1);
}

ROUTES(bypass_add_update, "irqfd-bypass-add-update", "a producer that comes against a route update",
       2, .setup = setup, .actor = add_or_update, .final = end_posted, .state = posted);
ROUTES(bypass_remove_update, "irqfd-bypass-remove-update",
       "a producer that goes against a route update", 2, .setup = setup_posted,
       .actor = remove_or_update, .final = end_removed, .state = posted);
ROUTES(bypass_deassign_update, "irqfd-bypass-deassign-update",
       "a posted irqfd deassigned against a route update", 2, .setup = setup_posted,
       .actor = deassign_or_update, .final = end_deassigned, .state = posted);
ROUTES(bypass_deassign_remove, "irqfd-bypass-deassign-remove",
       "a posted irqfd deassigned against its producer that goes", 2, .setup = setup_posted,
       .actor = deassign_or_remove, .final = end, .state = posted);
ROUTES(bypass_unroute, "irqfd-bypass-unroute", "a posted irqfd whose GSI loses its route, twice", 2,
       .setup = setup_unpostable, .actor = update_or_update, .final = end_unposted,
       .state = posted);

/* ---- many that are registered ---- */

#define MOST 16

static int fds[MOST + 1];
static unsigned int nr_producers;

static void setup_producers(unsigned int nr)
{
	unsigned int i;

	routes_setup();
	nr_producers = nr;
	for (i = 0; i <= nr; i++) {
		fds[i] = new_eventfd();
		if (i < nr)
			DET_CHECK(!port_ops.producer_add(fds[i], HOST_IRQ + i));
	}
}

static void setup_few(void)
{
	setup_producers(2);
}

static void setup_many(void)
{
	setup_producers(MOST);
}

static void one_more(unsigned int n)
{
	DET_CHECK(!port_ops.producer_add(fds[nr_producers], HOST_IRQ + nr_producers));
}

static void end_producers(void)
{
	unsigned int i;

	for (i = 0; i <= nr_producers; i++) {
		DET_CHECK(!port_ops.producer_remove(HOST_IRQ + i));
		routes_close(&fds[i]);
	}
	routes_end();
}

ROUTES(bypass_third, "irqfd-bypass-third", "a producer beside 2 others", 1, .setup = setup_few,
       .actor = one_more, .final = end_producers);
ROUTES(bypass_seventeenth, "irqfd-bypass-seventeenth", "a producer beside 16 others", 1,
       .setup = setup_many, .actor = one_more, .final = end_producers);

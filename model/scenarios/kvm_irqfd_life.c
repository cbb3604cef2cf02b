// SPDX-License-Identifier: GPL-2.0-only
/*
 * One eventfd's irqfd comes to be, is written to and goes, all at once.
 */
#include "kvm_irqfds.h"

static int fd = -1, other_vm = -1;
static long answers[2];

static u64 outcome(void)
{
	return (u8)answers[0] | (u64)(u8)answers[1] << 8 | (u64)injections() << 16;
}

static void setup(void)
{
	routes_setup();
	fd = new_eventfd();
	count_injections();
}

static void setup_assigned(void)
{
	setup();
	DET_CHECK(!irqfd_assign(routes.vm, fd, 1));
}

static void setup_signalled(void)
{
	setup();
	write_eventfd(fd);
}

static void end(void)
{
	port_ops.set_event_sink(NULL, NULL);
	routes_close(&fd);
	routes_close(&other_vm);
	routes_end();
}

static void end_unassigned(void)
{
	DET_CHECK(!irqfd_deassign(routes.vm, fd, 1));
	end();
}

/* ---- assign against deassign ---- */

static void assign_or_deassign(unsigned int n)
{
	answers[n] = n ? irqfd_deassign(routes.vm, fd, 1) : irqfd_assign(routes.vm, fd, 1);
	DET_CHECK(!answers[n]);
}

/* ---- deassign against a route update ---- */

static void deassign_or_update(unsigned int n)
{
	if (n)
		route_table_use(1);
	else
		DET_CHECK(!irqfd_deassign(routes.vm, fd, 1));
}

/* ---- the last close against deassign ---- */

static void hang_up_or_deassign(unsigned int n)
{
	int was = fd;

	if (n) {
		/* Too late for it to name the eventfd. */
		answers[n] = irqfd_deassign(routes.vm, was, 1);
		DET_CHECK(!answers[n] || answers[n] == -EBADF);
		return;
	}
	DET_CHECK(!port_ops.close(was));
}

static void end_hung_up(void)
{
	fd = -1;
	end();
}

/* ---- a write against assign ---- */

static void write_or_assign(unsigned int n)
{
	if (n)
		write_eventfd(fd);
	else
		DET_CHECK(!irqfd_assign(routes.vm, fd, 1));
}

/* Before or after: it is injected once. What was written before stays counted until the end. */
static void injected_once(void)
{
	DET_CHECK(injections() == 1);
	DET_CHECK(!irqfd_deassign(routes.vm, fd, 1));
	DET_CHECK(!read_eventfd(fd));
	end();
}

/* ---- a write against a route update: a route whole, the old one or the new one ---- */

static void write_or_update(unsigned int n)
{
	if (n)
		route_table_use(1);
	else
		write_eventfd(fd);
}

/* ---- two eventfds: one assigned, the other closed ---- */

static int assigned_fd = -1;

static void setup_two_eventfds(void)
{
	setup_assigned();
	assigned_fd = fd;
	fd = new_eventfd();
}

static void assign_or_hang_up(unsigned int n)
{
	if (n)
		DET_CHECK(!port_ops.close(assigned_fd));
	else
		DET_CHECK(!irqfd_assign(routes.vm, fd, 1));
}

/* ---- two VMs on one eventfd ---- */

static void setup_two_vms(void)
{
	setup();
	other_vm = another_vm();
}

static void assign_to_either(unsigned int n)
{
	answers[n] = irqfd_assign(n ? other_vm : routes.vm, fd, n);
	DET_CHECK(!answers[n] || answers[n] == -EBUSY);
}

static void end_two_vms(void)
{
	/* 6.12: each has it, and one hears of nothing. 6.17: one has it. */
	DET_CHECK(!answers[0] || !answers[1]);
	write_eventfd(fd);
	DET_CHECK(!irqfd_deassign(routes.vm, fd, 0));
	DET_CHECK(!irqfd_deassign(other_vm, fd, 1));
	DET_CHECK(injections() == 1);
	end();
}

/* ---- shutdown against the VM's end ---- */

static void setup_last_descriptor(void)
{
	setup_assigned();
	routes_close(&routes.vcpu);
}

static void hang_up_or_destroy(unsigned int n)
{
	DET_CHECK(!port_ops.close(n ? routes.vm : fd));
}

static void end_destroyed(void)
{
	fd = routes.vm = -1;
	end();
}

ROUTES(irqfd_assign_deassign, "irqfd-assign-deassign",
       "an eventfd assigned against its deassigning", 2, .setup = setup,
       .actor = assign_or_deassign, .final = end_unassigned, .state = outcome);
ROUTES(irqfd_assign_signalled, "irqfd-assign-signalled",
       "an eventfd that was written to, assigned against its deassigning", 2,
       .setup = setup_signalled, .actor = assign_or_deassign, .final = end_unassigned,
       .state = outcome);
ROUTES(irqfd_deassign_update, "irqfd-deassign-update", "an irqfd deassigned against a route update",
       2, .setup = setup_assigned, .actor = deassign_or_update, .final = end, .state = outcome);
ROUTES(irqfd_hangup_deassign, "irqfd-hangup-deassign",
       "the last close of an eventfd against its deassigning", 2, .setup = setup_assigned,
       .actor = hang_up_or_deassign, .final = end_hung_up, .state = outcome);
ROUTES(irqfd_write_assign, "irqfd-write-assign", "a write to an eventfd against its assigning", 2,
       .setup = setup, .actor = write_or_assign, .final = injected_once, .state = outcome);
ROUTES(irqfd_write_update, "irqfd-write-update", "a write to an irqfd against a route update", 2,
       .setup = setup_assigned, .actor = write_or_update, .final = injected_once, .state = outcome);
ROUTES(irqfd_assign_hangup, "irqfd-assign-hangup",
       "an eventfd assigned against the last close of another one", 2, .setup = setup_two_eventfds,
       .actor = assign_or_hang_up, .final = end_unassigned, .state = outcome);
ROUTES(irqfd_two_vms, "irqfd-two-vms", "one eventfd assigned to two VMs", 2, .setup = setup_two_vms,
       .actor = assign_to_either, .final = end_two_vms, .state = outcome);
ROUTES(irqfd_shutdown_destroy, "irqfd-shutdown-destroy",
       "the last close of an eventfd against that of its VM", 2, .setup = setup_last_descriptor,
       .actor = hang_up_or_destroy, .final = end_destroyed, .state = outcome);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration that is unique on the host: of two VMs that want an eventfd one has it.
 */
#include "kvm_irqfds.h"

static int fd = -1, other_vm = -1;
static long answers[2];

static void setup(void)
{
	routes_setup();
	fd = new_eventfd();
	other_vm = another_vm();
}

static void assign_to_either(unsigned int n)
{
	answers[n] = irqfd_assign(n ? other_vm : routes.vm, fd, n);
}

static void one_has_it(void)
{
	DET_CHECK(answers[0] + answers[1] == -EBUSY);
	DET_CHECK(!irqfd_deassign(routes.vm, fd, 0));
	DET_CHECK(!irqfd_deassign(other_vm, fd, 1));
	/* Nobody has it any more: the other one can. */
	DET_CHECK(!irqfd_assign(answers[0] ? routes.vm : other_vm, fd, 0));
	routes_close(&fd);
	routes_close(&other_vm);
	routes_end();
}

static u64 who_has_it(void)
{
	return (u8)answers[0];
}

ROUTES(irqfd_unique, "irqfd-unique", "one eventfd, which only one VM can have", 2, .setup = setup,
       .actor = assign_to_either, .final = one_has_it, .state = who_has_it);

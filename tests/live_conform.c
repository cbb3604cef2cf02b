// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random ioctls to every strategy and to this machine's own /dev/kvm, where it has one: same
 * answers.
 */
#include <stdio.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <port.h>
#include <sim/task.h>

#include "model/vmm/backend.h"
#include "model/vmm/live.h"
#include "model/vmm/live_irq.h"

#define CALLS	  600
#define IRQ_CALLS 4000

Test(live_conform, random_calls_have_the_same_answers, .timeout = 300)
{
	struct backend sim, real;
	struct live_result r;
	unsigned int i, strategies = 0;
	int fd;

	backend_real_init(&real);
	fd = real.open_kvm(&real);
	if (fd < 0)
		cr_skip_test("no /dev/kvm on this machine");
	real.close(&real, fd);

	sim_init();
	for (i = 0; i < irqsim_nr_ports; i++) {
		if (irqsim_ports[i].kind[0] != 's')
			continue;
		backend_port_init(&sim, &irqsim_ports[i]);
		cr_assert_eq(live_compare(&sim, &real, 20 + i, CALLS, &r), 0, "%s: %s",
			     irqsim_ports[i].name, r.detail);
		cr_expect(!r.differs, "%s: %s\n%s", irqsim_ports[i].name, r.detail,
			  r.json ? r.json : "");
		cr_expect(r.differs || r.calls == CALLS);
		printf("live: %s: %u calls on %u VMs\n", irqsim_ports[i].name, r.calls, r.vms);
		live_result_free(&r);
		strategies++;
	}
	cr_assert_geq(strategies, 5);
}

/* Interrupts delivered, taken, scanned for and ended. One strategy: routing is compared above. */
Test(live_conform, interrupts_arrive_where_they_do, .timeout = 300)
{
	struct backend sim, real;
	struct live_irq_result r;
	int fd;

	backend_real_init(&real);
	fd = real.open_kvm(&real);
	if (fd < 0)
		cr_skip_test("no /dev/kvm on this machine");
	real.close(&real, fd);

	sim_init();
	backend_port_init(&sim, port_find("strategy", "cached"));
	cr_assert_eq(live_irq_compare(&sim, &real, 1, IRQ_CALLS, &r), 0, "%s", r.detail);
	cr_expect_not(r.differs, "%s\n%s", r.detail, r.sequence);
	cr_expect_eq(r.calls, IRQ_CALLS);
	/* What is compared has to happen. */
	cr_expect_gt(r.eois, 200);
	cr_expect_gt(r.acks, 20);
	cr_expect_gt(r.exits, 5);
	cr_expect_gt(r.irqfds, 100);
	cr_expect_gt(r.injected, 40);
	cr_expect_gt(r.resampled, 3);
	printf("live: %u calls on %u VMs, %u EOIs: %u heard by an IOAPIC, %u exits; %u irqfds, "
	       "%u injected, %u resampled\n",
	       r.calls, r.vms, r.eois, r.acks, r.exits, r.irqfds, r.injected, r.resampled);
	live_irq_free(&r);
}

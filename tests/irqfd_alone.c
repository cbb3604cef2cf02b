// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that is alone (sim_set_alone()) does what workers do elsewhere: when a system call
 * returns, everything that it queued has been done.
 */
#include <sim/task.h>

#include "irqfd_vm.h"

/* An ISA line: PIC and IOAPIC, which an irqfd reaches by a work item. It goes up and down. */
#define GSI	    4
#define LINE_EVENTS 4

Test(irqfd_alone, work_is_done_when_the_call_returns)
{
	const struct port *port;
	int fd, other;

	sim_set_alone();
	for_each_port(port) {
		struct vm vm = vm_make(port, FULL_CHIP);

		begin_events(&vm);
		fd = new_eventfd(&vm);
		signal_fd(&vm, fd);
		cr_assert_eq(assign(&vm, fd, GSI), 0);
		cr_expect_eq(seen.nr, LINE_EVENTS, "%u at the assignment", seen.nr);
		signal_fd(&vm, fd);
		signal_fd(&vm, fd);
		cr_expect_eq(seen.nr, 3 * LINE_EVENTS, "%u after two writes", seen.nr);
		cr_assert_eq(deassign(&vm, fd, GSI), 0);

		/* The last close of an eventfd takes its irqfds with it, at once. */
		cr_assert_eq(assign(&vm, fd, GSI), 0);
		other = new_eventfd(&vm);
		cr_assert_eq(irqfd(&vm, other, GSI, KVM_IRQFD_FLAG_RESAMPLE, fd), 0);
		vm.ops->close(fd);
		vm.ops->close(other);
		vm.ops->set_event_sink(NULL, NULL);
		vm_end(&vm);
	}
}

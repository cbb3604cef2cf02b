// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqfds whose interrupts come from a device past the host: when they are posted, and how often the
 * remapping entry is written.
 */
#include <stdlib.h>

#include "irqfd_vm.h"

#define HOST_IRQ 40

static struct port_irte entry_of(struct vm *vm)
{
	struct port_irte e;

	cr_assert_eq(vm->ops->irte(HOST_IRQ, &e), 0);
	return e;
}

/* Bug 515a0c79e796's other half: a table in which the message is the same writes no entry. */
Test(irqfd_bypass, the_entry_follows_the_route)
{
	const struct port *port;
	uint64_t updates;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		int vcpu = vm.ops->ioctl(vm.fd, KVM_CREATE_VCPU, 0), fd;
		struct table *t = msi_table(4, 0x40);

		fd = new_eventfd(&vm);
		cr_assert_eq(vm_set(&vm, t), 0);
		cr_assert_eq(assign(&vm, fd, 2), 0);
		updates = entry_of(&vm).updates;
		cr_assert_eq(vm.ops->producer_add(fd, HOST_IRQ), 0);
		cr_expect_eq(vm.ops->producer_add(fd, HOST_IRQ + 1), -EBUSY);
		cr_expect(entry_of(&vm).posted);
		cr_expect_eq(entry_of(&vm).vector, 0x40);
		cr_expect_eq(entry_of(&vm).updates, updates + 1);

		cr_assert_eq(vm_set(&vm, t), 0);
		t->entries[1].u.msi.data = 0x77; /* another GSI's */
		cr_assert_eq(vm_set(&vm, t), 0);
		cr_expect_eq(entry_of(&vm).updates, updates + 1);

		t->entries[2].u.msi.data = 0x41;
		cr_assert_eq(vm_set(&vm, t), 0);
		cr_expect_eq(entry_of(&vm).vector, 0x41);
		cr_expect_eq(entry_of(&vm).updates, updates + 2);

		/* No vCPU of that number: through the host. */
		t->entries[2].u.msi.address_lo = 0xfee05000;
		cr_assert_eq(vm_set(&vm, t), 0);
		cr_expect_not(entry_of(&vm).posted);
		t->entries[2].u.msi.address_lo = 0xfee00000;
		cr_assert_eq(vm_set(&vm, t), 0);
		cr_expect(entry_of(&vm).posted);

		cr_assert_eq(deassign(&vm, fd, 2), 0);
		cr_expect_not(entry_of(&vm).posted);
		cr_assert_eq(assign(&vm, fd, 2), 0);
		cr_expect(entry_of(&vm).posted);
		cr_assert_eq(vm.ops->producer_remove(HOST_IRQ), 0);
		cr_expect_not(entry_of(&vm).posted);
		vm.ops->close(fd);
		vm.ops->close(vcpu);
		free(t);
		vm_end(&vm);
	}
}

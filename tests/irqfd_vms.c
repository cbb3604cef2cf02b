// SPDX-License-Identifier: GPL-2.0-only
/*
 * One eventfd and two VMs, as when a guest migrates to another process of the same host: until 6.16
 * both may have it, and the first gets what is written; from 6.17 on (2cdd64cbf990) the second is
 * refused.
 */
#include <stdlib.h>
#include <string.h>

#include "irqfd_vm.h"

static struct vm second_vm(struct vm *first, struct table *t)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	struct vm vm = *first;

	vm.fd = vm.ops->ioctl(vm.kvm, KVM_CREATE_VM, 0);
	cr_assert_geq(vm.fd, 0);
	cr_assert_eq(vm.ops->ioctl(vm.fd, KVM_ENABLE_CAP, (unsigned long)&split), 0);
	cr_assert_eq(vm_set(&vm, t), 0);
	return vm;
}

Test(irqfd_vms, one_eventfd_for_two)
{
	const struct port *port;

	for_each_port(port) {
		bool unique = strstr(port->name, "+unique");
		struct vm vm = vm_make(port, SPLIT_CHIP), other;
		struct table *t = msi_table(4, 0x40);
		int fd = new_eventfd(&vm);

		cr_assert_eq(vm_set(&vm, t), 0);
		other = second_vm(&vm, t);
		begin_events(&vm);

		cr_expect_eq(assign(&vm, fd, 1), 0);
		cr_expect_eq(assign(&vm, fd, 2), -EBUSY, "twice in one VM");
		cr_expect_eq(assign(&other, fd, 3), unique ? -EBUSY : 0);
		signal_fd(&vm, fd);
		settle(&vm);
		expect_event(1, 1, 0x40);

		cr_expect_eq(deassign(&other, fd, 3), 0);
		signal_fd(&vm, fd);
		settle(&vm);
		expect_event(1, 1, 0x40);

		/* Given up by one, free for the other. */
		cr_expect_eq(deassign(&vm, fd, 1), 0);
		cr_expect_eq(assign(&other, fd, 3), 0);
		signal_fd(&vm, fd);
		settle(&other);
		expect_event(1, 3, 0x40);

		vm.ops->set_event_sink(NULL, NULL);
		vm.ops->close(fd);
		vm.ops->close(other.fd);
		free(t);
		vm_end(&vm);
	}
}

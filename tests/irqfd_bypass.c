// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqfds whose interrupts come from a device past the host: when they are posted, and how often the
 * remapping entry is written.
 */
#include <stdlib.h>
#include <string.h>

#include "irqfd_vm.h"

#define HOST_IRQ 40

static struct port_irte entry_of(struct vm *vm)
{
	struct port_irte e;

	cr_assert_eq(vm->ops->irte(HOST_IRQ, &e), 0);
	return e;
}

/* Until 5.15 every update wrote every entry. */
static bool writes_always(const struct port *port)
{
	return strstr(port->name, "+always");
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
		if (writes_always(port)) {
			cr_expect_gt(entry_of(&vm).updates, updates + 1);
			updates = entry_of(&vm).updates - 1;
		}
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

/* An irqfd of any GSI may be bypassed: one that no table can route goes through the host. */
Test(irqfd_bypass, any_gsi_has_an_entry)
{
	static const uint32_t gsis[] = { 5, 4095, 4096, 0x7fffffff, 0xffffffff };
	const struct port *port;
	unsigned int i;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct table *t = msi_table(4, 0x40);
		int fd = new_eventfd(&vm);

		for (i = 0; i < sizeof(gsis) / sizeof(*gsis); i++) {
			cr_assert_eq(assign(&vm, fd, gsis[i]), 0);
			cr_assert_eq(vm.ops->producer_add(fd, HOST_IRQ), 0);
			cr_assert_eq(vm_set(&vm, t), 0);
			cr_expect_not(entry_of(&vm).posted);
			cr_assert_eq(vm.ops->producer_remove(HOST_IRQ), 0);
			cr_assert_eq(deassign(&vm, fd, gsis[i]), 0);
		}
		vm.ops->close(fd);
		free(t);
		vm_end(&vm);
	}
}

/* Intel SDM vol. 3, "Message Signalled Interrupts": bits 10 to 8 of the data, bit 2 of the address */
static const struct {
	const char *what;
	uint32_t address_lo, data;
	bool posted;
	uint32_t vcpu, vector;
} messages[] = {
	{ "fixed", 0xfee01000, 0x41, true, 1, 0x41 },
	{ "lowest priority, of one", 0xfee01000, 0x142, true, 1, 0x42 },
	{ "SMI", 0xfee01000, 0x200, false, 0, 0 },
	{ "NMI", 0xfee01000, 0x400, false, 0, 0 },
	{ "INIT", 0xfee01000, 0x500, false, 0, 0 },
	{ "ExtINT", 0xfee01000, 0x743, false, 0, 0 },
	{ "fixed again", 0xfee00000, 0x44, true, 0, 0x44 },
	{ "broadcast", 0xfeeff000, 0x45, false, 0, 0 },
	{ "to nobody", 0xfee05000, 0x46, false, 0, 0 },
	{ "logical, where no LAPIC has a logical id", 0xfee01004, 0x47, false, 0, 0 },
};

Test(irqfd_bypass, only_plain_messages_to_one_vcpu_are_posted)
{
	const struct port *port;
	unsigned int i;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		int vcpu[2], fd = new_eventfd(&vm);
		struct table *t = msi_table(4, 0x40);

		for (i = 0; i < 2; i++)
			vcpu[i] = vm.ops->ioctl(vm.fd, KVM_CREATE_VCPU, i);
		cr_assert_eq(vm_set(&vm, t), 0);
		cr_assert_eq(assign(&vm, fd, 2), 0);
		cr_assert_eq(vm.ops->producer_add(fd, HOST_IRQ), 0);
		cr_expect(entry_of(&vm).posted);
		for (i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
			t->entries[2].u.msi.address_lo = messages[i].address_lo;
			t->entries[2].u.msi.data = messages[i].data;
			cr_assert_eq(vm_set(&vm, t), 0);
			cr_expect_eq(entry_of(&vm).posted, messages[i].posted, "%s",
				     messages[i].what);
			cr_expect_eq(entry_of(&vm).vcpu_id, messages[i].vcpu, "%s",
				     messages[i].what);
			cr_expect_eq(entry_of(&vm).vector, messages[i].vector, "%s",
				     messages[i].what);
		}
		/* Another type, the same bytes. */
		t->entries[2].u.msi.address_lo = 0xfee00000;
		cr_assert_eq(vm_set(&vm, t), 0);
		cr_expect(entry_of(&vm).posted);
		t->entries[2].type = KVM_IRQ_ROUTING_HV_SINT;
		cr_expect_eq(vm_set(&vm, t), 0);
		cr_expect_not(entry_of(&vm).posted);

		cr_assert_eq(vm.ops->producer_remove(HOST_IRQ), 0);
		vm.ops->close(fd);
		vm.ops->close(vcpu[0]);
		vm.ops->close(vcpu[1]);
		free(t);
		vm_end(&vm);
	}
}

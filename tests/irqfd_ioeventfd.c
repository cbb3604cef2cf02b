// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioeventfds: which of a guest's writes signal which eventfd (KVM_IOEVENTFD in
 * Documentation/virt/kvm/api.rst). And an epoll set beside an irqfd.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "irqfd_vm.h"

#define PORT_ADDR 0xc000
#define MEM_ADDR  0xfeb00000

static long io(struct vm *vm, int fd, uint64_t addr, uint32_t len, uint32_t flags, uint64_t match)
{
	struct kvm_ioeventfd args = {
		.fd = fd, .addr = addr, .len = len, .flags = flags, .datamatch = match
	};

	return vm->ops->ioctl(vm->fd, KVM_IOEVENTFD, (unsigned long)&args);
}

static uint64_t count_of(struct vm *vm, int fd)
{
	uint64_t n = 0;

	vm->ops->read(fd, &n);
	return n;
}

static int out(struct vm *vm, int vcpu, uint64_t addr, uint64_t value, unsigned int len)
{
	return vm->ops->vcpu_write(vcpu, true, addr, &value, len);
}

static int store(struct vm *vm, int vcpu, uint64_t addr, uint64_t value, unsigned int len)
{
	return vm->ops->vcpu_write(vcpu, false, addr, &value, len);
}

static struct vm with_vcpu(const struct port *port, int *vcpu)
{
	struct vm vm = vm_make(port, SPLIT_CHIP);

	*vcpu = vm.ops->ioctl(vm.fd, KVM_CREATE_VCPU, 0);
	cr_assert_geq(*vcpu, 0);
	return vm;
}

Test(irqfd_ioeventfd, address_width_and_value_decide)
{
	const uint32_t match = KVM_IOEVENTFD_FLAG_DATAMATCH, pio = KVM_IOEVENTFD_FLAG_PIO;
	const struct port *port;
	int vcpu, any, seven;

	for_each_port(port) {
		struct vm vm = with_vcpu(port, &vcpu);

		any = new_eventfd(&vm);
		seven = new_eventfd(&vm);
		cr_assert_eq(io(&vm, seven, PORT_ADDR, 2, pio | match, 7), 0);
		cr_assert_eq(io(&vm, any, MEM_ADDR, 0, 0, 0), 0);

		cr_expect_eq(out(&vm, vcpu, PORT_ADDR, 7, 2), 0);
		cr_expect_eq(out(&vm, vcpu, PORT_ADDR, 0x10007, 2), 0); /* 16 bits are written */
		cr_expect_eq(count_of(&vm, seven), 2);
		cr_expect_eq(out(&vm, vcpu, PORT_ADDR, 6, 2), -EOPNOTSUPP);
		cr_expect_eq(out(&vm, vcpu, PORT_ADDR, 7, 4), -EOPNOTSUPP);
		cr_expect_eq(out(&vm, vcpu, PORT_ADDR + 1, 7, 2), -EOPNOTSUPP);
		cr_expect_eq(store(&vm, vcpu, PORT_ADDR, 7, 2), -EOPNOTSUPP);
		cr_expect_eq(count_of(&vm, seven), 0);

		cr_expect_eq(store(&vm, vcpu, MEM_ADDR, 1, 1), 0);
		cr_expect_eq(store(&vm, vcpu, MEM_ADDR, 0, 8), 0);
		cr_expect_eq(store(&vm, vcpu, MEM_ADDR + 1, 1, 1), -EOPNOTSUPP);
		cr_expect_eq(count_of(&vm, any), 2);
		cr_expect_eq(count_of(&vm, seven), 0);

		/* The descriptors go, the VM still signals; what is deassigned is nobody's. */
		vm.ops->close(any);
		cr_expect_eq(store(&vm, vcpu, MEM_ADDR, 1, 1), 0);
		cr_assert_eq(
			io(&vm, seven, PORT_ADDR, 2, pio | match | KVM_IOEVENTFD_FLAG_DEASSIGN, 7),
			0);
		cr_expect_eq(out(&vm, vcpu, PORT_ADDR, 7, 2), -EOPNOTSUPP);
		vm.ops->close(seven);
		vm.ops->close(vcpu);
		vm_end(&vm);
	}
}

Test(irqfd_ioeventfd, a_vm_has_several_at_an_address)
{
	const uint32_t match = KVM_IOEVENTFD_FLAG_DATAMATCH;
	const struct port *port;
	int vcpu, fd[3], i;

	for_each_port(port) {
		struct vm vm = with_vcpu(port, &vcpu);

		for (i = 0; i < 3; i++)
			fd[i] = new_eventfd(&vm);
		cr_assert_eq(io(&vm, fd[0], MEM_ADDR, 4, match, 0), 0);
		cr_assert_eq(io(&vm, fd[1], MEM_ADDR, 4, match, 1), 0);
		cr_assert_eq(io(&vm, fd[2], MEM_ADDR, 8, 0, 0), 0);
		cr_expect_eq(io(&vm, fd[2], MEM_ADDR, 4, 0, 0), -EEXIST);
		for (i = 0; i < 2; i++) {
			cr_expect_eq(store(&vm, vcpu, MEM_ADDR, i, 4), 0);
			cr_expect_eq(count_of(&vm, fd[i]), 1);
			cr_expect_eq(count_of(&vm, fd[!i]), 0);
		}
		cr_expect_eq(store(&vm, vcpu, MEM_ADDR, 2, 4), -EOPNOTSUPP);
		cr_expect_eq(store(&vm, vcpu, MEM_ADDR, 2, 8), 0);
		cr_expect_eq(count_of(&vm, fd[2]), 1);
		/* Left to the VM's end. */
		for (i = 0; i < 3; i++)
			vm.ops->close(fd[i]);
		vm.ops->close(vcpu);
		vm_end(&vm);
	}
}

/* The doorbell is the interrupt: one eventfd is signalled by a write and injects. */
Test(irqfd_ioeventfd, a_write_injects)
{
	const struct port *port;
	int vcpu, fd;

	for_each_port(port) {
		struct vm vm = with_vcpu(port, &vcpu);
		struct table *t = msi_table(4, 0x40);

		cr_assert_eq(vm_set(&vm, t), 0);
		free(t);
		begin_events(&vm);
		fd = new_eventfd(&vm);
		cr_assert_eq(assign(&vm, fd, 2), 0);
		cr_assert_eq(io(&vm, fd, MEM_ADDR, 4, 0, 0), 0);
		cr_expect_eq(store(&vm, vcpu, MEM_ADDR, 1, 4), 0);
		expect_event(1, 2, 0x40);
		cr_expect_eq(count_of(&vm, fd), 0);
		vm.ops->close(fd);
		vm.ops->close(vcpu);
		vm_end(&vm);
	}
}

/*
 * What an irqfd takes wakes nobody behind it, even where it leaves a count: poll says so, a set is
 * not told.
 */
Test(irqfd_ioeventfd, a_set_sees_what_no_irqfd_took)
{
	const struct port *port;
	int vcpu, fd, set;

	for_each_port(port) {
		struct vm vm = with_vcpu(port, &vcpu);

		fd = vm.ops->eventfd(0, EFD_SEMAPHORE);
		set = vm.ops->epoll(fd);
		cr_assert_geq(set, 0);
		cr_expect_eq(vm.ops->poll(set), 0);
		cr_expect_eq(vm.ops->poll(fd), POLLOUT);
		vm.ops->write(fd, 1);
		cr_expect_eq(vm.ops->poll(set), POLLIN);
		cr_expect_eq(vm.ops->poll(fd), POLLIN | POLLOUT);
		cr_expect_eq(count_of(&vm, fd), 1);
		cr_expect_eq(vm.ops->poll(set), 0);

		cr_assert_eq(assign(&vm, fd, 2), 0);
		vm.ops->write(fd, 2);
		cr_expect_eq(vm.ops->poll(fd), POLLIN | POLLOUT);
		cr_expect_eq(vm.ops->poll(set), 0);
		cr_assert_eq(deassign(&vm, fd, 2), 0);
		vm.ops->write(fd, UINT64_MAX - 2);
		cr_expect_eq(vm.ops->poll(set), POLLIN);

		/* The last close takes it out of the set. */
		vm.ops->close(fd);
		cr_expect_eq(vm.ops->poll(set), 0);
		cr_expect_eq(vm.ops->poll(fd), -EBADF);
		cr_expect_eq(vm.ops->epoll(set), -EINVAL);
		vm.ops->close(set);
		vm.ops->close(vcpu);
		vm_end(&vm);
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of an irqfd: assigned, written to, routed anew, deassigned, hung up; alone and with
 * others. What is expected is what the real one does (KVM_IRQFD in Documentation/virt/kvm/api.rst;
 * the recorded answers in tests/oracle).
 */
#include <stdlib.h>
#include <string.h>

#include "irqfd_vm.h"

bool ports_with_variants = true;
struct seen seen;

static void on_event(void *arg, int vm_fd, const struct port_event *ev)
{
	(void)arg;
	seen.nr++;
	seen.vm_fd = vm_fd;
	seen.gsi = ev->gsi;
	seen.data = ev->route.words[2];
}

void begin_events(struct vm *vm)
{
	memset(&seen, 0, sizeof(seen));
	vm->ops->set_event_sink(on_event, NULL);
}

void expect_event(unsigned int nr, uint32_t gsi, uint32_t data)
{
	cr_expect_eq(seen.nr, nr, "%u injections, not %u", seen.nr, nr);
	if (nr) {
		cr_expect_eq(seen.gsi, gsi, "gsi %u, not %u", seen.gsi, gsi);
		cr_expect_eq(seen.data, data, "data %#x, not %#x", seen.data, data);
	}
	memset(&seen, 0, sizeof(seen));
}

/* Deassigning waits for the clean-up queue; the injection queue is waited for by each shutdown. */
void settle(struct vm *vm)
{
	int fd = new_eventfd(vm);

	cr_assert_eq(assign(vm, fd, 1), 0);
	cr_assert_eq(deassign(vm, fd, 1), 0);
	vm->ops->close(fd);
}

static struct vm vm_with_vcpu(const struct port *port, int *vcpu)
{
	struct vm vm = vm_make(port, SPLIT_CHIP);
	struct table *t = msi_table(4, 0x40);

	*vcpu = vm.ops->ioctl(vm.fd, KVM_CREATE_VCPU, 0);
	cr_assert_geq(*vcpu, 0);
	cr_assert_eq(vm_set(&vm, t), 0);
	free(t);
	begin_events(&vm);
	return vm;
}

static void vm_with_vcpu_end(struct vm *vm, int vcpu)
{
	vm->ops->set_event_sink(NULL, NULL);
	vm->ops->close(vcpu);
	vm_end(vm);
}

Test(irqfd_life, a_write_is_an_interrupt_and_is_consumed)
{
	const struct port *port;
	uint64_t count;
	int vcpu, fd;

	for_each_port(port) {
		struct vm vm = vm_with_vcpu(port, &vcpu);

		fd = new_eventfd(&vm);
		signal_fd(&vm, fd);
		expect_event(0, 0, 0);
		cr_expect_eq(vm.ops->read(fd, &count), 8);

		cr_assert_eq(assign(&vm, fd, 2), 0);
		signal_fd(&vm, fd);
		expect_event(1, 2, 0x40);
		cr_expect_eq(vm.ops->read(fd, &count), -EAGAIN);

		cr_assert_eq(deassign(&vm, fd, 2), 0);
		signal_fd(&vm, fd);
		expect_event(0, 0, 0);
		cr_expect_eq(vm.ops->read(fd, &count), 8);
		cr_expect_eq(count, 1);
		vm.ops->close(fd);
		vm_with_vcpu_end(&vm, vcpu);
	}
}

Test(irqfd_life, what_was_written_before_is_injected_once)
{
	const struct port *port;
	int vcpu, fd;

	for_each_port(port) {
		struct vm vm = vm_with_vcpu(port, &vcpu);

		fd = new_eventfd(&vm);
		signal_fd(&vm, fd);
		signal_fd(&vm, fd);
		cr_assert_eq(assign(&vm, fd, 2), 0);
		settle(&vm);
		/* A message, for the rising half only. */
		expect_event(1, 2, 0x40);
		vm.ops->close(fd);
		vm_with_vcpu_end(&vm, vcpu);
	}
}

Test(irqfd_life, the_next_write_takes_the_new_route)
{
	const struct port *port;
	struct table *t;
	int vcpu, fd;

	for_each_port(port) {
		struct vm vm = vm_with_vcpu(port, &vcpu);

		fd = new_eventfd(&vm);
		cr_assert_eq(assign(&vm, fd, 3), 0);
		t = msi_table(4, 0x51);
		cr_assert_eq(vm_set(&vm, t), 0);
		signal_fd(&vm, fd);
		expect_event(1, 3, 0x51);

		/* No route, nothing to inject: and back again. */
		t->head.nr = 1;
		cr_assert_eq(vm_set(&vm, t), 0);
		signal_fd(&vm, fd);
		settle(&vm);
		expect_event(0, 0, 0);
		t->head.nr = 4;
		cr_assert_eq(vm_set(&vm, t), 0);
		signal_fd(&vm, fd);
		expect_event(1, 3, 0x51);
		free(t);
		vm.ops->close(fd);
		vm_with_vcpu_end(&vm, vcpu);
	}
}

Test(irqfd_life, closing_the_eventfd_ends_it)
{
	const struct port *port;
	int vcpu, fd, again;

	for_each_port(port) {
		struct vm vm = vm_with_vcpu(port, &vcpu);

		fd = new_eventfd(&vm);
		again = vm.ops->dup(fd);
		cr_assert_eq(assign(&vm, fd, 2), 0);
		vm.ops->close(fd);
		/* Not the last descriptor. */
		signal_fd(&vm, again);
		expect_event(1, 2, 0x40);
		vm.ops->close(again);
		vm_with_vcpu_end(&vm, vcpu);
	}
}

Test(irqfd_life, the_vm_takes_its_irqfds_with_it)
{
	const struct port *port;
	uint64_t count;
	int vcpu, fd[3], i;

	for_each_port(port) {
		struct vm vm = vm_with_vcpu(port, &vcpu);
		int other = vm.ops->ioctl(vm.kvm, KVM_CREATE_VM, 0);
		struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
		struct vm second = vm;

		second.fd = other;
		cr_assert_eq(vm.ops->ioctl(other, KVM_ENABLE_CAP, (unsigned long)&split), 0);
		for (i = 0; i < 3; i++) {
			fd[i] = new_eventfd(&vm);
			cr_assert_eq(assign(&second, fd[i], i), 0);
		}
		vm.ops->close(other);
		for (i = 0; i < 3; i++) {
			signal_fd(&vm, fd[i]);
			cr_expect_eq(vm.ops->read(fd[i], &count), 8);
			/* Free for another VM. */
			cr_assert_eq(assign(&vm, fd[i], i), 0);
			vm.ops->close(fd[i]);
		}
		expect_event(0, 0, 0);
		vm_with_vcpu_end(&vm, vcpu);
	}
}

Test(irqfd_life, errors_as_the_kernel_gives_them)
{
	const struct port *port;
	int vcpu, fd, other, bare;

	for_each_port(port) {
		struct vm vm = vm_with_vcpu(port, &vcpu), no_chip = vm;

		fd = new_eventfd(&vm);
		other = vm.ops->open_other();
		bare = vm.ops->ioctl(vm.kvm, KVM_CREATE_VM, 0);
		no_chip.fd = bare;

		cr_expect_eq(assign(&no_chip, fd, 0), -EINVAL);
		cr_expect_eq(assign(&vm, 999, 0), -EBADF);
		cr_expect_eq(assign(&vm, -1, 0), -EBADF);
		cr_expect_eq(assign(&vm, other, 0), -EINVAL);
		cr_expect_eq(assign(&vm, vm.fd, 0), -EINVAL);
		cr_expect_eq(irqfd(&vm, fd, 0, 4, 0), -EINVAL);
		/* A split irqchip has no pins to keep up. */
		cr_expect_eq(irqfd(&vm, fd, 0, KVM_IRQFD_FLAG_RESAMPLE, fd), -EINVAL);
		cr_expect_eq(deassign(&vm, 999, 0), -EBADF);
		cr_expect_eq(deassign(&vm, other, 0), -EINVAL);
		cr_expect_eq(deassign(&vm, fd, 0), 0, "deassigning what is not there is fine");

		cr_expect_eq(assign(&vm, fd, 1), 0);
		cr_expect_eq(assign(&vm, fd, 1), -EBUSY);
		cr_expect_eq(assign(&vm, fd, 2), -EBUSY);
		/* Another GSI's: not this one. */
		cr_expect_eq(deassign(&vm, fd, 2), 0);
		signal_fd(&vm, fd);
		expect_event(1, 1, 0x40);
		/* GSIs are looked up when an interrupt comes: any number goes. */
		cr_expect_eq(deassign(&vm, fd, 1), 0);
		cr_expect_eq(assign(&vm, fd, 0xffffffff), 0);
		signal_fd(&vm, fd);
		settle(&vm);
		expect_event(0, 0, 0);
		vm.ops->close(fd);
		vm.ops->close(other);
		vm.ops->close(bare);
		vm_with_vcpu_end(&vm, vcpu);
	}
}

/* Each allocation of an assignment fails in turn; the next attempt works, and nothing is left. */
Test(irqfd_life, without_memory_nothing_changes)
{
	const struct port *port;
	unsigned long n;
	int vcpu, fd, refused = 0;
	long ret;

	for_each_port(port) {
		struct vm vm = vm_with_vcpu(port, &vcpu);

		fd = new_eventfd(&vm);
		for (n = 1;; n++) {
			sim_fail_nth_set(n);
			ret = assign(&vm, fd, 2);
			if (!sim_fail_nth_hit())
				break;
			sim_fault_clear();
			refused++;
			/* Without memory for its place in an xarray it is not bypassed, that is all. */
			if (!ret && strstr(port->name, "+xarray"))
				cr_assert_eq(deassign(&vm, fd, 2), 0);
			else
				cr_expect_eq(ret, -ENOMEM, "allocation %lu: %ld", n, ret);
		}
		sim_fault_clear();
		cr_assert_eq(ret, 0);
		signal_fd(&vm, fd);
		expect_event(1, 2, 0x40);
		vm.ops->close(fd);
		vm_with_vcpu_end(&vm, vcpu);
	}
	cr_expect_geq(refused, 1);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * VMs come to life with a table, without a grace period, and not at all without memory; and an
 * update waits for readers without holding what other ioctls need.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <sim/fault.h>

#include "routing_vm.h"

static long create(const struct port_ops *ops, int kvm)
{
	return ops->ioctl(kvm, KVM_CREATE_VM, 0);
}

/* Each allocation of KVM_CREATE_VM fails in turn. */
Test(routing_creation, without_memory_there_is_no_vm)
{
	const struct port *port;
	unsigned long nth;

	for_each_port(port) {
		int kvm, vm;

		sim_mm_set_checks(SIM_MM_CHECKS_ALL);
		sim_init();
		kvm = port->ops->open_kvm();
		for (nth = 1;; nth++) {
			uint64_t live = live_objects();

			sim_fail_nth_set(nth);
			vm = create(port->ops, kvm);
			if (!sim_fail_nth_hit())
				break;
			sim_fail_nth_set(0);
			cr_assert_eq(vm, -ENOMEM, "%s: allocation %lu: %d", port->name, nth, vm);
			cr_assert_eq(live_objects(), live, "%s: allocation %lu", port->name, nth);
		}
		sim_fail_nth_set(0);
		cr_assert_geq(vm, 0);
		cr_assert_gt(nth, 2, "%s: a VM and a table at least", port->name);
		port->ops->close(vm);
		port->ops->close(kvm);
		cr_assert_eq(sim_report_defects(), 0);
	}
}

/* The same of KVM_CREATE_IRQCHIP, which sets routes: what failed can be tried again. */
Test(routing_creation, without_memory_there_is_no_irqchip)
{
	const struct port *port;
	unsigned long nth;
	long ret;

	for_each_port(port) {
		struct vm vm = vm_make(port, NO_CHIP);

		for (nth = 1;; nth++) {
			uint64_t live = live_objects();

			sim_fail_nth_set(nth);
			ret = vm.ops->ioctl(vm.fd, KVM_CREATE_IRQCHIP, 0);
			if (!sim_fail_nth_hit() || !ret)
				break;
			sim_fail_nth_set(0);
			cr_assert_eq(ret, -ENOMEM, "%s: allocation %lu: %ld", port->name, nth, ret);
			cr_assert_eq(live_objects(), live, "%s: allocation %lu", port->name, nth);
			cr_assert_eq(vm.ops->ioctl(vm.fd, KVM_IRQ_LINE,
						   (unsigned long)&(struct kvm_irq_level){}),
				     -ENXIO);
		}
		sim_fail_nth_set(0);
		cr_assert_eq(ret, 0);
		cr_assert_gt(nth, 1);
		vm_end(&vm);
	}
}

/* An empty table is there from birth (fbe4a7e881d4), so nothing has to be replaced and waited for.
 */
Test(routing_creation, no_grace_period_before_the_first_table)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	const struct port *port;

	for_each_port(port) {
		struct vm vm = vm_make(port, NO_CHIP);
		unsigned long gp = 0;
		int section;

		for (section = 0; section < SIM_NR_SECTIONS; section++)
			gp -= sim_counts.n[section][SIM_OP_GRACE_PERIOD];
		cr_assert_eq(vm.ops->ioctl(vm.fd, KVM_ENABLE_CAP, (unsigned long)&split), 0);
		for (section = 0; section < SIM_NR_SECTIONS; section++)
			gp += sim_counts.n[section][SIM_OP_GRACE_PERIOD];
		cr_expect_eq(gp, 0, "%s: %lu grace periods", port->name, gp);
		vm_end(&vm);
	}
}

struct scene {
	struct vm *vm;
	atomic_int inside, leave;
	atomic_int updated;
};

static void *reader(void *arg)
{
	struct scene *s = arg;
	int idx;

	sim_thread_enter(1, "reader");
	idx = s->vm->ops->reader_enter(s->vm->fd);
	atomic_store(&s->inside, 1);
	while (!atomic_load(&s->leave))
		usleep(100);
	s->vm->ops->reader_leave(s->vm->fd, idx);
	sim_thread_exit();
	return NULL;
}

static void *updater(void *arg)
{
	struct scene *s = arg;
	struct table *t = msi_table(3, 9);

	sim_thread_enter(2, "updater");
	vm_set(s->vm, t);
	atomic_store(&s->updated, 1);
	sim_thread_exit();
	free(t);
	return NULL;
}

static uint32_t data_of_gsi0(struct vm *vm)
{
	struct port_route r[PORT_ROUTES_PER_GSI];

	return vm->ops->map_gsi(vm->fd, 0, r) == 1 ? r[0].words[2] : 0;
}

/* A reader holds the update up; a vCPU can be made meanwhile (5c0aea0e8d98). */
Test(routing_creation, an_update_waits_without_the_vms_lock, .timeout = 20)
{
	const struct port *port;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct scene s = { .vm = &vm };
		pthread_t threads[2];
		int vcpu;

		pthread_create(&threads[0], NULL, reader, &s);
		while (!atomic_load(&s.inside))
			usleep(100);
		pthread_create(&threads[1], NULL, updater, &s);
		while (data_of_gsi0(&vm) != 9)
			usleep(100);
		/* With the lock held this would wait for the reader, which waits for us. */
		vcpu = vm.ops->ioctl(vm.fd, KVM_CREATE_VCPU, 0);
		cr_expect_geq(vcpu, 0);
		cr_expect(!atomic_load(&s.updated), "%s: did not wait for the reader", port->name);
		atomic_store(&s.leave, 1);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		vm.ops->close(vcpu);
		vm_end(&vm);
	}
}

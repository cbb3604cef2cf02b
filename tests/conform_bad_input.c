// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that a VMM should not make: descriptors that are none, numbers that are too large, images
 * of any bytes. Every KVM answers with the same errno, the real one of this machine too, and goes
 * on as if nothing had been asked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>
#include <sim/task.h>

#include "model/vmm/case_step.h"

#define NO_SUCH_FD 999999
#define HUGE_GSI   0xffffffffu
#define NULL_PTR   0
#define KERNEL_PTR 0xffff800000000000ul
#define IMAGES	   300

struct bench {
	struct backend b;
	struct case_vm vm;
	int eventfd, other;
};

static void set_up(struct bench *t, const char *setup)
{
	const char *what;

	cr_assert_eq(vm_open(&t->vm, &t->b, case_setup_find(setup), &what), 0, "%s: %s", t->b.name,
		     what);
	t->eventfd = t->b.eventfd(&t->b);
	t->other = t->b.open_other(&t->b, OTHER_NULL);
	cr_assert(t->eventfd >= 0 && t->other >= 0);
}

static void tear_down(struct bench *t)
{
	t->b.close(&t->b, t->eventfd);
	t->b.close(&t->b, t->other);
	vm_close(&t->vm);
}

static long call(struct bench *t, int fd, unsigned int cmd, const void *arg)
{
	return t->b.ioctl(&t->b, fd, cmd, (unsigned long)arg);
}

#define EXPECT(t, expr, want)                                                        \
	do {                                                                         \
		long got_ = (expr);                                                  \
		cr_expect_eq(got_, (want), "%s: %s: %ld", (t)->b.name, #expr, got_); \
	} while (0)

/* ---- descriptors ---- */

static long irqfd(struct bench *t, int fd, uint32_t gsi, uint32_t flags, int resamplefd)
{
	struct kvm_irqfd args = { .fd = fd, .gsi = gsi, .flags = flags, .resamplefd = resamplefd };

	return call(t, t->vm.vm, KVM_IRQFD, &args);
}

static long ioeventfd(struct bench *t, int fd, uint64_t addr, uint32_t len, uint32_t flags)
{
	struct kvm_ioeventfd args = { .fd = fd, .addr = addr, .len = len, .flags = flags };

	return call(t, t->vm.vm, KVM_IOEVENTFD, &args);
}

static void bad_irqfds(struct bench *t)
{
	const uint32_t resample = KVM_IRQFD_FLAG_RESAMPLE, deassign = KVM_IRQFD_FLAG_DEASSIGN;

	set_up(t, "full1e");
	EXPECT(t, irqfd(t, -1, 5, 0, 0), -EBADF);
	EXPECT(t, irqfd(t, NO_SUCH_FD, 5, 0, 0), -EBADF);
	EXPECT(t, irqfd(t, t->other, 5, 0, 0), -EINVAL);
	EXPECT(t, irqfd(t, t->vm.kvm, 5, 0, 0), -EINVAL);
	EXPECT(t, irqfd(t, t->vm.vm, 5, 0, 0), -EINVAL);
	EXPECT(t, irqfd(t, t->vm.vcpus[0], 5, 0, 0), -EINVAL);
	EXPECT(t, irqfd(t, t->eventfd, 5, resample, -1), -EBADF);
	EXPECT(t, irqfd(t, t->eventfd, 5, resample, t->other), -EINVAL);
	EXPECT(t, irqfd(t, t->other, 5, resample, -1), -EINVAL);
	EXPECT(t, irqfd(t, -1, 5, deassign, 0), -EBADF);
	EXPECT(t, irqfd(t, t->other, 5, deassign, 0), -EINVAL);
	EXPECT(t, irqfd(t, t->eventfd, 5, 1u << 2, 0), -EINVAL);
	EXPECT(t, irqfd(t, t->eventfd, 5, ~0u, 0), -EINVAL);
	EXPECT(t, call(t, t->vm.vm, KVM_IRQFD, (void *)NULL_PTR), -EFAULT);
	EXPECT(t, call(t, t->vm.vm, KVM_IRQFD, (void *)KERNEL_PTR), -EFAULT);
	/* None of it was assigned: the eventfd is free. A GSI may be any number. */
	EXPECT(t, irqfd(t, t->eventfd, HUGE_GSI, 0, 0), 0);
	EXPECT(t, irqfd(t, t->eventfd, 5, 0, 0), -EBUSY);
	EXPECT(t, t->b.write(&t->b, t->eventfd, 1), 8);
	EXPECT(t, t->b.write(&t->b, t->eventfd, UINT64_MAX), -EINVAL);
	EXPECT(t, irqfd(t, t->eventfd, HUGE_GSI, deassign, 0), 0);
	EXPECT(t, irqfd(t, t->eventfd, HUGE_GSI, resample, t->eventfd), 0);
	EXPECT(t, t->b.write(&t->b, t->eventfd, 1), 8);
	tear_down(t);

	set_up(t, "split1e");
	EXPECT(t, irqfd(t, t->eventfd, 5, resample, t->eventfd), -EINVAL);
	tear_down(t);
	set_up(t, "none");
	EXPECT(t, irqfd(t, NO_SUCH_FD, HUGE_GSI, 0, 0), -EINVAL);
	EXPECT(t, irqfd(t, NO_SUCH_FD, HUGE_GSI, deassign, 0), -EBADF);
	tear_down(t);
}

static void bad_ioeventfds(struct bench *t)
{
	const uint32_t deassign = KVM_IOEVENTFD_FLAG_DEASSIGN, pio = KVM_IOEVENTFD_FLAG_PIO;
	const uint32_t match = KVM_IOEVENTFD_FLAG_DATAMATCH;

	set_up(t, "none");
	EXPECT(t, ioeventfd(t, -1, 0x1000, 4, 0), -EBADF);
	EXPECT(t, ioeventfd(t, t->other, 0x1000, 4, 0), -EINVAL);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 3, 0), -EINVAL);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 16, 0), -EINVAL);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, ~0u, 0), -EINVAL);
	EXPECT(t, ioeventfd(t, t->eventfd, UINT64_MAX, 2, 0), -EINVAL);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 0, match), -EINVAL);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 4, 1u << 5), -EINVAL);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 4, deassign), -ENOENT);
	EXPECT(t, ioeventfd(t, -1, 0x1000, 4, deassign), -EBADF);
	EXPECT(t, call(t, t->vm.vm, KVM_IOEVENTFD, (void *)NULL_PTR), -EFAULT);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 4, 0), 0);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 4, match), -EEXIST);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 0, 0), -EEXIST);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 2, 0), 0);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 4, pio), 0);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 8, deassign), -ENOENT);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 4, deassign), 0);
	EXPECT(t, ioeventfd(t, t->eventfd, 0x1000, 4, deassign), -ENOENT);
	tear_down(t);
}

static void bad_targets(struct bench *t)
{
	set_up(t, "full1e");
	EXPECT(t, call(t, -1, KVM_RUN, NULL), -EBADF);
	EXPECT(t, call(t, NO_SUCH_FD, KVM_IRQFD, NULL), -EBADF);
	EXPECT(t, call(t, t->eventfd, KVM_IRQFD, NULL), -ENOTTY);
	EXPECT(t, call(t, t->other, KVM_SIGNAL_MSI, NULL), -ENOTTY);
	EXPECT(t, call(t, t->vm.vm, KVM_RUN, NULL), -ENOTTY);
	EXPECT(t, call(t, t->vm.vm, KVM_GET_LAPIC, NULL), -ENOTTY);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_IRQFD, NULL), -EINVAL);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_SET_GSI_ROUTING, NULL), -EINVAL);
	EXPECT(t, call(t, t->vm.kvm, KVM_IRQ_LINE, NULL), -EINVAL);
	tear_down(t);
}

/* ---- numbers ---- */

static long line(struct bench *t, uint32_t gsi, int *status)
{
	struct kvm_irq_level l = { .irq = gsi, .level = 1 };
	long ret = call(t, t->vm.vm, KVM_IRQ_LINE_STATUS, &l);

	*status = l.status;
	return ret;
}

static long route(struct bench *t, uint32_t gsi, uint32_t type, uint32_t chip, uint32_t pin)
{
	struct {
		struct kvm_irq_routing head;
		struct kvm_irq_routing_entry e;
	} table = { .head.nr = 1, .e = { .gsi = gsi, .type = type, .u.irqchip = { chip, pin } } };

	return call(t, t->vm.vm, KVM_SET_GSI_ROUTING, &table);
}

static long create_vcpu(struct bench *t, unsigned long id)
{
	return t->b.ioctl(&t->b, t->vm.vm, KVM_CREATE_VCPU, id);
}

static void bad_numbers(struct bench *t)
{
	const struct kvm_irq_routing huge = { .nr = ~0u }, flags = { .flags = 1 };
	struct kvm_enable_cap cap = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 4097 } };
	int status;

	set_up(t, "full1e");
	EXPECT(t, line(t, HUGE_GSI, &status), 0);
	cr_expect_eq(status, -1);
	EXPECT(t, line(t, 4096, &status), 0);
	cr_expect_eq(status, -1);
	EXPECT(t, route(t, 4096, KVM_IRQ_ROUTING_IRQCHIP, 0, 0), -EINVAL);
	EXPECT(t, route(t, HUGE_GSI, KVM_IRQ_ROUTING_IRQCHIP, 0, 0), -EINVAL);
	EXPECT(t, route(t, 0, KVM_IRQ_ROUTING_IRQCHIP, 3, 0), -EINVAL);
	EXPECT(t, route(t, 0, KVM_IRQ_ROUTING_IRQCHIP, ~0u, 0), -EINVAL);
	EXPECT(t, route(t, 0, KVM_IRQ_ROUTING_IRQCHIP, KVM_IRQCHIP_IOAPIC, 24), -EINVAL);
	EXPECT(t, route(t, 0, KVM_IRQ_ROUTING_IRQCHIP, KVM_IRQCHIP_IOAPIC, ~0u), -EINVAL);
	EXPECT(t, route(t, 0, KVM_IRQ_ROUTING_IRQCHIP, KVM_IRQCHIP_PIC_SLAVE, 8), -EINVAL);
	EXPECT(t, route(t, 0, ~0u, 0, 0), -EINVAL);
	EXPECT(t, call(t, t->vm.vm, KVM_SET_GSI_ROUTING, &huge), -EINVAL);
	EXPECT(t, call(t, t->vm.vm, KVM_SET_GSI_ROUTING, &flags), -EINVAL);
	EXPECT(t, call(t, t->vm.vm, KVM_SET_GSI_ROUTING, (void *)KERNEL_PTR), -EFAULT);
	EXPECT(t, call(t, t->vm.vm, KVM_IRQ_LINE, (void *)NULL_PTR), -EFAULT);
	EXPECT(t, create_vcpu(t, ~0ul), -EINVAL);
	EXPECT(t, create_vcpu(t, 0x80000000ul), -EINVAL);
	EXPECT(t, create_vcpu(t, 0), -EEXIST);
	EXPECT(t, call(t, t->vm.vm, KVM_ENABLE_CAP, &cap), -EINVAL);
	cap.args[0] = 24;
	EXPECT(t, call(t, t->vm.vm, KVM_ENABLE_CAP, &cap), -EEXIST);
	tear_down(t);
}

/* ---- images ---- */

static long chip(struct bench *t, unsigned int cmd, uint32_t id)
{
	struct kvm_irqchip c = { .chip_id = id };

	return call(t, t->vm.vm, cmd, &c);
}

static void bad_image_calls(struct bench *t)
{
	struct kvm_lapic_state lapic;
	struct kvm_msrs msrs = { .nmsrs = ~0u };

	set_up(t, "full2x");
	EXPECT(t, chip(t, KVM_GET_IRQCHIP, 3), -EINVAL);
	EXPECT(t, chip(t, KVM_SET_IRQCHIP, 3), -EINVAL);
	EXPECT(t, chip(t, KVM_GET_IRQCHIP, ~0u), -EINVAL);
	EXPECT(t, chip(t, KVM_SET_IRQCHIP, ~0u), -EINVAL);
	EXPECT(t, call(t, t->vm.vm, KVM_SET_IRQCHIP, (void *)NULL_PTR), -EFAULT);
	EXPECT(t, call(t, t->vm.vm, KVM_GET_IRQCHIP, (void *)KERNEL_PTR), -EFAULT);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_SET_LAPIC, (void *)NULL_PTR), -EFAULT);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_GET_LAPIC, (void *)KERNEL_PTR), -EFAULT);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_SET_MSRS, &msrs), -E2BIG);
	/* The other one's: in x2APIC mode with 32-bit ids, the id must be its own. */
	EXPECT(t, call(t, t->vm.vcpus[1], KVM_GET_LAPIC, &lapic), 0);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_SET_LAPIC, &lapic), -EINVAL);
	tear_down(t);

	set_up(t, "split1e");
	EXPECT(t, chip(t, KVM_GET_IRQCHIP, KVM_IRQCHIP_IOAPIC), -ENXIO);
	EXPECT(t, chip(t, KVM_SET_IRQCHIP, 3), -ENXIO);
	tear_down(t);
	set_up(t, "vcpu_noirqchip");
	EXPECT(t, chip(t, KVM_SET_IRQCHIP, KVM_IRQCHIP_PIC_MASTER), -ENXIO);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_GET_LAPIC, &lapic), -EINVAL);
	EXPECT(t, call(t, t->vm.vcpus[0], KVM_SET_LAPIC, &lapic), -EINVAL);
	tear_down(t);
}

static void fill(void *at, size_t size, unsigned int *seed)
{
	unsigned char *p = at;

	/* All ones and all zeroes too. */
	if (*seed % 10 < 2) {
		memset(at, *seed % 10 ? 0xff : 0, size);
		(*seed)++;
		return;
	}
	while (size--)
		*p++ = rand_r(seed) >> 8;
}

/* A controller takes anything that has its number; what there is of it can be read again. */
static void any_image(struct bench *t)
{
	struct kvm_irqchip c, again;
	struct kvm_lapic_state lapic;
	unsigned int seed = 1, i;
	int status;

	set_up(t, "full2e");
	for (i = 0; i < IMAGES; i++) {
		fill(&c, sizeof(c), &seed);
		c.chip_id = i % 3;
		EXPECT(t, call(t, t->vm.vm, KVM_SET_IRQCHIP, &c), 0);
		again.chip_id = i % 3;
		EXPECT(t, call(t, t->vm.vm, KVM_GET_IRQCHIP, &again), 0);
		fill(&lapic, sizeof(lapic), &seed);
		memset(lapic.regs + 0x320, 0, 0x60); /* no timer */
		memset(lapic.regs + 0x380, 0, 4);
		EXPECT(t, call(t, t->vm.vcpus[i % 2], KVM_SET_LAPIC, &lapic), 0);
		EXPECT(t, line(t, i % 24, &status), 0);
		EXPECT(t, irqfd(t, t->eventfd, i % 24, KVM_IRQFD_FLAG_RESAMPLE, t->eventfd), 0);
		EXPECT(t, t->b.write(&t->b, t->eventfd, 1), 8);
		EXPECT(t, irqfd(t, t->eventfd, i % 24, KVM_IRQFD_FLAG_DEASSIGN, 0), 0);
	}
	tear_down(t);
}

/* ---- on whom ---- */

static void on_every_kvm(void (*fn)(struct bench *t))
{
	struct sim_mm_stats before, after;
	struct bench t = { 0 };
	unsigned int i;
	int fd;

	sim_mm_set_checks(SIM_MM_CHECKS_ALL);
	sim_init();
	for (i = 0; i < irqsim_nr_ports; i++) {
		if (strcmp(irqsim_ports[i].kind, "strategy"))
			continue;
		sim_mm_stats(&before);
		backend_port_init(&t.b, &irqsim_ports[i]);
		fn(&t);
		sim_mm_stats(&after);
		cr_expect_eq(after.live_objects, before.live_objects, "%s leaks", t.b.name);
	}
	cr_expect_eq(sim_report_defects(), 0);

	backend_real_init(&t.b);
	fd = t.b.open_kvm(&t.b);
	if (fd < 0)
		return;
	t.b.close(&t.b, fd);
	fn(&t);
}

Test(conform_bad_input, irqfds)
{
	on_every_kvm(bad_irqfds);
}

Test(conform_bad_input, ioeventfds)
{
	on_every_kvm(bad_ioeventfds);
}

Test(conform_bad_input, targets)
{
	on_every_kvm(bad_targets);
}

Test(conform_bad_input, numbers)
{
	on_every_kvm(bad_numbers);
}

Test(conform_bad_input, image_calls)
{
	on_every_kvm(bad_image_calls);
}

Test(conform_bad_input, images_of_any_bytes)
{
	on_every_kvm(any_image);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Irqfds of one level-triggered GSI share a resampler: the last one that goes takes it away, while
 * the next one comes.
 */
#include "kvm_irqfds.h"

#define LEVEL_GSI 5 /* a pin of the PIC and one of the IOAPIC, by default */

static int fds[2] = { -1, -1 }, resample[2] = { -1, -1 };

static void setup(void)
{
	int i;

	routes_vm(false);
	for (i = 0; i < 2; i++) {
		fds[i] = new_eventfd();
		resample[i] = new_eventfd();
	}
	DET_CHECK(!irqfd_assign_resampling(routes.vm, fds[0], LEVEL_GSI, resample[0]));
}

static void last_or_new(unsigned int n)
{
	if (n)
		DET_CHECK(!irqfd_assign_resampling(routes.vm, fds[1], LEVEL_GSI, resample[1]));
	else
		DET_CHECK(!irqfd_deassign(routes.vm, fds[0], LEVEL_GSI));
}

static void end(void)
{
	int i;

	DET_CHECK(!irqfd_deassign(routes.vm, fds[1], LEVEL_GSI));
	for (i = 0; i < 2; i++) {
		routes_close(&fds[i]);
		routes_close(&resample[i]);
	}
	routes_end();
}

/* ---- an acknowledgement, which tells all that there are ---- */

static void pic_by_itself(void)
{
	struct kvm_irqchip chip = { .chip_id = KVM_IRQCHIP_PIC_MASTER };

	/* Ends each interrupt when the vCPU takes it. */
	chip.chip.pic.irq_base = 0x20;
	chip.chip.pic.auto_eoi = 1;
	chip.chip.pic.elcr = BIT(LEVEL_GSI);
	DET_CHECK(!port_ops.ioctl(routes.vm, KVM_SET_IRQCHIP, (unsigned long)&chip));
}

static void setup_raised(void)
{
	struct kvm_irq_level line = { .irq = LEVEL_GSI, .level = 1 };

	setup();
	DET_CHECK(!irqfd_assign_resampling(routes.vm, fds[1], LEVEL_GSI, resample[1]));
	pic_by_itself();
	DET_CHECK(!port_ops.ioctl(routes.vm, KVM_IRQ_LINE, (unsigned long)&line));
}

static void leave_or_acknowledge(unsigned int n)
{
	if (n)
		DET_CHECK(port_ops.vcpu_acknowledge(routes.vcpu) == 0x20 + LEVEL_GSI);
	else
		DET_CHECK(!irqfd_deassign(routes.vm, fds[0], LEVEL_GSI));
}

static void end_acknowledged(void)
{
	DET_CHECK(read_eventfd(resample[1]) == 1);
	DET_CHECK(read_eventfd(resample[0]) <= 1);
	end();
}

ROUTES(irqfd_resampler, "irqfd-resampler-last-new",
       "a resampler's last irqfd deassigned against a new one", 2, .setup = setup,
       .actor = last_or_new, .final = end);
ROUTES(irqfd_resampler_ack, "irqfd-resampler-ack",
       "one of a resampler's irqfds deassigned against an acknowledgement", 2,
       .setup = setup_raised, .actor = leave_or_acknowledge, .final = end_acknowledged);

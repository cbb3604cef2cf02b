// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing against what else happens to a VM: its descriptors are closed while an ioctl is under
 * way, vCPUs appear.
 */
#include "kvm_routes.h"

static int answers[3];
static int created;

static void setup(void)
{
	routes_setup();
	/* The VM's own descriptor is the last one then. */
	routes_close(&routes.vcpu);
}

static u64 what_was_answered(void)
{
	return (u8)answers[0] | (u64)(u8)answers[1] << 8 | (u64)(u8)answers[2] << 16;
}

/* An ioctl holds its file: it works on a whole VM, or comes too late. */
static void update(unsigned int n)
{
	answers[n] =
		port_ops.ioctl(routes.vm, KVM_SET_GSI_ROUTING, (unsigned long)&routes.tables[1]);
	DET_CHECK(answers[n] == 0 || answers[n] == -EBADF);
}

static void deliver(unsigned int n)
{
	struct kvm_irq_level line = { .irq = 1, .level = 1 };

	answers[n] = port_ops.ioctl(routes.vm, KVM_IRQ_LINE, (unsigned long)&line);
	DET_CHECK(answers[n] == 0 || answers[n] == -EBADF);
}

static void close_last(unsigned int n)
{
	answers[n] = port_ops.close(routes.vm);
	DET_CHECK(answers[n] == 0);
}

static void update_or_close(unsigned int n)
{
	if (n)
		close_last(n);
	else
		update(n);
}

static void deliver_or_close(unsigned int n)
{
	if (n)
		close_last(n);
	else
		deliver(n);
}

static void all_three(unsigned int n)
{
	if (n == 2)
		deliver(n);
	else
		update_or_close(n);
}

static void end(void)
{
	routes.vm = -1;
	routes_end();
}

/*
 * A reader that stays in its section until a vCPU has come to be: an update waits for the reader,
 * and may not keep the vCPU from it.
 */
static void with_new_vcpu(unsigned int n)
{
	int idx, vcpu;

	switch (n) {
	case 0:
		route_table_use(1);
		break;
	case 1:
		idx = port_ops.reader_enter(routes.vm);
		while (!smp_load_acquire(&created))
			cpu_relax();
		port_ops.reader_leave(routes.vm, idx);
		break;
	case 2:
		vcpu = port_ops.ioctl(routes.vm, KVM_CREATE_VCPU, 1);
		DET_CHECK(vcpu >= 0);
		answers[n] = vcpu;
		smp_store_release(&created, 1);
		break;
	}
}

static void end_with_new_vcpu(void)
{
	routes_close(&answers[2]);
	routes_end();
}

ROUTES(route_update_destroy, "route-update-destroy",
       "a route update against the close of the VM's last descriptor", 2, .setup = setup,
       .actor = update_or_close, .final = end, .state = what_was_answered);
ROUTES(route_delivery_destroy, "route-delivery-destroy",
       "an interrupt's delivery against the close of the VM's last descriptor", 2, .setup = setup,
       .actor = deliver_or_close, .final = end, .state = what_was_answered);
ROUTES(route_all_destroy, "route-update-delivery-destroy",
       "a route update, a delivery and the close of the VM's last descriptor", 3, .setup = setup,
       .actor = all_three, .final = end, .state = what_was_answered);
ROUTES(route_update_new_vcpu, "route-update-new-vcpu",
       "a route update, a reader that waits for a vCPU, and that vCPU's creation", 3,
       .setup = routes_setup, .actor = with_new_vcpu, .final = end_with_new_vcpu,
       .state = what_was_answered);

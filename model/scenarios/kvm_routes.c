// SPDX-License-Identifier: GPL-2.0-only
#include <sim/fault.h>

#include "kvm_routes.h"

struct routes routes;

static void make_table(int n)
{
	int i;

	routes.tables[n] = (struct route_table){ .nr = NR_ROUTES };
	for (i = 0; i < NR_ROUTES; i++) {
		struct kvm_irq_routing_entry *e = &routes.tables[n].entries[i];

		e->gsi = i;
		e->type = KVM_IRQ_ROUTING_MSI;
		e->u.msi.address_lo = 0xfee00000;
		e->u.msi.data = 16 * (n + 1) + i;
	}
}

void routes_vm(bool split)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	int n;

	for (n = 0; n < NR_TABLES; n++)
		make_table(n);
	routes.system = port_ops.open_kvm();
	routes.vm = port_ops.ioctl(routes.system, KVM_CREATE_VM, 0);
	DET_CHECK(routes.vm >= 0);
	if (split)
		DET_CHECK(!port_ops.ioctl(routes.vm, KVM_ENABLE_CAP, (unsigned long)&cap));
	else
		DET_CHECK(!port_ops.ioctl(routes.vm, KVM_CREATE_IRQCHIP, 0));
	routes.vcpu = port_ops.ioctl(routes.vm, KVM_CREATE_VCPU, 0);
	DET_CHECK(routes.vcpu >= 0);
}

void routes_setup(void)
{
	routes_vm(true);
	route_table_use(0);
}

void routes_close(int *fd)
{
	if (*fd >= 0)
		DET_CHECK(!port_ops.close(*fd));
	*fd = -1;
}

void routes_end(void)
{
	routes_close(&routes.vcpu);
	routes_close(&routes.vm);
	routes_close(&routes.system);
	det_check_leaks();
}

/* It may only be refused where the explorer asked for that. */
void route_table_use(int n)
{
	long ret = port_ops.ioctl(routes.vm, KVM_SET_GSI_ROUTING, (unsigned long)&routes.tables[n]);

	DET_CHECK(!ret || (ret == -ENOMEM && sim_fail_nth_hit()));
}

bool route_fits(u32 vector, u32 gsi, int first)
{
	return vector % 16 == gsi && vector / 16 > first && vector / 16 <= NR_TABLES;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupt remapping unit, as far as irqfds see it: an entry for each host interrupt, which
 * goes to a host vector or is posted to a vCPU.
 */
#include <linux/kvm_host.h>

#include <sim/ops.h>

#include "../kvm/door.h"
#include "../../kernel-port/arch/x86/kvm/irq.h"

static struct port_irte entries[PORT_NR_HOST_IRQS];

bool kvm_arch_has_irq_bypass(void)
{
	return true;
}

void kvm_arch_start_assignment(struct kvm *kvm)
{
	atomic_inc(&kvm->arch.assigned_device_count);
}

void kvm_arch_end_assignment(struct kvm *kvm)
{
	atomic_dec(&kvm->arch.assigned_device_count);
}

int kvm_pi_update_irte(struct kvm *kvm, unsigned int host_irq, u32 gsi, bool set)
{
	struct kvm_kernel_irq_routing_entry route[KVM_NR_IRQCHIPS];
	struct kvm_vcpu *vcpu = NULL;
	struct port_irte *e;
	u8 vector = 0;
	int idx;

	if (host_irq >= PORT_NR_HOST_IRQS)
		return -EINVAL;
	e = &entries[host_irq];

	idx = srcu_read_lock(&kvm->irq_srcu);
	if (set && kvm_irq_map_gsi(kvm, route, gsi) == 1)
		vcpu = kvm_irq_post_target(kvm, &route[0], &vector);
	srcu_read_unlock(&kvm->irq_srcu, idx);

	e->updates++;
	sim_count(SIM_OP_IRTE, 1);
	e->posted = vcpu;
	e->vcpu_id = vcpu ? vcpu->vcpu_id : 0;
	e->vector = vcpu ? vector : 0;

	return 0;
}

bool model_irte(unsigned int host_irq, struct port_irte *out)
{
	if (host_irq >= PORT_NR_HOST_IRQS)
		return false;
	*out = entries[host_irq];
	return true;
}

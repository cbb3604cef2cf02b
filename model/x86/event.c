// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where an injection ends while no interrupt controller is modelled: as an event that names GSI,
 * route and level. What can be told without a controller is told as the kernel does: a message that
 * the VM's format does not allow, a lowered edge, no vCPU to take it.
 */
#include <linux/percpu.h>

#include "../kvm/door.h"
#include "../../kernel-port/arch/x86/kvm/irq.h"

static port_event_sink *event_sink;
static void *event_sink_arg;
static DEFINE_PER_CPU(bool, from_msi); /* a task is a CPU */

void model_set_event_sink(port_event_sink *sink, void *arg)
{
	event_sink = sink;
	event_sink_arg = arg;
}

void model_event_from_msi(bool on)
{
	this_cpu_write(from_msi, on);
}

/* Everything that arrives counts as taken by one vCPU. */
static int record(const struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int level)
{
	struct port_event ev = { .level = level };

	if (!event_sink)
		return 1;

	port_route_of(e, &ev.route);
	ev.gsi = ev.route.gsi;
	if (this_cpu_read(from_msi)) {
		/* The message is all there is: trees leave the rest of the entry as it was. */
		ev.gsi = PORT_GSI_NONE;
		ev.route.gsi = 0;
		ev.route.type = KVM_IRQ_ROUTING_MSI;
		ev.route.handler = 0;
	}
	event_sink(event_sink_arg, door_fd_of(kvm), &ev);

	return 1;
}

int kvm_set_pic_irq(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		    int level, bool line_status)
{
	return record(e, kvm, level);
}

int kvm_set_ioapic_irq(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		       int level, bool line_status)
{
	return record(e, kvm, level);
}

int kvm_set_msi(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		int level, bool line_status)
{
	if (kvm_msi_address_invalid(kvm, e))
		return -EINVAL;
	if (!level || !atomic_read(&kvm->online_vcpus))
		return -1;

	return record(e, kvm, level);
}

int kvm_hv_set_sint(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		    int level, bool line_status)
{
	return level ? record(e, kvm, level) : -1;
}

int kvm_xen_set_evtchn_route(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm,
			     int irq_source_id, int level, bool line_status)
{
	return level ? record(e, kvm, level) : -EINVAL;
}

/* No LAPIC asks for it yet. */
void kvm_make_scan_ioapic_request(struct kvm *kvm)
{
}

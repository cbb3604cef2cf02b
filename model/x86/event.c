// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a route ends: at a controller, or as an event only where there is none (Hyper-V's synthetic
 * interrupts, Xen's event channels). An observer hears of every injection on its way there.
 */
#include <linux/percpu.h>

#include "../kvm/door.h"
#include "model.h"

static port_event_sink *event_sink;
static void *event_sink_arg;
static DEFINE_PER_CPU(bool, from_msi); /* a task is a CPU; by operations that are no events */

void model_set_event_sink(port_event_sink *sink, void *arg)
{
	event_sink = sink;
	event_sink_arg = arg;
}

void model_event_from_msi(bool on)
{
	raw_cpu_write_1(from_msi, on);
}

static void tell(const struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int level)
{
	struct port_event ev = { .level = level };

	if (!event_sink)
		return;

	port_route_of(e, &ev.route);
	ev.gsi = ev.route.gsi;
	if (raw_cpu_read_1(from_msi)) {
		/* The message is all there is: trees leave the rest of the entry as it was. */
		ev.gsi = PORT_GSI_NONE;
		ev.route.gsi = 0;
		ev.route.type = KVM_IRQ_ROUTING_MSI;
		ev.route.handler = 0;
	}
	event_sink(event_sink_arg, door_fd_of(kvm), &ev);
}

void kvm_trace_msi(const struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm)
{
	tell(e, kvm, 1);
}

int kvm_set_pic_irq(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		    int level, bool line_status)
{
	tell(e, kvm, level);
	return model_pic_set_line(kvm, e->irqchip.pin, irq_source_id, level);
}

int kvm_set_ioapic_irq(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		       int level, bool line_status)
{
	tell(e, kvm, level);
	return model_ioapic_set_line(kvm, e->irqchip.pin, irq_source_id, level, line_status);
}

/* Nobody models these: whatever arrives counts as taken by one vCPU. */
int kvm_hv_set_sint(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm, int irq_source_id,
		    int level, bool line_status)
{
	if (!level)
		return -1;
	tell(e, kvm, level);
	return 1;
}

int kvm_xen_set_evtchn_route(struct kvm_kernel_irq_routing_entry *e, struct kvm *kvm,
			     int irq_source_id, int level, bool line_status)
{
	if (!level)
		return -EINVAL;
	tell(e, kvm, level);
	return 1;
}

// SPDX-License-Identifier: GPL-2.0-only
/* A call in words, as far as one has to know it to make it by hand. */
#include <stdio.h>
#include <string.h>

#include "live_irq_choice.h"

static void routes_text(const struct irq_call *c, char *buf, size_t size)
{
	size_t len = snprintf(buf, size, "KVM_SET_GSI_ROUTING");
	uint32_t i;

	for (i = 0; i < c->u.routes.nr && len < size; i++) {
		const struct kvm_irq_routing_entry *e = &c->u.routes.entries[i];

		if (e->type == KVM_IRQ_ROUTING_IRQCHIP)
			len += snprintf(buf + len, size - len, " %u:chip%u.%u", e->gsi,
					e->u.irqchip.irqchip, e->u.irqchip.pin);
		else
			len += snprintf(buf + len, size - len, " %u:%x.%x.%x", e->gsi,
					e->u.msi.address_lo, e->u.msi.address_hi, e->u.msi.data);
	}
}

static size_t bytes_text(char *buf, size_t size, const void *data, size_t bytes)
{
	const unsigned char *p = data;
	size_t i, len = 0;

	for (i = 0; i < bytes && len + 3 < size; i++)
		len += snprintf(buf + len, size - len, "%02x", p[i]);
	return len;
}

static void chip_text(const struct irq_call *c, char *buf, size_t size)
{
	const struct kvm_ioapic_state *io = &c->u.chip.chip.ioapic;
	size_t len = snprintf(buf, size, "KVM_SET_IRQCHIP chip %d", (int)c->u.chip.chip_id);
	unsigned int i;

	if (c->u.chip.chip_id != KVM_IRQCHIP_IOAPIC) {
		len += snprintf(buf + len, size - len, " ");
		bytes_text(buf + len, size - len, &c->u.chip.chip.pic, sizeof(c->u.chip.chip.pic));
		return;
	}
	len += snprintf(buf + len, size - len, " irr %x:", io->irr);
	for (i = 0; i < KVM_IOAPIC_NUM_PINS && len < size; i++)
		len += snprintf(buf + len, size - len, " %llx",
				(unsigned long long)io->redirtbl[i].bits);
}

/* The registers that are not 0, by their offset. */
static void lapic_text(const struct irq_call *c, char *buf, size_t size)
{
	size_t len = snprintf(buf, size, "KVM_SET_LAPIC vCPU %u:", c->vcpu);
	unsigned int r;
	uint32_t value;

	for (r = 0; r < sizeof(c->u.lapic) && len < size; r += sizeof(value)) {
		memcpy(&value, c->u.lapic.regs + r, sizeof(value));
		if (value)
			len += snprintf(buf + len, size - len, " %x=%x", r, value);
	}
}

void irq_call_text(const struct irq_call *c, char *buf, size_t size)
{
	const struct kvm_msr_entry *e = &c->u.msr.entry;

	switch (c->kind) {
	case IRQ_LINE:
		snprintf(buf, size, "KVM_IRQ_LINE_STATUS gsi %u level %u", c->u.line.irq,
			 c->u.line.level);
		break;
	case IRQ_MSI:
		snprintf(buf, size, "KVM_SIGNAL_MSI %x.%x.%x", c->u.msi.address_lo,
			 c->u.msi.address_hi, c->u.msi.data);
		break;
	case IRQ_ROUTES:
		routes_text(c, buf, size);
		break;
	case IRQ_SET_CHIP:
		chip_text(c, buf, size);
		break;
	case IRQ_SET_LAPIC:
		lapic_text(c, buf, size);
		break;
	case IRQ_SET_MSR:
		snprintf(buf, size, "KVM_SET_MSRS vCPU %u: %x=%llx", c->vcpu, e->index,
			 (unsigned long long)e->data);
		break;
	case IRQ_GET_MSR:
		snprintf(buf, size, "KVM_GET_MSRS vCPU %u: %x", c->vcpu, e->index);
		break;
	case IRQ_FD:
		irq_fd_text(&c->u.fd, buf, size);
		break;
	case IRQ_RUN:
		snprintf(buf, size, "KVM_RUN vCPU %u", c->vcpu);
		break;
	case IRQ_NR_KINDS:
		break;
	}
}

void irq_setup_text(const struct irq_setup *s, char *buf, size_t size)
{
	size_t len = snprintf(buf, size, "%s irqchip, KVM_CAP_X2APIC_API %d,%s%s vCPU ids",
			      s->split ? "split" : "full", s->api, s->x2apic ? " x2APIC," : "",
			      s->enabled ? " enabled," : "");
	unsigned int i;

	for (i = 0; i < s->nr_vcpus && len < size; i++)
		len += snprintf(buf + len, size - len, " %u", s->ids[i]);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls in words, for the report of a difference.
 */
#include <stdio.h>
#include <string.h>

#include "program.h"

static const char *const pointers[NR_POINTERS] = {
	[POINTER_GOOD] = "",
	[POINTER_NULL] = ", at NULL",
	[POINTER_UNMAPPED] = ", at an unmapped address",
	[POINTER_KERNEL] = ", at a kernel address",
	[POINTER_WRAPS] = ", at the end of the address space",
	[POINTER_CUT] = ", with its last bytes unmapped",
	[POINTER_READONLY] = ", in read-only memory",
};

static void arguments(const struct call *c, const struct kvm_irq_routing *table, char *buf,
		      size_t size)
{
	switch (c->kind) {
	case CALL_CREATE_VM:
		snprintf(buf, size, "KVM_CREATE_VM(type %lu) as vm%u", c->u.number, c->slot);
		break;
	case CALL_CLOSE_VM:
		snprintf(buf, size, "close(vm%u)", c->slot);
		break;
	case CALL_CLOSE_VCPU:
		snprintf(buf, size, "close(vcpu%u)", c->slot);
		break;
	case CALL_CREATE_IRQCHIP:
		snprintf(buf, size, "vm%u: KVM_CREATE_IRQCHIP", c->slot);
		break;
	case CALL_ENABLE_CAP:
		snprintf(buf, size, "vm%u: KVM_ENABLE_CAP(cap %u, flags %u, %llu)", c->slot,
			 c->u.cap.cap, c->u.cap.flags, (unsigned long long)c->u.cap.args[0]);
		break;
	case CALL_CREATE_VCPU:
		snprintf(buf, size, "vm%u: KVM_CREATE_VCPU(%lu)", c->slot, c->u.number);
		break;
	case CALL_SET_ROUTING:
		snprintf(buf, size, "vm%u: KVM_SET_GSI_ROUTING(nr %u, flags %u)", c->slot,
			 table->nr, table->flags);
		break;
	case CALL_SIGNAL_MSI:
		snprintf(buf, size, "vm%u: KVM_SIGNAL_MSI(lo %#x, hi %#x, data %#x, flags %#x)",
			 c->slot, c->u.msi.address_lo, c->u.msi.address_hi, c->u.msi.data,
			 c->u.msi.flags);
		break;
	case CALL_IRQ_LINE:
		snprintf(buf, size, "vm%u: %s(gsi %u, level %u)", c->slot,
			 c->cmd == KVM_IRQ_LINE ? "KVM_IRQ_LINE" : "KVM_IRQ_LINE_STATUS",
			 c->u.line.irq, c->u.line.level);
		break;
	case CALL_CHECK_EXTENSION:
		snprintf(buf, size, "KVM_CHECK_EXTENSION(%lu)", c->u.number);
		break;
	case CALL_RAW:
		snprintf(buf, size, "ioctl(%#x, %lu) on another kind of descriptor", c->cmd,
			 c->u.number);
		break;
	}
}

void call_text(const struct call *c, const struct kvm_irq_routing *table, char *buf, size_t size)
{
	size_t len;

	arguments(c, table, buf, size);
	len = strlen(buf);
	snprintf(buf + len, size - len, "%s", pointers[c->pointer]);
	len = strlen(buf);
	if (c->fail_nth)
		snprintf(buf + len, size - len, ", fault point %u fails", c->fail_nth);
}

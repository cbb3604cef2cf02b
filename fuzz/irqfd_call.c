// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "irqfd_call.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static int next_fd(struct bytes *b, const struct expect *x)
{
	static const int garbage[] = { -1, 4096, INT_MAX, INT_MIN };
	unsigned int n = next_u8(b), highest = EXPECT_FDS - 1;

	if (n >= 0x100 - LEN(garbage))
		return garbage[n - (0x100 - LEN(garbage))];
	while (highest && x->fds[highest].kind == FD_NONE)
		highest--;
	return n % (highest + 3);
}

/* A byte is a GSI and its VM, but for a few GSIs that no table has. */
static uint32_t next_gsi(struct bytes *b, unsigned int *vm)
{
	static const uint64_t far[] = { EXPECT_GSIS, 4095, 4096, INT_MAX, 1u << 31, UINT_MAX };
	unsigned int n = next_u8(b);

	*vm = n / EXPECT_GSIS % EXPECT_VMS;
	return n >= 0x100 - LEN(far) ? far[n - (0x100 - LEN(far))] : n % EXPECT_GSIS;
}

static uint64_t next_count(struct bytes *b)
{
	static const uint64_t large[] = { 1ULL << 32, 1ULL << 63, UINT64_MAX - 2, UINT64_MAX - 1,
					  UINT64_MAX };
	unsigned int n = next_u8(b);

	return n >= 0x100 - LEN(large) ? large[n - (0x100 - LEN(large))] : n;
}

static void next_irqfd(struct bytes *b, const struct expect *x, unsigned int how,
		       struct irqfd_call *c)
{
	struct kvm_irqfd *a = &c->u.irqfd;

	a->flags = (how & 0x10 ? KVM_IRQFD_FLAG_DEASSIGN : 0) |
		   (how & 0x20 ? KVM_IRQFD_FLAG_RESAMPLE : 0);
	a->fd = next_fd(b, x);
	a->gsi = next_gsi(b, &c->vm);
	if (how & 0x20)
		a->resamplefd = next_fd(b, x);
	if (how & 0x40)
		c->fail_nth = 1 + next_u8(b) % 4;
	if (how & 0x80)
		a->flags |= 1u << next_u8(b) % 32;
}

static void next_routes(struct bytes *b, struct irqfd_call *c)
{
	uint32_t i;

	c->u.routes.nr = next_u8(b) % (EXPECT_GSIS + 1);
	for (i = 0; i < c->u.routes.nr; i++) {
		struct kvm_irq_routing_entry *e = &c->u.routes.entries[i];
		uint8_t how = next_u8(b);

		e->gsi = how % EXPECT_GSIS;
		if (how & 0x80) {
			e->type = KVM_IRQ_ROUTING_IRQCHIP;
			e->u.irqchip.irqchip = KVM_IRQCHIP_IOAPIC;
			e->u.irqchip.pin = EXPECT_FIRST_PIN + (how >> 3) % EXPECT_PINS;
			continue;
		}
		e->type = KVM_IRQ_ROUTING_MSI;
		e->u.msi.address_lo = 0xfee00000 | (how & 0x40 ? 1 << 12 : 0);
		e->u.msi.data = next_u8(b);
	}
}

void irqfd_next_call(struct bytes *b, const struct expect *x, struct irqfd_call *c)
{
	uint8_t how = next_u8(b);

	memset(c, 0, sizeof(*c));
	c->kind = how % 8;
	c->vm = (how >> 6) % EXPECT_VMS; /* where nothing else says which */
	if (c->kind == CALL_CHIP)
		c->kind = CALL_LINE + (how >> 4 & 3);
	if (c->kind == CALL_EVENTFD && how & 0x40)
		c->kind = CALL_PRODUCER;
	switch (c->kind) {
	case CALL_EVENTFD:
		c->u.eventfd.semaphore = how & 0x10;
		c->u.eventfd.count = how & 0x20 ? next_u8(b) : 0;
		break;
	case CALL_PRODUCER:
		c->u.producer.remove = how & 0x80;
		c->u.producer.host_irq = next_u8(b) % EXPECT_HOST_IRQS;
		if (!c->u.producer.remove)
			c->fd = next_fd(b, x);
		break;
	case CALL_DUP:
	case CALL_CLOSE:
	case CALL_READ:
		c->fd = next_fd(b, x);
		break;
	case CALL_WRITE:
		c->fd = next_fd(b, x);
		c->u.write = 1;
		if (how & 0x80)
			c->u.write = next_count(b);
		break;
	case CALL_IRQFD:
		next_irqfd(b, x, how, c);
		break;
	case CALL_ROUTES:
		next_routes(b, c);
		break;
	case CALL_LINE:
		c->u.line.irq = next_gsi(b, &c->vm);
		c->u.line.level = how >> 7;
		break;
	default:
		break;
	}
}

/* ---- in words ---- */

static void irqfd_text(const struct irqfd_call *c, char *buf, size_t size)
{
	const struct kvm_irqfd *a = &c->u.irqfd;
	int len = snprintf(buf, size, "KVM_IRQFD VM %u: fd %d gsi %u flags %x", c->vm, (int)a->fd,
			   a->gsi, a->flags);

	if (a->flags & KVM_IRQFD_FLAG_RESAMPLE)
		len += snprintf(buf + len, size - len, " resamplefd %d", (int)a->resamplefd);
	if (c->fail_nth)
		snprintf(buf + len, size - len, ", fail-nth %u", c->fail_nth);
}

static void routes_text(const struct irqfd_call *c, char *buf, size_t size)
{
	size_t len = snprintf(buf, size, "KVM_SET_GSI_ROUTING VM %u:", c->vm);
	uint32_t i;

	for (i = 0; i < c->u.routes.nr && len < size; i++) {
		const struct kvm_irq_routing_entry *e = &c->u.routes.entries[i];

		if (e->type == KVM_IRQ_ROUTING_IRQCHIP)
			len += snprintf(buf + len, size - len, " %u:pin %u", e->gsi,
					e->u.irqchip.pin);
		else
			len += snprintf(buf + len, size - len, " %u:%x.%x", e->gsi,
					e->u.msi.address_lo, e->u.msi.data);
	}
}

void irqfd_call_text(const struct irqfd_call *c, char *buf, size_t size)
{
	switch (c->kind) {
	case CALL_EVENTFD:
		snprintf(buf, size, "eventfd count %u%s", c->u.eventfd.count,
			 c->u.eventfd.semaphore ? ", semaphore" : "");
		break;
	case CALL_DUP:
	case CALL_CLOSE:
	case CALL_READ:
		snprintf(buf, size, "%s %d",
			 c->kind == CALL_DUP	 ? "dup"
			 : c->kind == CALL_CLOSE ? "close"
						 : "read",
			 c->fd);
		break;
	case CALL_WRITE:
		snprintf(buf, size, "write %d: %" PRIu64, c->fd, c->u.write);
		break;
	case CALL_IRQFD:
		irqfd_text(c, buf, size);
		break;
	case CALL_ROUTES:
		routes_text(c, buf, size);
		break;
	case CALL_LINE:
		snprintf(buf, size, "KVM_IRQ_LINE_STATUS VM %u: gsi %u level %u", c->vm,
			 c->u.line.irq, c->u.line.level);
		break;
	case CALL_RUN:
	case CALL_ACKNOWLEDGE:
	case CALL_EOI:
		snprintf(buf, size, "%s VM %u",
			 c->kind == CALL_RUN   ? "KVM_RUN"
			 : c->kind == CALL_EOI ? "EOI"
					       : "acknowledge",
			 c->vm);
		break;
	case CALL_PRODUCER:
		if (c->u.producer.remove)
			snprintf(buf, size, "host interrupt %u is no producer any more",
				 c->u.producer.host_irq);
		else
			snprintf(buf, size, "host interrupt %u is a producer of %d",
				 c->u.producer.host_irq, c->fd);
		break;
	case CALL_CHIP:
		break;
	}
}

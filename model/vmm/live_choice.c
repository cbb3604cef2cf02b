// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random ioctls. Each table is either tidy (a kernel with the right irqchip takes it) or carries a
 * few values from the edges; all shares below are assumed, chosen so that both kinds are common.
 *
 * Left out, since the answer depends on the host: HV_SINT and XEN_EVTCHN routes (CONFIG_KVM_HYPERV,
 * CONFIG_KVM_XEN), system management interrupts (CONFIG_KVM_SMM), capabilities that count vCPUs or
 * list flags, VM types other than 0, and vCPU ids near the limit. What is left in was the same in
 * every x86 kernel from 5.10 to 6.18, as far as the documentation (Documentation/virt/kvm/api.rst)
 * tells.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "live_choice.h"

#define PICK(ch, list) ((list)[choice_below(ch, sizeof(list) / sizeof((list)[0]))])

/* SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
static uint64_t choice_next(struct choice *ch)
{
	uint64_t z = ch->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t choice_below(struct choice *ch, uint32_t n)
{
	return (choice_next(ch) >> 32) * n >> 32;
}

static bool chance(struct choice *ch, unsigned int percent)
{
	return choice_below(ch, 100) < percent;
}

static void choose_buffer(struct choice *ch, struct step *s)
{
	/* NULL, the first address behind user space with 4-level page tables, the last page */
	static const uint64_t pointers[] = { 0, 0x800000000000, 0xfffffffffffff000 };

	if (!chance(ch, 6))
		return;
	s->buffer = chance(ch, 50) ? BUF_UNMAPPED : BUF_POINTER;
	if (s->buffer == BUF_POINTER)
		s->pointer = PICK(ch, pointers);
}

static void choose_msi_route(struct choice *ch, struct kvm_irq_routing_entry *e)
{
	static const uint32_t his[] = { 0, 0, 0, 0x100, 0xffffff00, 1, 0xff };
	static const uint32_t los[] = { 0xfee00000, 0xfee01000, 0xfeeff00c, 0, 0x12345678 };

	e->type = KVM_IRQ_ROUTING_MSI;
	e->flags = chance(ch, 10) ? KVM_MSI_VALID_DEVID : 0;
	e->u.msi.address_lo = PICK(ch, los);
	e->u.msi.address_hi = PICK(ch, his);
	e->u.msi.data = choice_below(ch, 0x10000);
	e->u.msi.devid = chance(ch, 10) ? choice_next(ch) : 0;
}

static void choose_chip_route(struct choice *ch, struct kvm_irq_routing_entry *e)
{
	e->type = KVM_IRQ_ROUTING_IRQCHIP;
	e->flags = 0;
	e->u.irqchip.irqchip = choice_below(ch, 3);
	e->u.irqchip.pin = choice_below(ch, e->u.irqchip.irqchip == KVM_IRQCHIP_IOAPIC ? 24 : 8);
}

/* One field of a good entry becomes one of the edge values. */
static void spoil_route(struct choice *ch, struct kvm_irq_routing_entry *e)
{
	static const uint32_t types[] = { 0, 3, 6, 7, 100, 0x80000000, UINT32_MAX };
	static const uint32_t gsis[] = { 4095, 4096, 0x7fffffff, UINT32_MAX };
	static const uint32_t chips[] = { 3, 4, UINT32_MAX };
	static const uint32_t pins[] = { 7, 8, 15, 16, 23, 24, 25, 0xfffffff8, UINT32_MAX };
	static const uint32_t flags[] = { 1, 2, 3, 0x80000000, UINT32_MAX };

	switch (choice_below(ch, 5)) {
	case 0:
		e->type = PICK(ch, types);
		break;
	case 1:
		e->gsi = PICK(ch, gsis);
		break;
	case 2:
		e->flags = PICK(ch, flags);
		break;
	case 3:
		choose_chip_route(ch, e);
		e->u.irqchip.irqchip = PICK(ch, chips);
		break;
	default:
		choose_chip_route(ch, e);
		e->u.irqchip.pin = PICK(ch, pins);
		break;
	}
}

static void choose_route(struct choice *ch, const struct shadow *sh, const struct step *s,
			 uint32_t i, uint32_t first, bool wild, struct kvm_irq_routing_entry *e)
{
	/* u's last 16 bytes belong to no type that is sent here: pad. */
	memset(e, s->pad ? STEP_PAD : 0, sizeof(*e));
	memset(&e->u, 0, 16);
	/* Tidy: one route a GSI. Wild: two or three on one are common, some of them legal. */
	e->gsi = wild ? choice_below(ch, 16) : (first + i) % 4096;
	if (sh->chip == CHIP_FULL && chance(ch, 40))
		choose_chip_route(ch, e);
	else
		choose_msi_route(ch, e);
	if (wild && chance(ch, 15))
		spoil_route(ch, e);
}

static uint32_t choose_nr(struct choice *ch)
{
	uint32_t r = choice_below(ch, 100);

	if (r < 8)
		return 0;
	if (r < 25)
		return 1;
	if (r < 70)
		return 2 + choice_below(ch, 7);
	if (r < 95)
		return 9 + choice_below(ch, 64);
	return r < 98 ? 4096 : 4097;
}

static int choose_routing(struct choice *ch, const struct shadow *sh, struct step *s)
{
	static const uint32_t flags[] = { 1, 2, 0x80000000 };
	bool wild = chance(ch, 40);
	uint32_t i, first, n = choose_nr(ch);

	s->kind = STEP_SET_GSI_ROUTING;
	s->pad = chance(ch, 10);
	choose_buffer(ch, s);
	if (s->buffer == BUF_UNMAPPED && chance(ch, 70))
		s->buffer = BUF_ENTRIES_UNMAPPED;
	s->u.routing.nr = n;
	if (wild && chance(ch, 5))
		s->u.routing.flags = PICK(ch, flags);
	if (wild && chance(ch, 5))
		s->u.routing.nr = UINT32_MAX;
	if (s->buffer != BUF_GIVEN)
		return 0;
	first = choice_below(ch, chance(ch, 80) ? 64 : 4096);
	s->u.routing.entries = calloc(n ? n : 1, sizeof(*s->u.routing.entries));
	if (!s->u.routing.entries)
		return -ENOMEM;
	s->u.routing.nr_entries = n;
	for (i = 0; i < n; i++)
		choose_route(ch, sh, s, i, first, wild, &s->u.routing.entries[i]);
	return 0;
}

static void choose_cap(struct choice *ch, struct step *s)
{
	static const uint64_t splits[] = { 24, 24, 24, 0, 1, 240, 4096, 4097, 1ull << 40 };
	static const uint64_t apis[] = { 1, 2, 3, 1ull << 40 };

	s->kind = STEP_ENABLE_CAP;
	s->u.cap.name = "SPLIT_IRQCHIP";
	s->u.cap.nr = KVM_CAP_SPLIT_IRQCHIP;
	s->u.cap.arg = PICK(ch, splits);
	if (chance(ch, 30)) {
		s->u.cap.name = "X2APIC_API";
		s->u.cap.nr = KVM_CAP_X2APIC_API;
		s->u.cap.arg = PICK(ch, apis);
	} else if (chance(ch, 5)) {
		s->u.cap.name = "no such";
		s->u.cap.nr = 0x7fffffff;
	}
	if (chance(ch, 5))
		s->u.cap.flags = 1;
	choose_buffer(ch, s);
}

static void choose_extension(struct choice *ch, struct step *s)
{
	static const struct {
		const char *name;
		uint32_t nr;
	} caps[] = {
		{ "IRQCHIP", KVM_CAP_IRQCHIP },	      { "IRQ_ROUTING", KVM_CAP_IRQ_ROUTING },
		{ "IRQFD", KVM_CAP_IRQFD },	      { "IRQFD_RESAMPLE", KVM_CAP_IRQFD_RESAMPLE },
		{ "SIGNAL_MSI", KVM_CAP_SIGNAL_MSI }, { "SPLIT_IRQCHIP", KVM_CAP_SPLIT_IRQCHIP },
		{ "MSI_DEVID", KVM_CAP_MSI_DEVID },   { "PIT2", KVM_CAP_PIT2 },
		{ "IOEVENTFD", KVM_CAP_IOEVENTFD },   { "no such", 0x7fffffff },
	};
	uint32_t i = choice_below(ch, sizeof(caps) / sizeof(caps[0]));

	s->kind = STEP_CHECK_EXTENSION;
	s->on = chance(ch, 30) ? ON_SYSTEM : ON_VM;
	s->u.cap.name = caps[i].name;
	s->u.cap.nr = caps[i].nr;
}

static void choose_vcpu(struct choice *ch, struct step *s)
{
	s->kind = STEP_CREATE_VCPU;
	s->u.vcpu_id = chance(ch, 10) ? UINT32_MAX : choice_below(ch, 2);
}

static void choose_msi(struct choice *ch, struct step *s)
{
	static const uint32_t flags[] = { 0, 0, 0, 1, 2, 0x80000000 };
	static const uint32_t his[] = { 0, 0, 0x100, 1 };

	s->kind = STEP_SIGNAL_MSI;
	s->pad = chance(ch, 10);
	memset(&s->u.msi, s->pad ? STEP_PAD : 0, sizeof(s->u.msi));
	s->u.msi.address_lo = 0xfee00000;
	s->u.msi.address_hi = PICK(ch, his);
	s->u.msi.data = choice_below(ch, 0x10000);
	if ((s->u.msi.data >> 8 & 7) == 2)
		s->u.msi.data &= ~0x700u;
	s->u.msi.flags = PICK(ch, flags);
	s->u.msi.devid = 0;
	choose_buffer(ch, s);
}

static void choose_line(struct choice *ch, struct step *s)
{
	static const uint32_t gsis[] = { 0, 15, 16, 23, 24, 4095, 4096, 0x7fffffff, UINT32_MAX };
	static const uint32_t levels[] = { 0, 1, 1, 2, UINT32_MAX };

	s->kind = chance(ch, 30) ? STEP_IRQ_LINE : STEP_IRQ_LINE_STATUS;
	s->u.line.gsi = chance(ch, 50) ? PICK(ch, gsis) : choice_below(ch, 128);
	s->u.line.level = PICK(ch, levels);
	choose_buffer(ch, s);
}

static void choose_raw(struct choice *ch, const struct shadow *sh, struct step *s)
{
	static const uint32_t cmds[] = {
		KVM_GET_API_VERSION, _IO(KVMIO, 0xfe), /* no kernel has one of this number */
		_IO('Z', 0x11),			       /* nor one of this type */
		_IOW(KVMIO, 0x6a,
		     struct kvm_msi), /* the number of KVM_SET_GSI_ROUTING, not its size */
	};

	s->kind = STEP_RAW;
	s->u.raw.cmd = PICK(ch, cmds);
	s->u.raw.arg = chance(ch, 20);
	s->on = chance(ch, 50) ? ON_VM : ON_SYSTEM;
	if (sh->nr_vcpus && chance(ch, 30))
		s->on = ON_VCPU;
}

int choice_step(struct choice *ch, const struct shadow *sh, struct step *out)
{
	uint32_t r = choice_below(ch, sh->chip == CHIP_NONE ? 200 : 100);
	int ret = 0;

	memset(out, 0, sizeof(*out));
	if (r < 45)
		ret = choose_routing(ch, sh, out);
	else if (r < 55)
		choose_msi(ch, out);
	else if (r < 68)
		choose_line(ch, out);
	else if (r < 75)
		choose_extension(ch, out);
	else if (r < 82 && sh->nr_vcpus < 2)
		choose_vcpu(ch, out);
	else if (r < 89)
		choose_raw(ch, sh, out);
	else if (r >= 95 && r < 150)
		out->kind = STEP_CREATE_IRQCHIP;
	else
		choose_cap(ch, out);
	if (out->on == ON_VM && chance(ch, 3))
		out->on = ON_CLOSED;
	return ret;
}

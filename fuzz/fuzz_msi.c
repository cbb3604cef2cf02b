// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for messages: LAPICs get ids, modes and logical ids as the input says, then
 * messages are sent. Who got one is compared with what each LAPIC's registers say of its
 * destination, by the Intel SDM (vol. 3, "Determining IPI Destination") and
 * Documentation/virt/kvm/api.rst (KVM_CAP_X2APIC_API), written without a look at the port. What
 * clashing ids mean is not predicted.
 *
 * Input: the VM (2 bytes), for each vCPU 7 bytes, then 9 bytes a message.
 */
#include <errno.h>
#include <string.h>

#include "irq_fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_MESSAGES  64
#define MSR_APIC_BASE 0x1b
#define API_32BIT_IDS KVM_X2APIC_API_USE_32BIT_IDS
#define API_NO_QUIRK  KVM_X2APIC_API_DISABLE_BROADCAST_QUIRK

struct target {
	uint32_t vcpu_id, id, ldr;
	bool on, enabled, x2apic, flat;
};

struct message {
	uint32_t dest;
	bool logical, lowest, invalid;
	uint8_t vector;
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	irq_fuzz_init();
	return 0;
}

static void set_up_vcpu(struct irq_vm *vm, struct bytes *b, unsigned int i, struct irq_state *now,
			struct target *t)
{
	static struct irq_call c;
	uint8_t how = next_u8(b);
	uint32_t reg;
	struct irq_answer a;

	t->x2apic = how & 1;
	t->on = !(how & 8);
	c.kind = IRQ_SET_MSR;
	c.vcpu = i;
	c.u.msr.nmsrs = 1;
	c.u.msr.entry.index = MSR_APIC_BASE;
	c.u.msr.entry.data = 0xfee00000 | (t->on ? 0x800 : 0) | (t->on && t->x2apic ? 0x400 : 0);
	irq_vm_call(vm, &c, &a);
	if (a.ret != 1)
		irq_fuzz_wrong(&c, "ret %ld", a.ret);

	c.kind = IRQ_SET_LAPIC;
	irq_fuzz_lapic(vm, i, now);
	c.u.lapic = now->lapic[i];
	reg = how & 2 ? 0xff : 0x1ff;
	memcpy(c.u.lapic.regs + LAPIC_SVR, &reg, sizeof(reg));
	reg = how & 4 ? 0x0fffffff : 0xffffffff;
	memcpy(c.u.lapic.regs + LAPIC_DFR, &reg, sizeof(reg));
	reg = next_u32(b);
	memcpy(c.u.lapic.regs + LAPIC_LDR, &reg, sizeof(reg));
	reg = next_u8(b);
	if (how & 16 && !t->x2apic)
		c.u.lapic.regs[LAPIC_ID + 3] = reg;
	irq_vm_call(vm, &c, &a);
	if (a.ret)
		irq_fuzz_wrong(&c, "ret %ld", a.ret);
}

static void look(struct irq_vm *vm, const struct irq_setup *s, struct target *t,
		 struct irq_state *now)
{
	unsigned int i;

	irq_fuzz_lapics(vm, now);
	for (i = 0; i < s->nr_vcpus; i++) {
		t[i].vcpu_id = s->ids[i];
		t[i].x2apic &= t[i].on;
		t[i].enabled = t[i].on && lapic_reg(&now->lapic[i], LAPIC_SVR) & 0x100;
		t[i].flat = lapic_reg(&now->lapic[i], LAPIC_DFR) == 0xffffffff;
		t[i].id = t[i].x2apic ? s->ids[i] : lapic_reg(&now->lapic[i], LAPIC_ID) >> 24;
		t[i].ldr = lapic_reg(&now->lapic[i], LAPIC_LDR);
	}
}

/*
 * Two LAPICs of one id in 8 bits, an id that does not fit into an xAPIC's, an xAPIC without a
 * logical id beside x2APICs, which have theirs from their id: anything goes.
 */
static bool clash(const struct irq_setup *s, const struct target *t)
{
	bool x2apics = false, nameless = false;
	unsigned int i, k;

	for (i = 0; i < s->nr_vcpus; i++) {
		x2apics |= t[i].x2apic;
		nameless |= !t[i].x2apic && !t[i].ldr;
		if (!t[i].x2apic && t[i].vcpu_id > 0xff)
			return true;
		for (k = 0; k < i; k++)
			if (t[i].on && t[k].on && (t[i].id & 0xff) == (t[k].id & 0xff))
				return true;
	}
	return x2apics && nameless;
}

static bool is_broadcast(const struct irq_setup *s, const struct target *t, uint32_t dest)
{
	bool quirk = s->api < 0 || !(s->api & API_NO_QUIRK);

	if (t->x2apic)
		return dest == 0xffffffff || (dest == 0xff && quirk);
	return dest == 0xff;
}

static bool matches(const struct irq_setup *s, const struct target *t, const struct message *m)
{
	uint32_t ldr = t->ldr;

	if (!t->on)
		return false;
	if (is_broadcast(s, t, m->dest))
		return true;
	if (!m->logical)
		return m->dest == t->id;
	if (t->x2apic)
		return ldr >> 16 == m->dest >> 16 && (ldr & m->dest & 0xffff);
	ldr >>= 24;
	if (t->flat)
		return ldr & m->dest & 0xff;
	return ldr >> 4 == (m->dest >> 4 & 0xf) && (ldr & m->dest & 0xf);
}

static void next_message(struct bytes *b, const struct irq_setup *s, struct irq_call *c,
			 struct message *m)
{
	uint8_t how = next_u8(b);
	bool wide = s->api > 0 && s->api & API_32BIT_IDS;

	c->kind = IRQ_MSI;
	memset(&c->u.msi, 0, sizeof(c->u.msi));
	c->u.msi.address_lo = next_u32(b);
	c->u.msi.data = next_u8(b) | (how & 1 ? 0x8000 : 0) | (how & 2 ? 0x100 : 0);
	if (how & 4)
		c->u.msi.address_hi = next_u32(b);
	/* Most often a destination that somebody could be. */
	if (how & 8)
		c->u.msi.address_lo = (c->u.msi.address_lo & 0xff00c) | 0xfee00000;
	m->vector = c->u.msi.data;
	m->lowest = c->u.msi.data & 0x100 || c->u.msi.address_lo & 8;
	m->logical = c->u.msi.address_lo & 4;
	m->dest = c->u.msi.address_lo >> 12 & 0xff;
	m->invalid = wide && (c->u.msi.address_hi & 0xff);
	if (wide)
		m->dest |= c->u.msi.address_hi & 0xffffff00;
}

static void check(const struct irq_setup *s, const struct target *t, const struct message *m,
		  const struct irq_call *c, long ret, const struct irq_state *was,
		  const struct irq_state *now)
{
	/* To everybody with lowest priority, physically: a plain broadcast. */
	bool all = !m->logical && m->dest == 0xff && !(c->u.msi.address_lo & 8);
	unsigned int i, fits = 0, got = 0;
	bool has, had, may;

	for (i = 0; i < s->nr_vcpus; i++) {
		has = lapic_has(&now->lapic[i], LAPIC_IRR, m->vector);
		had = lapic_has(&was->lapic[i], LAPIC_IRR, m->vector);
		may = t[i].enabled && matches(s, &t[i], m) && !m->invalid;
		fits += may;
		got += has && !had;
		if (has && !had && !may)
			irq_fuzz_wrong(c, "vCPU %u is not meant, but got it", i);
		if (may && !has && (!m->lowest || all))
			irq_fuzz_wrong(c, "vCPU %u is meant, but did not get it", i);
		if (had && !has)
			irq_fuzz_wrong(c, "vCPU %u lost what it had", i);
	}
	if (m->invalid ? ret != -EINVAL : ret < -1 || ret > (long)fits)
		irq_fuzz_wrong(c, "ret %ld, %u are meant", ret, fits);
	if (m->lowest && !all && (got > 1 || ret > 1))
		irq_fuzz_wrong(c, "lowest priority, but %u got it, ret %ld", got, ret);
	if ((!m->lowest || all) && fits && ret != (long)fits && !m->invalid)
		irq_fuzz_wrong(c, "ret %ld, but %u are meant", ret, fits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target t[IRQ_MAX_VCPUS] = { 0 };
	struct bytes b = { data, data + size };
	static struct irq_state states[2];
	struct irq_state *was, *now = &states[0];
	struct irq_setup setup;
	struct irq_answer a;
	struct irq_call c;
	struct message m = { 0 };
	struct irq_vm vm;
	unsigned int i;
	bool defined;

	irq_fuzz_open(&vm, &b, &setup);
	for (i = 0; i < setup.nr_vcpus; i++)
		set_up_vcpu(&vm, &b, i, now, &t[i]);
	look(&vm, &setup, t, now);
	defined = !clash(&setup, t);
	for (i = 0; i < MAX_MESSAGES && b.p < b.end; i++) {
		next_message(&b, &setup, &c, &m);
		irq_vm_call(&vm, &c, &a);
		was = now;
		now = &states[now == &states[0]];
		irq_fuzz_lapics(&vm, now);
		if (defined)
			check(&setup, t, &m, &c, a.ret, was, now);
	}
	irq_fuzz_close(&vm);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/mm.h>
#include <sim/report.h>
#include <sim/task.h>

#include "irq_fuzz.h"
#include "model/vmm/live_irq_choice.h"

#define MAX_BACKENDS 2

static struct backend backends[MAX_BACKENDS];
static unsigned int nr_backends;
static struct kvm_cpuid2 *cpuid;
static uint64_t live_before;

uint8_t next_u8(struct bytes *b)
{
	return b->p < b->end ? *b->p++ : 0;
}

uint32_t next_u32(struct bytes *b)
{
	uint32_t v = 0;

	next_bytes(b, &v, sizeof(v));
	return v;
}

void next_bytes(struct bytes *b, void *to, size_t size)
{
	size_t left = b->end - b->p;

	if (size > left)
		size = left;
	memcpy(to, b->p, size);
	b->p += size;
}

static uint64_t live_objects(void)
{
	struct sim_mm_stats stats;

	sim_mm_stats(&stats);
	return stats.live_objects;
}

void irq_fuzz_init(void)
{
	struct backend *b;
	int kvm;

	sim_mm_set_checks(FUZZ_CHECKS);
	sim_init();
	sim_set_alone();
	sim_report_set_abort(1);
	while (nr_backends < irqsim_nr_ports && nr_backends < MAX_BACKENDS) {
		b = &backends[nr_backends];
		backend_port_init(b, &irqsim_ports[nr_backends++]);
		/* Stays open, so that the module does not come and go with each input. */
		kvm = b->open_kvm(b);
		if (kvm != IRQ_FUZZ_KVM_FD)
			abort();
		if (!cpuid)
			cpuid = irq_supported_cpuid(b, kvm);
	}
	if (!cpuid)
		abort();
	irq_fuzz_settled();
}

/* Ids around what 8 bits hold, distinct. */
static void choose_ids(struct bytes *b, struct irq_setup *s)
{
	static const uint32_t ids[] = { 0, 1, 2, 3, 0x10, 0x11, 0xfe, 0xff, 0x100, 0x101, 0x1ff };
	unsigned int i, at = next_u8(b);

	for (i = 0; i < s->nr_vcpus; i++)
		s->ids[i] = ids[(at + i * (1 + at % 3)) % (sizeof(ids) / sizeof(ids[0]))];
}

struct backend *irq_fuzz_backend(unsigned int n)
{
	return &backends[n % nr_backends];
}

void irq_fuzz_open_as(struct irq_vm *vm, struct backend *b, struct irq_setup *setup)
{
	const char *what;
	int ret;

	setup->cpuid = cpuid;
	ret = irq_vm_open(vm, b, setup, &what);
	if (ret) {
		fprintf(stderr, "%s: %d\n", what, ret);
		abort();
	}
}

void irq_fuzz_open(struct irq_vm *vm, struct bytes *b, struct irq_setup *setup)
{
	uint8_t how = next_u8(b);

	memset(setup, 0, sizeof(*setup));
	setup->split = how & 1;
	setup->x2apic = how & 2;
	setup->enabled = how & 4;
	setup->api = (how >> 3) % 5 - 1;
	setup->nr_vcpus = 1 + (how >> 6) % IRQ_MAX_VCPUS;
	setup->runs = true;
	choose_ids(b, setup);
	irq_fuzz_open_as(vm, &backends[0], setup);
}

void irq_fuzz_settled(void)
{
	live_before = live_objects();
}

void irq_fuzz_check_leaks(void)
{
	if (live_objects() == live_before)
		return;
	fprintf(stderr, "%lld objects leaked\n", (long long)(live_objects() - live_before));
	sim_mm_leak_report(stderr);
	abort();
}

void irq_fuzz_close(struct irq_vm *vm)
{
	irq_vm_close(vm);
	irq_fuzz_check_leaks();
}

static void must(long ret)
{
	if (ret) {
		fprintf(stderr, "the VM's state cannot be read: %ld\n", ret);
		abort();
	}
}

static void read_chip(struct irq_vm *vm, struct irq_state *s, unsigned int id)
{
	s->chip[id].chip_id = id;
	must(vm->b->ioctl(vm->b, vm->vm, KVM_GET_IRQCHIP, (unsigned long)&s->chip[id]));
}

void irq_fuzz_lapic(struct irq_vm *vm, unsigned int vcpu, struct irq_state *s)
{
	must(vm->b->ioctl(vm->b, vm->vcpus[vcpu], KVM_GET_LAPIC, (unsigned long)&s->lapic[vcpu]));
}

void irq_fuzz_lapics(struct irq_vm *vm, struct irq_state *s)
{
	unsigned int i;

	for (i = 0; i < vm->nr_vcpus; i++)
		irq_fuzz_lapic(vm, i, s);
}

void irq_fuzz_ioapic(struct irq_vm *vm, struct irq_state *s)
{
	read_chip(vm, s, KVM_IRQCHIP_IOAPIC);
}

void irq_fuzz_pics(struct irq_vm *vm, struct irq_state *s)
{
	read_chip(vm, s, KVM_IRQCHIP_PIC_MASTER);
	read_chip(vm, s, KVM_IRQCHIP_PIC_SLAVE);
}

uint32_t lapic_reg(const struct kvm_lapic_state *s, unsigned int reg)
{
	uint32_t v;

	memcpy(&v, s->regs + reg, sizeof(v));
	return v;
}

bool lapic_has(const struct kvm_lapic_state *s, unsigned int base, uint8_t vector)
{
	return lapic_reg(s, base + vector / 32 * 0x10) >> vector % 32 & 1;
}

void irq_fuzz_wrong(const struct irq_call *c, const char *fmt, ...)
{
	char text[8192];
	va_list ap;

	irq_call_text(c, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	abort();
}

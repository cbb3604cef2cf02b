// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "routing_vm.h"

/* Where variants differ, the program that tests them says true. */
bool ports_with_variants __attribute__((weak));

static int wanted(const struct port *p)
{
	const char *only = getenv("IRQSIM_PORT");

	if (only)
		return !strcmp(p->name, only);
	return !strcmp(p->kind, "strategy") || (ports_with_variants && !strcmp(p->kind, "variant"));
}

const struct port *next_port(const struct port *p)
{
	for (p = p ? p + 1 : irqsim_ports; p < irqsim_ports + irqsim_nr_ports; p++)
		if (wanted(p))
			return p;
	return NULL;
}

uint64_t live_objects(void)
{
	struct sim_mm_stats stats;

	sim_mm_stats(&stats);
	return stats.live_objects;
}

struct vm vm_make(const struct port *port, enum chip chip)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	struct vm vm = { .port = port, .ops = port->ops };
	long ret = 0;

	sim_mm_set_checks(SIM_MM_CHECKS_ALL);
	sim_init();
	vm.live_before = live_objects();
	vm.kvm = vm.ops->open_kvm();
	vm.fd = vm.ops->ioctl(vm.kvm, KVM_CREATE_VM, 0);
	cr_assert_geq(vm.fd, 0, "%s: KVM_CREATE_VM: %d", port->name, vm.fd);
	if (chip == FULL_CHIP)
		ret = vm.ops->ioctl(vm.fd, KVM_CREATE_IRQCHIP, 0);
	else if (chip == SPLIT_CHIP)
		ret = vm.ops->ioctl(vm.fd, KVM_ENABLE_CAP, (unsigned long)&split);
	cr_assert_eq(ret, 0, "%s: irqchip: %ld", port->name, ret);

	return vm;
}

void vm_end(struct vm *vm)
{
	cr_assert_eq(vm->ops->close(vm->fd), 0);
	cr_assert_eq(vm->ops->close(vm->kvm), 0);
	sim_mm_check();
	cr_expect_eq(live_objects(), vm->live_before, "%s: %lu objects leaked", vm->port->name,
		     (unsigned long)(live_objects() - vm->live_before));
	cr_expect_eq(sim_report_defects(), 0, "%s: %lu reports", vm->port->name,
		     sim_report_defects());
}

struct table *table_new(void)
{
	struct table *t = calloc(1, sizeof(*t));

	cr_assert(t);
	return t;
}

static struct kvm_irq_routing_entry *add(struct table *t, uint32_t gsi, uint32_t type)
{
	struct kvm_irq_routing_entry *e = &t->entries[t->head.nr++];

	*e = (struct kvm_irq_routing_entry){ .gsi = gsi, .type = type };
	return e;
}

void add_msi(struct table *t, uint32_t gsi, uint32_t data)
{
	struct kvm_irq_routing_entry *e = add(t, gsi, KVM_IRQ_ROUTING_MSI);

	e->u.msi.address_lo = 0xfee00000;
	e->u.msi.data = data;
}

void add_pin(struct table *t, uint32_t gsi, uint32_t chip, uint32_t pin)
{
	struct kvm_irq_routing_entry *e = add(t, gsi, KVM_IRQ_ROUTING_IRQCHIP);

	e->u.irqchip.irqchip = chip;
	e->u.irqchip.pin = pin;
}

struct table *msi_table(uint32_t nr, uint32_t tag)
{
	struct table *t = table_new();
	uint32_t gsi;

	for (gsi = 0; gsi < nr; gsi++)
		add_msi(t, gsi, tag);
	return t;
}

long vm_set(struct vm *vm, const struct table *t)
{
	return vm->ops->ioctl(vm->fd, KVM_SET_GSI_ROUTING, (unsigned long)t);
}

static uint32_t kernel_pin(const struct kvm_irq_routing_entry *e)
{
	/* The PIC pair is one device: the slave's pins come after the master's eight. */
	return e->u.irqchip.pin + (e->u.irqchip.irqchip == KVM_IRQCHIP_PIC_SLAVE ? 8 : 0);
}

static void expect_route(struct vm *vm, const struct port_route *r,
			 const struct kvm_irq_routing_entry *e)
{
	const char *name = vm->port->name;

	cr_assert_eq(r->gsi, e->gsi, "%s: gsi %u", name, e->gsi);
	cr_assert_eq(r->type, e->type, "%s: gsi %u", name, e->gsi);
	if (e->type == KVM_IRQ_ROUTING_IRQCHIP) {
		cr_assert_eq(r->words[0], e->u.irqchip.irqchip, "%s: gsi %u", name, e->gsi);
		cr_assert_eq(r->words[1], kernel_pin(e), "%s: gsi %u", name, e->gsi);
	} else if (e->type == KVM_IRQ_ROUTING_MSI) {
		cr_assert_eq(r->words[0], e->u.msi.address_lo, "%s: gsi %u", name, e->gsi);
		cr_assert_eq(r->words[1], e->u.msi.address_hi, "%s: gsi %u", name, e->gsi);
		cr_assert_eq(r->words[2], e->u.msi.data, "%s: gsi %u", name, e->gsi);
		/* x86 takes neither from user space. */
		cr_assert_eq(r->words[3], 0, "%s: gsi %u: msi.flags", name, e->gsi);
		cr_assert_eq(r->words[4], 0, "%s: gsi %u: msi.devid", name, e->gsi);
	}
}

static void expect_pins(struct vm *vm, const struct table *t)
{
	int pins[PORT_NR_CHIPS][PORT_NR_PINS];
	uint32_t i;

	memset(pins, -1, sizeof(pins));
	for (i = 0; i < t->head.nr; i++)
		if (t->entries[i].type == KVM_IRQ_ROUTING_IRQCHIP)
			pins[t->entries[i].u.irqchip.irqchip][kernel_pin(&t->entries[i])] =
				t->entries[i].gsi;
	for (i = 0; i < PORT_NR_CHIPS * PORT_NR_PINS; i++)
		cr_assert_eq(vm->ops->map_pin(vm->fd, i / PORT_NR_PINS, i % PORT_NR_PINS),
			     pins[i / PORT_NR_PINS][i % PORT_NR_PINS], "%s: chip %u pin %u",
			     vm->port->name, i / PORT_NR_PINS, i % PORT_NR_PINS);
}

void expect_table(struct vm *vm, const struct table *t)
{
	static const struct kvm_irq_routing_entry *want[PORT_MAX_GSI][PORT_ROUTES_PER_GSI];
	static int nr_want[PORT_MAX_GSI];
	struct port_route routes[PORT_ROUTES_PER_GSI];
	uint32_t gsi, i;
	int n;

	memset(nr_want, 0, sizeof(nr_want));
	for (i = 0; i < t->head.nr; i++) {
		gsi = t->entries[i].gsi;
		cr_assert_lt(nr_want[gsi], PORT_ROUTES_PER_GSI);
		want[gsi][nr_want[gsi]++] = &t->entries[i];
	}
	for (gsi = 0; gsi < PORT_MAX_GSI; gsi++) {
		n = vm->ops->map_gsi(vm->fd, gsi, routes);
		if (n != nr_want[gsi])
			cr_assert_fail("%s: gsi %u has %d routes, not %d", vm->port->name, gsi, n,
				       nr_want[gsi]);
		/* Found last first. */
		for (i = 0; n > 0; i++)
			expect_route(vm, &routes[--n], want[gsi][i]);
	}
	expect_pins(vm, t);
}

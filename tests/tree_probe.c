// SPDX-License-Identifier: GPL-2.0-only
/*
 * tree_probe DIR...: link the trees in, give each the same routing tables as per-entry, compare
 * what a reader then sees and what was allocated. Prints a line for each, and the program that did
 * it; driven by tests/tree_link.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/kvm.h>

#include <port.h>
#include <sim/ops.h>
#include <sim/report.h>
#include <sim/task.h>

#include "tools/irqsim/tree.h"

#define ROUTES 700 /* more than one page of entries and of map */

struct outcome {
	uint64_t first, last; /* digests */
	unsigned long kmallocs, kfrees;
	int routes;
};

static struct kvm_irq_routing *make_table(uint32_t data)
{
	struct kvm_irq_routing *t = calloc(1, sizeof(*t) + ROUTES * sizeof(t->entries[0]));
	unsigned int i;

	if (!t)
		abort();
	t->nr = ROUTES;
	for (i = 0; i < ROUTES; i++) {
		t->entries[i].gsi = i;
		t->entries[i].type = KVM_IRQ_ROUTING_MSI;
		t->entries[i].u.msi.address_lo = 0xfee00000u | (i & 0xff) << 12;
		t->entries[i].u.msi.data = data + i;
	}
	return t;
}

static int set_table(const struct port_ops *ops, int vm, uint32_t data)
{
	struct kvm_irq_routing *t = make_table(data);
	long ret = ops->ioctl(vm, KVM_SET_GSI_ROUTING, (unsigned long)t);

	free(t);
	return (int)ret;
}

static int drive(const struct port_ops *ops, struct outcome *out)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	struct port_route routes[PORT_ROUTES_PER_GSI];
	struct sim_counts before;
	int kvm, vm, ret;

	ret = ops->boot();
	if (ret)
		return ret;
	kvm = ops->open_kvm();
	vm = (int)ops->ioctl(kvm, KVM_CREATE_VM, 0);
	ret = (int)ops->ioctl(vm, KVM_ENABLE_CAP, (unsigned long)&split);
	if (!ret)
		ret = set_table(ops, vm, 1);
	if (!ret)
		ret = ops->routing_digest(vm, &out->first);
	before = sim_counts;
	if (!ret)
		ret = set_table(ops, vm, 1000);
	out->kmallocs = sim_counts.n[SIM_SECTION_ROUTING][SIM_OP_KMALLOC] -
			before.n[SIM_SECTION_ROUTING][SIM_OP_KMALLOC];
	out->kfrees = sim_counts.n[SIM_SECTION_ROUTING][SIM_OP_KFREE] -
		      before.n[SIM_SECTION_ROUTING][SIM_OP_KFREE];
	if (!ret)
		ret = ops->routing_digest(vm, &out->last);
	out->routes = ops->map_gsi(vm, 5, routes);
	if (!ret && out->routes == 1 && routes[0].words[2] != 1005)
		ret = -1;
	ops->close(vm);
	ops->close(kvm);

	return ret;
}

static int compare(const char *dir, const struct outcome *want)
{
	char name[4096], program[4096];
	const struct port *p;
	struct outcome got;
	ssize_t n;
	int ret;

	snprintf(name, sizeof(name), "tree:%s", dir);
	p = port_find("tree", name);
	if (!p) {
		printf("%s: not linked in\n", name);
		return 1;
	}
	ret = drive(p->ops, &got);
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[n < 0 ? 0 : n] = '\0';
	printf("%s\t%s\t%s\t%s\t%d\t%lu\t%lu\t%s\n", p->name, p->subject, p->ops->release,
	       p->ops->config, ret, got.kmallocs, got.kfrees, program);

	return ret || got.first != want->first || got.last != want->last || got.first == got.last ||
	       got.kmallocs != want->kmallocs || got.kfrees != want->kfrees ||
	       got.routes != want->routes;
}

int main(int argc, char **argv)
{
	struct outcome want;
	int i, bad = 0;

	if (tree_ensure(argv + 1, (unsigned int)argc - 1, argc, argv))
		return 2;
	sim_init();
	if (drive(port_find("strategy", "per-entry")->ops, &want) || want.kmallocs < ROUTES)
		return 3;
	for (i = 1; i < argc; i++)
		bad |= compare(argv[i], &want);
	if (sim_report_count(SIM_REPORT_UNSUPPORTED))
		printf("unsupported\t%lu\n", sim_report_count(SIM_REPORT_UNSUPPORTED));

	return bad;
}

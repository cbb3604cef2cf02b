// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/kvm.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "case_step.h"
#include "ioctl_timing.h"

#define MAX_ROUTES 4096 /* KVM_MAX_IRQ_ROUTES */

static struct kvm_irq_routing *make_table(unsigned int routes, uint32_t last_data)
{
	struct kvm_irq_routing *t = calloc(1, sizeof(*t) + routes * sizeof(t->entries[0]));
	unsigned int i;

	if (!t)
		return NULL;
	t->nr = routes;
	for (i = 0; i < routes; i++) {
		t->entries[i].gsi = i;
		t->entries[i].type = KVM_IRQ_ROUTING_MSI;
		t->entries[i].u.msi.address_lo = 0xfee00000;
		t->entries[i].u.msi.data = 0x30 + i % 0xc0;
	}
	if (routes)
		t->entries[routes / 2].u.msi.data = last_data;
	return t;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int measure(struct case_vm *vm, struct kvm_irq_routing *const *tables, unsigned int samples,
		   double *us)
{
	unsigned int warm = samples / 10 + 1, i;

	for (i = 0; i < warm + samples; i++) {
		double begin = now_us();
		long ret = vm->b->ioctl(vm->b, vm->vm, KVM_SET_GSI_ROUTING,
					(unsigned long)tables[i % 2]);

		if (ret < 0)
			return ret;
		if (i >= warm)
			us[i - warm] = now_us() - begin;
	}
	return 0;
}

int time_set_routing(struct backend *b, unsigned int routes, unsigned int samples, double *min_us,
		     double *median_us)
{
	struct kvm_irq_routing *tables[2] = { NULL, NULL };
	struct case_vm vm;
	const char *what;
	double *us;
	int ret = -ENOMEM;

	if (routes > MAX_ROUTES || !samples)
		return -EINVAL;
	us = calloc(samples, sizeof(*us));
	tables[0] = make_table(routes, 0xe0);
	tables[1] = make_table(routes, 0xe1);
	if (!us || !tables[0] || !tables[1])
		goto out_free;
	ret = vm_open(&vm, b, case_setup_find("split0"), &what);
	if (!ret)
		ret = measure(&vm, tables, samples, us);
	vm_close(&vm);
	if (ret)
		goto out_free;
	qsort(us, samples, sizeof(*us), by_value);
	*min_us = us[0];
	*median_us = samples % 2 ? us[samples / 2] : (us[samples / 2 - 1] + us[samples / 2]) / 2;
out_free:
	free(us);
	free(tables[0]);
	free(tables[1]);
	return ret;
}

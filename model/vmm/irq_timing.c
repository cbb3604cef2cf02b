// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "irq_timing.h"
#include "live_irq_vm.h"

#define FIRST_VECTOR 0x20 /* those below 16 are illegal, then come the exceptions' */
#define LAST_VECTOR  0xff
#define MAX_SOURCES  (LAST_VECTOR - FIRST_VECTOR + 1)
#define FIRST_PIN    16		/* from here on a line goes to the IOAPIC alone */
#define MSI_ADDRESS  0xfee00000 /* physical, to LAPIC 0 */
#define LAPIC_IRR    0x200

/* What raises interrupts: number n has vector FIRST_VECTOR + n. */
struct sources {
	struct irq_vm vm;
	unsigned int nr;
	int eventfds[MAX_SOURCES];
	unsigned int nr_eventfds;
};

static long vm_ioctl(struct sources *s, unsigned int cmd, const void *arg)
{
	return s->vm.b->ioctl(s->vm.b, s->vm.vm, cmd, (unsigned long)arg);
}

static long lapic_ioctl(struct sources *s, unsigned int cmd, struct kvm_lapic_state *lapic)
{
	return s->vm.b->ioctl(s->vm.b, s->vm.vcpus[0], cmd, (unsigned long)lapic);
}

/* ---- set up ---- */

static long route_messages(struct sources *s)
{
	struct kvm_irq_routing *t = calloc(1, sizeof(*t) + s->nr * sizeof(t->entries[0]));
	unsigned int i;
	long ret;

	if (!t)
		return -ENOMEM;
	t->nr = s->nr;
	for (i = 0; i < s->nr; i++) {
		t->entries[i].gsi = i;
		t->entries[i].type = KVM_IRQ_ROUTING_MSI;
		t->entries[i].u.msi.address_lo = MSI_ADDRESS;
		t->entries[i].u.msi.data = FIRST_VECTOR + i;
	}
	ret = vm_ioctl(s, KVM_SET_GSI_ROUTING, t);
	free(t);
	return ret;
}

static long bind_eventfds(struct sources *s)
{
	struct backend *b = s->vm.b;
	unsigned int i;
	long ret;

	s->nr = MAX_SOURCES;
	ret = route_messages(s);
	for (i = 0; !ret && i < s->nr; i++) {
		struct kvm_irqfd args = { .gsi = i };
		int fd = b->eventfd(b);

		if (fd < 0)
			return fd;
		s->eventfds[s->nr_eventfds++] = args.fd = fd;
		ret = vm_ioctl(s, KVM_IRQFD, &args);
	}
	return ret;
}

static long program_pins(struct sources *s)
{
	struct kvm_irqchip chip = { .chip_id = KVM_IRQCHIP_IOAPIC };
	long ret = vm_ioctl(s, KVM_GET_IRQCHIP, &chip);
	unsigned int i;

	if (ret)
		return ret;
	s->nr = KVM_IOAPIC_NUM_PINS - FIRST_PIN;
	for (i = 0; i < s->nr; i++)
		chip.chip.ioapic.redirtbl[FIRST_PIN + i].bits = FIRST_VECTOR + i;
	return vm_ioctl(s, KVM_SET_IRQCHIP, &chip);
}

static long sources_open(struct sources *s, struct backend *b, enum irq_path path)
{
	const struct irq_setup setup = { .api = -1, .nr_vcpus = 1, .enabled = true };
	const char *what;
	long ret = irq_vm_open(&s->vm, b, &setup, &what);

	if (ret)
		return ret;
	switch (path) {
	case IRQ_PATH_EVENTFD:
		return bind_eventfds(s);
	case IRQ_PATH_LINE:
		return program_pins(s);
	default:
		s->nr = MAX_SOURCES;
		return 0;
	}
}

static void sources_close(struct sources *s)
{
	while (s->nr_eventfds)
		s->vm.b->close(s->vm.b, s->eventfds[--s->nr_eventfds]);
	irq_vm_close(&s->vm);
}

/* ---- a batch ---- */

static long raise_message(struct sources *s, unsigned int i)
{
	struct kvm_msi msi = { .address_lo = MSI_ADDRESS, .data = FIRST_VECTOR + i };
	long ret = vm_ioctl(s, KVM_SIGNAL_MSI, &msi);

	return ret < 0 ? ret : 0;
}

static long raise_line(struct sources *s, unsigned int i)
{
	struct kvm_irq_level line = { .irq = FIRST_PIN + i, .level = 1 };
	long ret = vm_ioctl(s, KVM_IRQ_LINE, &line);

	line.level = 0;
	return ret ? ret : vm_ioctl(s, KVM_IRQ_LINE, &line);
}

static long raise_all(struct sources *s, enum irq_path path)
{
	struct backend *b = s->vm.b;
	unsigned int i;
	long ret = 0;

	switch (path) {
	case IRQ_PATH_EVENTFD:
		for (i = 0; ret >= 0 && i < s->nr; i++)
			ret = b->write(b, s->eventfds[i], 1);
		return ret < 0 ? ret : 0;
	case IRQ_PATH_MSI:
		for (i = 0; !ret && i < s->nr; i++)
			ret = raise_message(s, i);
		return ret;
	default:
		for (i = 0; !ret && i < s->nr; i++)
			ret = raise_line(s, i);
		return ret;
	}
}

/* All vectors are in IRR; none is afterwards. */
static long take_all(struct sources *s)
{
	struct kvm_lapic_state lapic;
	long ret = lapic_ioctl(s, KVM_GET_LAPIC, &lapic);
	unsigned int v;

	if (ret)
		return ret;
	for (v = FIRST_VECTOR; v < FIRST_VECTOR + s->nr; v++) {
		char *byte = &lapic.regs[LAPIC_IRR + v / 32 * 0x10 + v % 32 / 8];

		if (!(*byte >> v % 8 & 1))
			return -EIO;
		*byte &= ~(1 << v % 8);
	}
	return lapic_ioctl(s, KVM_SET_LAPIC, &lapic);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static long measure(struct sources *s, enum irq_path path, unsigned int batches, double *ns)
{
	unsigned int warm = batches / 10 + 1, i;

	for (i = 0; i < warm + batches; i++) {
		double begin = now_ns(), end;
		long ret = raise_all(s, path);

		end = now_ns();
		if (!ret)
			ret = take_all(s);
		if (ret)
			return ret;
		if (i >= warm)
			ns[i - warm] = (end - begin) / s->nr;
	}
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int time_irq(struct backend *b, enum irq_path path, unsigned int batches, double *median_ns)
{
	struct sources *s = calloc(1, sizeof(*s));
	double *ns = calloc(batches, sizeof(*ns));
	long ret = -ENOMEM;

	if (s && ns && batches) {
		ret = sources_open(s, b, path);
		if (!ret)
			ret = measure(s, path, batches, ns);
		sources_close(s);
	}
	if (!ret) {
		qsort(ns, batches, sizeof(*ns), by_value);
		*median_ns = ns[batches / 2];
	}
	free(ns);
	free(s);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
#include "kvm_irqfds.h"

static unsigned int nr_injections;
static u32 vector;

int new_eventfd(void)
{
	int fd = port_ops.eventfd(0, 0);

	DET_CHECK(fd >= 0);
	return fd;
}

static long irqfd(int vm, int fd, u32 gsi, u32 flags, int resamplefd)
{
	struct kvm_irqfd args = { .fd = fd, .gsi = gsi, .flags = flags, .resamplefd = resamplefd };

	return port_ops.ioctl(vm, KVM_IRQFD, (unsigned long)&args);
}

long irqfd_assign(int vm, int fd, u32 gsi)
{
	return irqfd(vm, fd, gsi, 0, 0);
}

long irqfd_deassign(int vm, int fd, u32 gsi)
{
	return irqfd(vm, fd, gsi, KVM_IRQFD_FLAG_DEASSIGN, 0);
}

long irqfd_assign_resampling(int vm, int fd, u32 gsi, int resamplefd)
{
	return irqfd(vm, fd, gsi, KVM_IRQFD_FLAG_RESAMPLE, resamplefd);
}

void write_eventfd(int fd)
{
	DET_CHECK(port_ops.write(fd, 1) == 8);
}

u64 read_eventfd(int fd)
{
	uint64_t count = 0;
	long ret = port_ops.read(fd, &count);

	DET_CHECK(ret == 8 || ret == -EAGAIN);
	return ret == 8 ? count : 0;
}

int another_vm(void)
{
	struct kvm_enable_cap cap = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	int vm = port_ops.ioctl(routes.system, KVM_CREATE_VM, 0);

	DET_CHECK(vm >= 0);
	DET_CHECK(!port_ops.ioctl(vm, KVM_ENABLE_CAP, (unsigned long)&cap));
	DET_CHECK(!port_ops.ioctl(vm, KVM_SET_GSI_ROUTING, (unsigned long)&routes.tables[0]));
	return vm;
}

static void on_event(void *arg, int fd, const struct port_event *ev)
{
	DET_CHECK(route_fits(ev->route.words[2], ev->gsi, 0));
	data_race(nr_injections++);
	data_race(vector = ev->route.words[2]);
}

void count_injections(void)
{
	nr_injections = 0;
	port_ops.set_event_sink(on_event, NULL);
}

unsigned int injections(void)
{
	return data_race(nr_injections);
}

u32 last_vector(void)
{
	return data_race(vector);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What this KVM object shows to the simulator: its system calls, and the routing table as a reader
 * in the kernel sees it.
 */
#include <generated/utsrelease.h>

#include <sim/ops.h>
#include <sim/sync.h>

#include "door.h"
#include "../../kernel-port/virt/kvm/ioeventfd.h"
#include "../x86/model.h"

static int boot(void)
{
	return 0;
}

static int open_kvm(void)
{
	int ret = door_module_use(), fd;

	if (ret)
		return ret;
	fd = door_open(DOOR_SYSTEM, NULL);
	if (fd < 0)
		door_module_put();
	return fd;
}

static long dispatch(const struct door_file *f, unsigned int cmd, unsigned long arg)
{
	switch (f->kind) {
	case DOOR_SYSTEM:
		return door_system_ioctl(cmd, arg);
	case DOOR_VM:
		return door_vm_ioctl(f->object, cmd, arg);
	case DOOR_VCPU:
		return door_vcpu_ioctl(f->object, cmd, arg);
	case DOOR_EVENTFD:
	case DOOR_EPOLL:
	case DOOR_OTHER:
		return -ENOTTY;
	case DOOR_NONE:
		break;
	}
	return -EBADF;
}

static long do_ioctl(int fd, unsigned int cmd, unsigned long arg)
{
	struct door_file f;
	int section;
	long ret;

	if (!door_get(fd, &f))
		return -EBADF;

	section = sim_section_set(SIM_SECTION_ENTRY);
	sim_count(SIM_OP_IOCTL, 1);
	ret = dispatch(&f, cmd, arg);
	sim_section_set(section);
	door_put(&f);
	sim_syscall_end("ioctl", __builtin_return_address(0));
	sim_rcu_run_callbacks();

	return ret;
}

static int do_close(int fd)
{
	int ret = door_close(fd);

	sim_syscall_end("close", __builtin_return_address(0));
	sim_rcu_run_callbacks();

	return ret;
}

static void end_of_call(const char *what)
{
	sim_syscall_end(what, __builtin_return_address(0));
	sim_rcu_run_callbacks();
}

static int do_dup(int fd)
{
	return door_dup(fd);
}

static int do_eventfd(unsigned int count, int flags)
{
	int fd = door_eventfd(count, flags);

	end_of_call("eventfd");
	return fd;
}

static long do_read(int fd, u64 *count)
{
	struct door_file f;
	long ret;

	if (!door_get(fd, &f))
		return -EBADF;
	ret = door_read(&f, count);
	door_put(&f);
	end_of_call("read");

	return ret;
}

static long do_write(int fd, u64 count)
{
	struct door_file f;
	long ret;

	if (!door_get(fd, &f))
		return -EBADF;
	ret = door_write(&f, count);
	door_put(&f);
	end_of_call("write");

	return ret;
}

static int do_poll(int fd)
{
	struct door_file f;
	int ret;

	if (!door_get(fd, &f))
		return -EBADF;
	ret = door_poll(&f);
	door_put(&f);
	end_of_call("poll");

	return ret;
}

static int do_epoll(int fd)
{
	struct door_file f;
	int ret;

	if (!door_get(fd, &f))
		return -EBADF;
	ret = door_epoll(&f);
	door_put(&f);
	end_of_call("epoll_ctl");

	return ret;
}

static int vcpu_write(int fd, bool pio, u64 addr, const void *val, unsigned int len)
{
	struct door_file f;
	int ret = -EBADF;

	if (!door_get(fd, &f))
		return ret;
	if (len > 8)
		ret = -EINVAL;
	else if (f.kind == DOOR_VCPU)
		ret = kvm_ioeventfd_write(((struct kvm_vcpu *)f.object)->kvm,
					  pio ? KVM_PIO_BUS : KVM_MMIO_BUS, addr, len, val);
	door_put(&f);
	end_of_call("KVM_RUN");

	return ret;
}

static int open_other(void)
{
	return door_open(DOOR_OTHER, NULL);
}

static int producer_add(int fd, unsigned int host_irq)
{
	int ret = door_producer_add(fd, host_irq);

	end_of_call("ioctl");
	return ret;
}

static int producer_remove(unsigned int host_irq)
{
	int ret = door_producer_remove(host_irq);

	end_of_call("ioctl");
	return ret;
}

static int irte(unsigned int host_irq, struct port_irte *out)
{
	return model_irte(host_irq, out) ? 0 : -EINVAL;
}

static const typeof(((struct kvm_kernel_irq_routing_entry *)0)->set) handlers[] = {
	kvm_set_pic_irq, kvm_set_ioapic_irq, kvm_set_msi, kvm_hv_set_sint, kvm_xen_set_evtchn_route,
};

static u32 handler_number(const struct kvm_kernel_irq_routing_entry *e)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(handlers); i++)
		if (e->set == handlers[i])
			return i + 1;
	return 0;
}

void port_route_of(const struct kvm_kernel_irq_routing_entry *e, struct port_route *out)
{
	*out = (struct port_route){ .gsi = e->gsi, .type = e->type, .handler = handler_number(e) };

	switch (e->type) {
	case KVM_IRQ_ROUTING_IRQCHIP:
		out->words[0] = e->irqchip.irqchip;
		out->words[1] = e->irqchip.pin;
		break;
	case KVM_IRQ_ROUTING_MSI:
		out->words[0] = e->msi.address_lo;
		out->words[1] = e->msi.address_hi;
		out->words[2] = e->msi.data;
		out->words[3] = e->msi.flags;
		out->words[4] = e->msi.devid;
		break;
	case KVM_IRQ_ROUTING_HV_SINT:
		out->words[0] = e->hv_sint.vcpu;
		out->words[1] = e->hv_sint.sint;
		break;
	case KVM_IRQ_ROUTING_XEN_EVTCHN:
		out->words[0] = e->xen_evtchn.port;
		out->words[1] = e->xen_evtchn.vcpu_id;
		out->words[2] = e->xen_evtchn.priority;
		break;
	}
}

static int map_gsi_of(struct kvm *kvm, u32 gsi, struct port_route *out)
{
	struct kvm_kernel_irq_routing_entry e[KVM_NR_IRQCHIPS];
	int idx, n, i;

	idx = srcu_read_lock(&kvm->irq_srcu);
	n = kvm_irq_map_gsi(kvm, e, gsi);
	srcu_read_unlock(&kvm->irq_srcu, idx);
	for (i = 0; i < n; i++)
		port_route_of(&e[i], &out[i]);

	return n;
}

static int map_gsi(int vm_fd, u32 gsi, struct port_route *out)
{
	struct kvm *kvm = door_vm_of(vm_fd);

	return kvm ? map_gsi_of(kvm, gsi, out) : -EBADF;
}

static int map_pin_of(struct kvm *kvm, unsigned int chip, unsigned int pin)
{
	int gsi = -1, idx;

	idx = srcu_read_lock(&kvm->irq_srcu);
	if (rcu_access_pointer(kvm->irq_routing))
		gsi = kvm_irq_map_chip_pin(kvm, chip, pin);
	srcu_read_unlock(&kvm->irq_srcu, idx);

	return gsi;
}

static int map_pin(int vm_fd, unsigned int chip, unsigned int pin)
{
	struct kvm *kvm = door_vm_of(vm_fd);

	BUILD_BUG_ON(PORT_NR_CHIPS != KVM_NR_IRQCHIPS || PORT_NR_PINS != KVM_IRQCHIP_NUM_PINS ||
		     PORT_ROUTES_PER_GSI != KVM_NR_IRQCHIPS || PORT_MAX_GSI != KVM_MAX_IRQ_ROUTES);

	if (!kvm)
		return -EBADF;
	if (chip >= PORT_NR_CHIPS || pin >= PORT_NR_PINS)
		return -EINVAL;

	return map_pin_of(kvm, chip, pin);
}

static int reader_enter(int vm_fd)
{
	struct kvm *kvm = door_vm_of(vm_fd);

	return kvm ? srcu_read_lock(&kvm->irq_srcu) : -EBADF;
}

static void reader_leave(int vm_fd, int idx)
{
	struct kvm *kvm = door_vm_of(vm_fd);

	if (kvm)
		srcu_read_unlock(&kvm->irq_srcu, idx);
}

static const void *reader_table(int vm_fd)
{
	struct kvm *kvm = door_vm_of(vm_fd);

	return kvm ? srcu_dereference(kvm->irq_routing, &kvm->irq_srcu) : NULL;
}

static int table_gsi(const void *table, u32 gsi, struct port_route *out)
{
	const struct kvm_irq_routing_table *rt = table;
	const struct kvm_kernel_irq_routing_entry *e;
	int n = 0;

	if (!rt || gsi >= rt->nr_rt_entries)
		return 0;
	hlist_for_each_entry(e, &rt->map[gsi], link) {
		if (n == PORT_ROUTES_PER_GSI)
			break;
		port_route_of(e, &out[n++]);
	}

	return n;
}

/* FNV-1a, a 64-bit word at a time (Fowler, Noll, Vo; the offset basis and prime are theirs). */
static u64 mix(u64 hash, u64 word)
{
	return (hash ^ word) * 0x100000001b3ULL;
}

static u64 mix_route(u64 hash, const struct port_route *r)
{
	int i;

	hash = mix(hash, (u64)r->gsi << 32 | r->type);
	for (i = 0; i < (int)ARRAY_SIZE(r->words); i++)
		hash = mix(hash, r->words[i]);

	return mix(hash, r->handler);
}

static u64 digest_routes(struct kvm *kvm, u64 hash)
{
	struct kvm_kernel_irq_routing_entry e[KVM_NR_IRQCHIPS];
	const struct kvm_irq_routing_table *rt;
	struct port_route route;
	u32 gsi, nr;
	int n, i;

	/* GSIs that the table has no list for have no routes. */
	rt = srcu_dereference(kvm->irq_routing, &kvm->irq_srcu);
	nr = rt ? rt->nr_rt_entries : 0;
	for (gsi = 0; gsi < nr; gsi++) {
		n = kvm_irq_map_gsi(kvm, e, gsi);
		for (i = 0; i < n; i++) {
			port_route_of(&e[i], &route);
			hash = mix_route(hash, &route);
		}
	}

	return hash;
}

static int routing_digest(int vm_fd, u64 *digest)
{
	struct kvm *kvm = door_vm_of(vm_fd);
	u64 hash = 0xcbf29ce484222325ULL;
	unsigned int chip, pin;
	int idx;

	if (!kvm)
		return -EBADF;

	idx = srcu_read_lock(&kvm->irq_srcu);
	hash = digest_routes(kvm, hash);
	srcu_read_unlock(&kvm->irq_srcu, idx);
	for (chip = 0; chip < PORT_NR_CHIPS; chip++)
		for (pin = 0; pin < PORT_NR_PINS; pin++)
			hash = mix(hash, map_pin_of(kvm, chip, pin));
	*digest = hash;

	return 0;
}

static int table_of(struct kvm *kvm, struct port_route *out, unsigned int max, s32 *pins)
{
	struct kvm_kernel_irq_routing_entry e[KVM_NR_IRQCHIPS];
	const struct kvm_irq_routing_table *rt;
	unsigned int gsi, nr = 0;
	int n, i;

	rt = srcu_dereference(kvm->irq_routing, &kvm->irq_srcu);
	if (!rt) {
		memset(pins, 0xff, sizeof(rt->chip));
		return 0;
	}

	BUILD_BUG_ON(sizeof(rt->chip) != PORT_NR_CHIPS * PORT_NR_PINS * sizeof(*pins));
	memcpy(pins, rt->chip, sizeof(rt->chip));
	/* One too far: a lookup that does not stop at the last list finds something there. */
	for (gsi = 0; gsi <= rt->nr_rt_entries; gsi++) {
		if (gsi < rt->nr_rt_entries && hlist_empty(&rt->map[gsi]))
			continue;
		n = kvm_irq_map_gsi(kvm, e, gsi);
		for (i = 0; i < n; i++, nr++)
			if (nr < max)
				port_route_of(&e[i], &out[nr]);
	}

	return nr;
}

static int routing_table(int vm_fd, struct port_route *out, unsigned int max, s32 *pins)
{
	struct kvm *kvm = door_vm_of(vm_fd);
	int idx, n;

	if (!kvm)
		return -EBADF;

	idx = srcu_read_lock(&kvm->irq_srcu);
	n = table_of(kvm, out, max, pins);
	srcu_read_unlock(&kvm->irq_srcu, idx);

	return n;
}

static struct kvm_vcpu *vcpu_of(int fd, struct door_file *f)
{
	if (!door_get(fd, f))
		return NULL;
	if (f->kind == DOOR_VCPU)
		return f->object;
	door_put(f);

	return NULL;
}

static void *vcpu_run_area(int fd)
{
	struct door_file f;
	struct kvm_vcpu *vcpu = vcpu_of(fd, &f);
	void *area = NULL;

	if (vcpu) {
		area = vcpu->run;
		door_put(&f);
	}

	return area;
}

static int vcpu_acknowledge(int fd)
{
	struct door_file f;
	struct kvm_vcpu *vcpu = vcpu_of(fd, &f);
	int vector;

	if (!vcpu)
		return -EBADF;
	vector = model_vcpu_acknowledge(vcpu);
	door_put(&f);

	return vector;
}

const struct port_ops port_ops = {
	.release = UTS_RELEASE,
#ifdef CONFIG_LOCKDEP
	.config = "lockdep",
#else
	.config = "plain",
#endif
	.boot = boot,
	.open_kvm = open_kvm,
	.ioctl = do_ioctl,
	.close = do_close,
	.dup = do_dup,
	.eventfd = do_eventfd,
	.read = do_read,
	.write = do_write,
	.poll = do_poll,
	.epoll = do_epoll,
	.open_other = open_other,
	.producer_add = producer_add,
	.producer_remove = producer_remove,
	.irte = irte,
	.map_gsi = map_gsi,
	.map_pin = map_pin,
	.routing_digest = routing_digest,
	.routing_table = routing_table,
	.reader_enter = reader_enter,
	.reader_table = reader_table,
	.table_gsi = table_gsi,
	.reader_leave = reader_leave,
	.vcpu_run_area = vcpu_run_area,
	.vcpu_acknowledge = vcpu_acknowledge,
	.vcpu_write = vcpu_write,
	.set_event_sink = model_set_event_sink,
	.reset = door_forget_all,
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for irqfds: three VMs, eventfds that are made, duplicated, closed, written
 * and read, irqfds that come and go with descriptors and GSIs that are none, resamplers, routes,
 * lines, EOIs, interrupts that are posted past the host. Every answer, every
 * LAPIC and IOAPIC after each call that may change one, and every eventfd's count in the end are
 * compared with what must hold (irqfd_expect.h); then nothing may be left in memory.
 *
 * Input: a byte: registration scheme; then calls (irqfd_call.h).
 *
 *	IRQSIM_FUZZ_PRINT=1	the calls in words, on stderr
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include <sim/fault.h>

#include "irqfd_run.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MSR_EOI 0x80b

static struct run runs[2]; /* one for each registration scheme */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	unsigned int i;

	(void)argc, (void)argv;
	irqfd_print_calls = getenv("IRQSIM_FUZZ_PRINT");
	irq_fuzz_init();
	for (i = 0; i < 2; i++) {
		runs[i].x.unique = !strcmp(irq_fuzz_backend(i)->name, "array+unique");
		irqfd_vms_open(&runs[i], irq_fuzz_backend(i));
	}
	irq_fuzz_settled();
	return 0;
}

/* ---- calls ---- */

/* Those that all else goes through stay as they are. */
static bool is_fixed(const struct run *r, int fd)
{
	return fd >= 0 && fd < EXPECT_FDS &&
	       (r->x.fds[fd].kind == FD_KVM || r->x.fds[fd].kind == FD_VCPU);
}

void irqfd_set_routes(struct run *r, const struct irqfd_call *c)
{
	int fd = r->vms[c->vm].vm;

	irqfd_same(r, "KVM_SET_GSI_ROUTING",
		   r->ops->ioctl(fd, KVM_SET_GSI_ROUTING, (unsigned long)&c->u.routes),
		   expect_routes(&r->x, fd, (const void *)&c->u.routes));
}

static void call_irqfd(struct run *r, const struct irqfd_call *c)
{
	int fd = r->vms[c->vm].vm;
	long ret;
	bool hit;

	if (c->fail_nth)
		sim_fail_nth_set(c->fail_nth);
	ret = r->ops->ioctl(fd, KVM_IRQFD, (unsigned long)&c->u.irqfd);
	hit = c->fail_nth && sim_fail_nth_hit();
	sim_fail_nth_set(0);
	irqfd_same(r, "KVM_IRQFD", ret, hit ? -ENOMEM : expect_irqfd(&r->x, fd, &c->u.irqfd));
}

static void call_line(struct run *r, const struct irqfd_call *c)
{
	int fd = r->vms[c->vm].vm, status = 0;
	struct kvm_irq_level line = c->u.line;
	long ret = r->ops->ioctl(fd, KVM_IRQ_LINE_STATUS, (unsigned long)&line);

	irqfd_same(r, "KVM_IRQ_LINE_STATUS", ret,
		   expect_line(&r->x, fd, c->u.line.irq, c->u.line.level, &status));
	if (!ret)
		irqfd_same(r, "the line's status", (int)line.status, status);
}

static void call_read(struct run *r, int fd)
{
	uint64_t count = 0, want = 0;

	irqfd_same(r, "read", r->ops->read(fd, &count), expect_read(&r->x, fd, &want));
	if (count != want)
		irqfd_wrong(r, "eventfd %d had %" PRIu64 ", but %" PRIu64 " is right", fd, count,
			    want);
}

static void call_vcpu(struct run *r, const struct irqfd_call *c)
{
	struct irq_call eoi = { .kind = IRQ_SET_MSR };
	struct expect_kvm *kvm = &r->x.kvms[c->vm];
	struct irq_vm *vm = &r->vms[c->vm];
	struct irq_answer a;

	switch (c->kind) {
	case CALL_RUN:
		irq_vm_call(vm, &(struct irq_call){ .kind = IRQ_RUN }, &a);
		irqfd_same(r, "KVM_RUN", a.ret, 0);
		irqfd_same(r, "an exit for an EOI", a.eoi_exit, 0);
		expect_run(&r->x, kvm);
		break;
	case CALL_ACKNOWLEDGE:
		irqfd_same(r, "the vector acknowledged", r->ops->vcpu_acknowledge(vm->vcpus[0]),
			   expect_acknowledge(kvm));
		break;
	default:
		eoi.u.msr.nmsrs = 1;
		eoi.u.msr.entry.index = MSR_EOI;
		irq_vm_call(vm, &eoi, &a);
		irqfd_same(r, "KVM_SET_MSRS", a.ret, 1);
		expect_eoi(&r->x, kvm);
		break;
	}
}

static void call_producer(struct run *r, const struct irqfd_call *c)
{
	unsigned int irq = c->u.producer.host_irq;

	if (c->u.producer.remove)
		irqfd_same(r, "the producer's end", r->ops->producer_remove(irq),
			   expect_producer_remove(&r->x, irq));
	else
		irqfd_same(r, "a producer", r->ops->producer_add(c->fd, irq),
			   expect_producer_add(&r->x, c->fd, irq));
}

static void make(struct run *r, const struct irqfd_call *c)
{
	switch (c->kind) {
	case CALL_EVENTFD:
		irqfd_same(r, "eventfd",
			   r->ops->eventfd(c->u.eventfd.count,
					   c->u.eventfd.semaphore ? EFD_SEMAPHORE : 0),
			   expect_eventfd(&r->x, c->u.eventfd.count, c->u.eventfd.semaphore));
		break;
	case CALL_DUP:
		if (!is_fixed(r, c->fd))
			irqfd_same(r, "dup", r->ops->dup(c->fd), expect_dup(&r->x, c->fd));
		break;
	case CALL_CLOSE:
		if (!is_fixed(r, c->fd))
			irqfd_same(r, "close", r->ops->close(c->fd), expect_close(&r->x, c->fd));
		break;
	case CALL_WRITE:
		irqfd_same(r, "write", r->ops->write(c->fd, c->u.write),
			   expect_write(&r->x, c->fd, c->u.write));
		break;
	case CALL_READ:
		call_read(r, c->fd);
		break;
	case CALL_IRQFD:
		call_irqfd(r, c);
		break;
	case CALL_ROUTES:
		irqfd_set_routes(r, c);
		break;
	case CALL_LINE:
		call_line(r, c);
		break;
	case CALL_PRODUCER:
		call_producer(r, c);
		break;
	default:
		call_vcpu(r, c);
		break;
	}
}

/* What an input opened goes; eventfds are read before that. */
static void close_all(struct run *r)
{
	enum expect_kind kind;
	int fd;

	for (fd = 0; fd < EXPECT_FDS; fd++) {
		kind = r->x.fds[fd].kind;
		if (kind == FD_EVENTFD)
			call_read(r, fd);
		if (kind == FD_EVENTFD || (kind == FD_OTHER && fd != r->other_fd) ||
		    (kind == FD_VM && !irqfd_vms_own(r, fd)))
			irqfd_same(r, "close", r->ops->close(fd), expect_close(&r->x, fd));
	}
}

static void finish(struct run *r)
{
	unsigned int i;

	close_all(r);
	for (i = 0; i < EXPECT_HOST_IRQS; i++)
		irqfd_same(r, "the producer's end", r->ops->producer_remove(i),
			   expect_producer_remove(&r->x, i));
	irqfd_check(r, true);
	irqfd_vms_put_back(r);
	irq_fuzz_check_leaks();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = { data, data + size };
	struct run *r = &runs[next_u8(&b) & 1];

	r->nr_calls = 0;
	while (r->nr_calls < MAX_CALLS && b.p < b.end) {
		struct irqfd_call *c = &r->calls[r->nr_calls++];

		irqfd_next_call(&b, &r->x, c);
		if (irqfd_print_calls)
			irqfd_print_call(c);
		make(r, c);
		irqfd_check(r, false);
	}
	finish(r);
	return 0;
}

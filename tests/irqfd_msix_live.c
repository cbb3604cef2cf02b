// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMM's part on the machine's own kernel: a life of two devices, each call failing in turn, ends
 * there and on a simulated one with the same virqs and the same interrupts in the vCPU's LAPIC.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "irqfd_msix.h"

#define LAPIC_SVR 0xf0
#define LAPIC_IRR 0x200
#define MAX_SEEN  128

/* One vector after its interrupt. */
struct seen_vector {
	int virq;
	bool masked, pending;
	uint32_t irr[8];
};

struct life {
	struct backend b;
	int kvm, vm, vcpu;
	struct msi_routes routes;
	struct vfio_device devices[2];
	struct seen_vector seen[MAX_SEEN];
	unsigned int nr_seen;
};

static long (*inner_ioctl)(struct backend *b, int fd, unsigned int cmd, unsigned long arg);
static unsigned int calls, fail_call;

static long failing_ioctl(struct backend *b, int fd, unsigned int cmd, unsigned long arg)
{
	if ((cmd == KVM_SET_GSI_ROUTING || cmd == KVM_IRQFD) && ++calls == fail_call)
		return -ENOMEM;
	return inner_ioctl(b, fd, cmd, arg);
}

static void vcpu_ioctl(struct life *l, unsigned int cmd, void *arg)
{
	cr_assert_eq(inner_ioctl(&l->b, l->vcpu, cmd, (unsigned long)arg), 0);
}

/* Enabled by software, nothing requested. */
static void clear_lapic(struct life *l)
{
	const uint32_t svr = 0x1ff;
	struct kvm_lapic_state s;
	unsigned int i;

	vcpu_ioctl(l, KVM_GET_LAPIC, &s);
	memcpy(s.regs + LAPIC_SVR, &svr, sizeof(svr));
	for (i = 0; i < 8; i++)
		memset(s.regs + LAPIC_IRR + 0x10 * i, 0, 4);
	vcpu_ioctl(l, KVM_SET_LAPIC, &s);
}

static void note(struct life *l, const struct vfio_vector *v)
{
	struct seen_vector *s = &l->seen[l->nr_seen++];
	struct kvm_lapic_state lapic;
	unsigned int i;

	cr_assert_leq(l->nr_seen, MAX_SEEN);
	vcpu_ioctl(l, KVM_GET_LAPIC, &lapic);
	s->virq = v->virq;
	s->masked = v->masked;
	s->pending = v->pending;
	for (i = 0; i < 8; i++)
		memcpy(&s->irr[i], lapic.regs + LAPIC_IRR + 0x10 * i, 4);
	clear_lapic(l);
}

/* Each vector's interrupt is requested if it is not masked, and nothing else. */
static void interrupt_all(struct life *l)
{
	unsigned int n, i, k;

	for (n = 0; n < 2; n++)
		for (i = 0; i < VECTORS; i++) {
			struct vfio_vector *v = &l->devices[n].vectors[i];
			const struct seen_vector *s = &l->seen[l->nr_seen];

			if (v->told < 0)
				continue;
			cr_expect_eq(vfio_device_interrupt(&l->devices[n], i), 0);
			note(l, v);
			for (k = 0; k < 8; k++)
				cr_expect_eq(s->irr[k], !v->masked && k == v->message.data / 32
								? 1u << v->message.data % 32
								: 0);
		}
}

static void live(struct life *l, enum vfio_strategy s)
{
	const struct msi_message moved = { 0xfee00000, 0x77 };
	struct vfio_device *d = l->devices;
	unsigned int n;

	for (n = 0; n < 2; n++)
		cr_assert_eq(
			vfio_device_init(&d[n], &l->routes, s, n * VECTORS, msix_messages, VECTORS),
			0);
	d[1].vectors[1].masked = d[1].vectors[4].masked = true;
	cr_assert_eq(vfio_msix_enable(&d[0]), VECTORS);
	cr_assert_eq(vfio_msix_enable(&d[1]), VECTORS - 1);
	interrupt_all(l);
	vfio_msix_vector_release(&d[0], 3);
	interrupt_all(l);
	cr_assert_eq(vfio_msix_vector_use(&d[0], 3, &moved), 0);
	note(l, &d[0].vectors[3]);
	cr_assert_eq(vfio_msix_vector_use(&d[1], 4, &msix_messages[4]), 0);
	cr_assert_eq(vfio_msix_vector_move(&d[1], 0, &moved), 0);
	interrupt_all(l);
	vfio_msix_disable(&d[0]);
	interrupt_all(l);
	for (n = 0; n < 2; n++)
		vfio_device_free(&d[n]);
}

/* @l->b is set up. Was there an @nth call? */
static bool run(struct life *l, enum vfio_strategy s, unsigned int nth)
{
	struct backend *b = &l->b;

	inner_ioctl = b->ioctl;
	l->kvm = b->open_kvm(b);
	l->vm = (int)b->ioctl(b, l->kvm, KVM_CREATE_VM, 0);
	cr_assert_eq(b->ioctl(b, l->vm, KVM_CREATE_IRQCHIP, 0), 0);
	l->vcpu = (int)b->ioctl(b, l->vm, KVM_CREATE_VCPU, 0);
	cr_assert_geq(l->vcpu, 0);
	clear_lapic(l);
	b->ioctl = failing_ioctl;
	fail_call = 0;
	cr_assert_eq(msi_routes_init(&l->routes, b, l->vm, true), 0);
	calls = 0;
	fail_call = nth;
	live(l, s);
	b->close(b, l->vcpu);
	b->close(b, l->vm);
	b->close(b, l->kvm);
	return calls >= nth;
}

static void expect_same(const struct life *a, const struct life *b)
{
	unsigned int i;

	cr_assert_eq(a->nr_seen, b->nr_seen);
	for (i = 0; i < a->nr_seen; i++) {
		cr_expect_eq(a->seen[i].virq, b->seen[i].virq, "%u", i);
		cr_expect_eq(a->seen[i].masked, b->seen[i].masked, "%u", i);
		cr_expect_eq(a->seen[i].pending, b->seen[i].pending, "%u", i);
		cr_expect_eq(memcmp(a->seen[i].irr, b->seen[i].irr, sizeof(a->seen[i].irr)), 0,
			     "%u", i);
	}
}

Test(irqfd_msix, as_on_the_real_kernel)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	enum vfio_strategy s;
	unsigned int nth;
	bool reached;

	if (fd < 0)
		cr_skip_test("no /dev/kvm");
	close(fd);
	sim_mm_set_checks(SIM_MM_CHECKS_ALL);
	sim_init();
	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		for (nth = 1, reached = true; reached; nth++) {
			struct life *sim = calloc(2, sizeof(*sim)), *real = sim + 1;

			cr_assert(sim);
			backend_port_init(&sim->b, next_port(NULL));
			backend_real_init(&real->b);
			reached = run(sim, s, nth);
			cr_expect_eq(run(real, s, nth), reached);
			expect_same(sim, real);
			free(sim);
		}
		cr_expect_gt(nth, 15, "%u", nth);
	}
	cr_expect_eq(sim_report_defects(), 0);
}

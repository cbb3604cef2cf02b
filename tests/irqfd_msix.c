// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enabling MSI-X on passed-through devices: whenever the routes are committed, the guest gets the
 * same interrupts; and where a call fails, the vectors that were not connected, and only these, are
 * left to user space.
 */
#include <stdlib.h>
#include <string.h>

#include "irqfd_vm.h"
#include "model/vmm/backend.h"
#include "model/vmm/vfio_msix.h"

#define VECTORS 5
#define DEVICES 3

struct bench {
	struct vm vm;
	int vcpu;
	struct backend b;
	struct msi_routes routes;
	struct vfio_device devices[DEVICES];
	unsigned int nr;
};

static const struct msi_message messages[VECTORS] = {
	{ 0xfee00000, 0x31 }, { 0xfee00000, 0x32 }, { 0xfee00000, 0x33 },
	{ 0xfee00000, 0x34 }, { 0xfee00000, 0x35 },
};

/* Calls of KVM that change routes or irqfds are counted from 1; this one fails. */
static unsigned int fail_call, calls;

static long failing_ioctl(struct backend *b, int fd, unsigned int cmd, unsigned long arg)
{
	if ((cmd == KVM_SET_GSI_ROUTING || cmd == KVM_IRQFD) && ++calls == fail_call)
		return -ENOMEM;
	return b->ops->ioctl(fd, cmd, arg);
}

static struct bench *begin(const struct port *port, unsigned int fail)
{
	struct bench *t = calloc(1, sizeof(*t));

	cr_assert(t);
	t->vm = vm_make(port, FULL_CHIP);
	t->vcpu = t->vm.ops->ioctl(t->vm.fd, KVM_CREATE_VCPU, 0);
	cr_assert_geq(t->vcpu, 0);
	backend_port_init(&t->b, port);
	t->b.ioctl = failing_ioctl;
	fail_call = calls = 0;
	cr_assert_eq(msi_routes_init(&t->routes, &t->b, t->vm.fd, true), 0);
	fail_call = fail;
	calls = 0;
	begin_events(&t->vm);
	return t;
}

static void end(struct bench *t)
{
	fail_call = 0;
	while (t->nr)
		vfio_device_free(&t->devices[--t->nr]);
	t->vm.ops->set_event_sink(NULL, NULL);
	t->vm.ops->close(t->vcpu);
	vm_end(&t->vm);
	free(t);
}

static struct vfio_device *next_device(struct bench *t, enum vfio_strategy s)
{
	struct vfio_device *d = &t->devices[t->nr];

	cr_assert_eq(vfio_device_init(d, &t->routes, s, t->nr * VECTORS, messages, VECTORS), 0);
	t->nr++;
	return d;
}

/* A vector with a virq injects its message, once; one without injects nothing. */
static void expect_vectors(struct bench *t, struct vfio_device *d)
{
	struct port_irte irte;
	unsigned int i;

	for (i = 0; i < d->nr; i++) {
		const struct vfio_vector *v = &d->vectors[i];

		if (v->eventfd < 0) {
			cr_expect_lt(v->virq, 0);
			continue;
		}
		signal_fd(&t->vm, v->eventfd);
		expect_event(v->virq >= 0, v->virq, v->message.data);
		t->vm.ops->irte(d->first_irq + i, &irte);
		cr_expect_eq(irte.posted, v->virq >= 0, "vector %u", i);
	}
}

static unsigned int connected(const struct vfio_device *d)
{
	unsigned int i, n = 0;

	for (i = 0; i < d->nr; i++)
		n += d->vectors[i].virq >= 0;
	return n;
}

/* What the kernel routes is what the VMM believes. */
static void expect_same_table(struct bench *t)
{
	struct table *want = table_new();

	want->head.nr = t->routes.table.nr;
	memcpy(want->entries, t->routes.table.entries, want->head.nr * sizeof(want->entries[0]));
	expect_table(&t->vm, want);
	free(want);
}

Test(irqfd_msix, both_orders_end_alike)
{
	const struct port *port;
	uint64_t digest[2][DEVICES];
	unsigned long commits[2][DEVICES];
	enum vfio_strategy s;
	unsigned int n;

	for_each_port(port) {
		for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
			struct bench *t = begin(port, 0);

			for (n = 0; n < DEVICES; n++) {
				unsigned long before = t->routes.commits;
				struct vfio_device *d = next_device(t, s);

				cr_assert_eq(vfio_msix_enable(d), VECTORS);
				cr_expect_eq(connected(d), VECTORS);
				expect_vectors(t, d);
				expect_same_table(t);
				port->ops->routing_digest(t->vm.fd, &digest[s][n]);
				commits[s][n] = t->routes.commits - before;
				cr_expect_eq(d->irqfd_ioctls, VECTORS);
			}
			end(t);
		}
		for (n = 0; n < DEVICES; n++) {
			cr_expect_eq(digest[0][n], digest[1][n], "device %u", n);
			cr_expect_eq(commits[VFIO_PER_VECTOR][n], VECTORS);
			cr_expect_eq(commits[VFIO_DEFERRED][n], 1);
		}
	}
}

/* Each call that changes something fails in turn; then it is done again, and all is as it should. */
Test(irqfd_msix, a_call_that_fails_costs_its_vectors_only)
{
	const struct port *port = next_port(NULL);
	unsigned int fail, lost, tried = 0;
	enum vfio_strategy s;
	uint64_t digest[2] = { 0 };

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		for (fail = 1;; fail++) {
			struct bench *t = begin(port, fail);
			struct vfio_device *d = next_device(t, s);

			cr_assert_eq(vfio_msix_enable(d), VECTORS);
			if (calls < fail) {
				end(t);
				break;
			}
			fail_call = 0;
			/* The one commit of all loses all. */
			lost = s == VFIO_DEFERRED && fail == 1 ? VECTORS : 1;
			cr_expect_eq(connected(d), VECTORS - lost, "%d, call %u: %u", s, fail,
				     connected(d));
			expect_vectors(t, d);

			vfio_msix_disable(d);
			cr_expect_eq(t->routes.table.nr, 38);
			cr_assert_eq(vfio_msix_enable(d), VECTORS);
			cr_expect_eq(connected(d), VECTORS);
			expect_vectors(t, d);
			expect_same_table(t);
			port->ops->routing_digest(t->vm.fd, &digest[s]);
			end(t);
			tried++;
		}
	}
	cr_expect_eq(digest[0], digest[1]);
	/* Two for each vector; one for all and one for each. */
	cr_expect_eq(tried, 2 * VECTORS + VECTORS + 1);
}

/* Bug c17408892319: the second attempt has to be a batch of its own. */
Test(irqfd_msix, fewer_vectors_than_asked_for)
{
	const struct port *port = next_port(NULL);
	enum vfio_strategy s;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		struct bench *t = begin(port, 0);
		struct vfio_device *d = next_device(t, s);

		d->granted = 2;
		cr_assert_eq(vfio_msix_enable(d), 2);
		cr_expect_eq(connected(d), 2);
		expect_vectors(t, d);
		expect_same_table(t);
		end(t);
	}
}

Test(irqfd_msix, masked_vectors_wait_until_they_are_used)
{
	const struct port *port = next_port(NULL);
	enum vfio_strategy s;

	for (s = VFIO_PER_VECTOR; s <= VFIO_DEFERRED; s++) {
		struct bench *t = begin(port, 0);
		struct vfio_device *d = next_device(t, s);
		struct msi_message moved = { 0xfee00000, 0x77 };
		unsigned long commits;

		d->vectors[1].masked = d->vectors[3].masked = true;
		cr_assert_eq(vfio_msix_enable(d), VECTORS);
		cr_expect_eq(connected(d), VECTORS - 2);
		expect_vectors(t, d);

		commits = t->routes.commits;
		cr_assert_eq(vfio_msix_vector_use(d, 1), 0);
		cr_expect_eq(t->routes.commits, commits + 1);
		expect_vectors(t, d);
		vfio_msix_vector_release(d, 0);
		cr_expect_eq(connected(d), VECTORS - 2);
		expect_vectors(t, d);

		/* irqbalance: a commit where something changes, none where nothing does. */
		commits = t->routes.commits;
		cr_assert_eq(vfio_msix_set_message(d, 1, &moved), 0);
		cr_assert_eq(vfio_msix_set_message(d, 1, &moved), 0);
		cr_expect_eq(t->routes.commits, commits + 1);
		expect_vectors(t, d);
		expect_same_table(t);
		end(t);
	}
}

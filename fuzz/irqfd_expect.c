// SPDX-License-Identifier: GPL-2.0-only
/* Descriptors, eventfds and irqfds. */
#include <errno.h>
#include <string.h>

#include "irqfd_expect.h"

/* ---- descriptors ---- */

void *expect_object(const struct expect *x, int fd, enum expect_kind kind)
{
	if (fd < 0 || fd >= EXPECT_FDS || x->fds[fd].kind != kind)
		return NULL;
	return x->fds[fd].object;
}

void expect_open(struct expect *x, int fd, enum expect_kind kind, void *object)
{
	x->fds[fd] = (struct expect_fd){ kind, object };
	if (kind == FD_VM)
		((struct expect_kvm *)object)->files++;
	if (kind == FD_EVENTFD)
		((struct expect_eventfd *)object)->files++;
}

static bool is_open(const struct expect *x, int fd)
{
	return fd >= 0 && fd < EXPECT_FDS && x->fds[fd].kind != FD_NONE;
}

/* The lowest free one, as open(2) has it. */
static int free_fd(const struct expect *x)
{
	int fd;

	for (fd = 0; x->fds[fd].kind != FD_NONE; fd++)
		;
	return fd;
}

/* What an ioctl of a VM answers that is made on something else; 0: it is one. */
long expect_not_a_vm(const struct expect *x, int fd)
{
	if (!is_open(x, fd))
		return -EBADF;
	return x->fds[fd].kind == FD_VM ? 0 : -ENOTTY;
}

/* The same for an eventfd that is used by another call than ioctl(). */
long expect_not_an_eventfd(const struct expect *x, int fd)
{
	if (!is_open(x, fd))
		return -EBADF;
	return x->fds[fd].kind == FD_EVENTFD ? 0 : -EINVAL;
}

/* ---- eventfds, and the irqfd that is woken ---- */

static uint64_t take(struct expect_eventfd *e)
{
	uint64_t n = e->semaphore && e->count ? 1 : e->count;

	e->count -= n;
	return n;
}

static void queue_item(struct expect *x, struct expect_irqfd *f)
{
	if (f->turn)
		return;
	f->turn = ++x->last_turn;
	x->nr_turns++;
}

/* The first irqfd takes what there is, and no other is asked. */
void expect_wake(struct expect *x, struct expect_eventfd *e)
{
	unsigned int i;

	for (i = 0; i < x->nr_irqfds; i++) {
		struct expect_irqfd *f = &x->irqfds[i];

		if (f->eventfd != e)
			continue;
		take(e);
		/* Messages go at once; a pin's lock is no matter for a wake-up. */
		if (f->gsi < EXPECT_GSIS && f->kvm->routes[f->gsi].kind == ROUTE_MESSAGE)
			expect_set_irq(f->kvm, SOURCE_USER, f->gsi, true);
		else
			queue_item(x, f);
		return;
	}
}

static void inject(struct expect *x, struct expect_irqfd *f)
{
	f->turn = 0;
	expect_set_irq(f->kvm, f->resample ? SOURCE_RESAMPLE : SOURCE_USER, f->gsi, true);
	/* One that resamples leaves it to the guest's EOI. */
	if (!f->resample)
		expect_set_irq(f->kvm, SOURCE_USER, f->gsi, false);
	x->nr_turns--;
}

/* In the order in which they were queued, each once however often it was. */
void expect_run_items(struct expect *x)
{
	struct expect_irqfd *first;
	unsigned int i;

	while (x->nr_turns) {
		first = NULL;
		for (i = 0; i < x->nr_irqfds; i++) {
			struct expect_irqfd *f = &x->irqfds[i];

			if (f->turn && (!first || f->turn < first->turn))
				first = f;
		}
		inject(x, first);
	}
	x->last_turn = 0;
}

/* ---- the end of an irqfd ---- */

bool expect_resamples(const struct expect *x, const struct expect_kvm *kvm, uint32_t gsi)
{
	unsigned int i;

	for (i = 0; i < x->nr_irqfds; i++)
		if (x->irqfds[i].kvm == kvm && x->irqfds[i].resample && x->irqfds[i].gsi == gsi)
			return true;
	return false;
}

/* The line goes down with the last one; which EOIs matter is another question then. */
static void resampler_left(struct expect *x, struct expect_kvm *kvm, uint32_t gsi)
{
	if (expect_resamples(x, kvm, gsi))
		return;
	kvm->scan = true;
	expect_set_irq(kvm, SOURCE_RESAMPLE, gsi, false);
}

/* Those for which @doomed holds: what was written and not seen goes with them. */
static void remove_irqfds(struct expect *x, bool (*doomed)(const struct expect_irqfd *f, void *arg),
			  void *arg)
{
	struct expect_irqfd f;
	unsigned int i = 0;

	while (i < x->nr_irqfds) {
		f = x->irqfds[i];
		if (!doomed(&f, arg)) {
			i++;
			continue;
		}
		x->nr_irqfds--;
		memmove(&x->irqfds[i], &x->irqfds[i + 1], (x->nr_irqfds - i) * sizeof(f));
		take(f.eventfd);
		if (f.resample)
			resampler_left(x, f.kvm, f.gsi);
	}
}

static bool is_of_eventfd(const struct expect_irqfd *f, void *arg)
{
	return f->eventfd == arg;
}

static bool is_of_kvm(const struct expect_irqfd *f, void *arg)
{
	return f->kvm == arg;
}

static bool is_same(const struct expect_irqfd *f, void *arg)
{
	const struct expect_irqfd *other = arg;

	return f->kvm == other->kvm && f->eventfd == other->eventfd && f->gsi == other->gsi;
}

/* ---- calls ---- */

long expect_eventfd(struct expect *x, uint32_t count, bool semaphore)
{
	struct expect_eventfd *e = &x->eventfds[x->nr_eventfds++];
	int fd = free_fd(x);

	*e = (struct expect_eventfd){ .count = count, .semaphore = semaphore };
	expect_open(x, fd, FD_EVENTFD, e);
	return fd;
}

long expect_dup(struct expect *x, int fd)
{
	int to = free_fd(x);

	if (!is_open(x, fd))
		return -EBADF;
	expect_open(x, to, x->fds[fd].kind, x->fds[fd].object);
	return to;
}

long expect_close(struct expect *x, int fd)
{
	struct expect_fd was;

	if (!is_open(x, fd))
		return -EBADF;
	was = x->fds[fd];
	x->fds[fd].kind = FD_NONE;
	if (was.kind == FD_EVENTFD && !--((struct expect_eventfd *)was.object)->files)
		remove_irqfds(x, is_of_eventfd, was.object);
	if (was.kind == FD_VM && !--((struct expect_kvm *)was.object)->files)
		remove_irqfds(x, is_of_kvm, was.object);
	return 0;
}

long expect_write(struct expect *x, int fd, uint64_t n)
{
	struct expect_eventfd *e = expect_object(x, fd, FD_EVENTFD);

	if (!e)
		return expect_not_an_eventfd(x, fd);
	if (n == UINT64_MAX)
		return -EINVAL;
	if (UINT64_MAX - e->count <= n)
		return -EAGAIN;
	e->count += n;
	expect_wake(x, e);
	expect_run_items(x);
	return sizeof(n);
}

long expect_read(struct expect *x, int fd, uint64_t *count)
{
	struct expect_eventfd *e = expect_object(x, fd, FD_EVENTFD);

	if (!e)
		return expect_not_an_eventfd(x, fd);
	*count = take(e);
	return *count ? (long)sizeof(*count) : -EAGAIN;
}

static bool is_taken(const struct expect *x, const struct expect_irqfd *f)
{
	unsigned int i;

	for (i = 0; i < x->nr_irqfds; i++)
		if (x->irqfds[i].eventfd == f->eventfd && (x->unique || x->irqfds[i].kvm == f->kvm))
			return true;
	return false;
}

static bool has_consumer(const struct expect *x, const struct expect_eventfd *e)
{
	unsigned int i;

	for (i = 0; i < x->nr_irqfds; i++)
		if (x->irqfds[i].eventfd == e && x->irqfds[i].consumer)
			return true;
	return false;
}

static long assign(struct expect *x, const struct kvm_irqfd *args, struct expect_irqfd *f)
{
	bool resample = args->flags & KVM_IRQFD_FLAG_RESAMPLE;
	long ret;

	if (resample && !f->kvm->full)
		return -EINVAL;
	ret = expect_not_an_eventfd(x, args->fd);
	if (!ret && resample)
		ret = expect_not_an_eventfd(x, args->resamplefd);
	if (ret)
		return ret;
	f->eventfd = expect_object(x, args->fd, FD_EVENTFD);
	if (resample) {
		f->resample = expect_object(x, args->resamplefd, FD_EVENTFD);
		f->kvm->scan |= !expect_resamples(x, f->kvm, f->gsi);
	}
	if (is_taken(x, f)) {
		/* It had joined the resampler, if it was the only one. */
		if (resample)
			resampler_left(x, f->kvm, f->gsi);
		return -EBUSY;
	}
	f->consumer = !has_consumer(x, f->eventfd);
	x->irqfds[x->nr_irqfds++] = *f;
	if (f->eventfd->count)
		queue_item(x, &x->irqfds[x->nr_irqfds - 1]);
	expect_run_items(x);
	return 0;
}

long expect_irqfd(struct expect *x, int vm_fd, const struct kvm_irqfd *args)
{
	struct expect_irqfd f = { .kvm = expect_object(x, vm_fd, FD_VM), .gsi = args->gsi };
	long ret;

	if (!f.kvm)
		return expect_not_a_vm(x, vm_fd);
	if (args->flags & ~(KVM_IRQFD_FLAG_DEASSIGN | KVM_IRQFD_FLAG_RESAMPLE))
		return -EINVAL;
	if (!(args->flags & KVM_IRQFD_FLAG_DEASSIGN))
		return assign(x, args, &f);
	ret = expect_not_an_eventfd(x, args->fd);
	f.eventfd = expect_object(x, args->fd, FD_EVENTFD);
	if (!ret)
		remove_irqfds(x, is_same, &f);
	return ret;
}

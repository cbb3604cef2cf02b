// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steps on eventfds and the descriptors that a case names. On a real kernel only: a simulated KVM
 * has descriptors of its own.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "case_step.h"

#define NO_SUCH_FD 999999
#define SETTLE_NS  5000000 /* an irqfd may inject from a workqueue: assumed to take less */
#define EXTRA_FDS  256	   /* descriptors of the process beside the counted irqfds (assumed) */

void fds_init(struct case_vm *vm)
{
	int i;

	for (i = 0; i < CASE_NR_EVENTFDS; i++)
		vm->eventfd[i] = -1;
	vm->semaphore = vm->dup0 = vm->dev_null = vm->timer = vm->epoll = -1;
	vm->pipe[0] = vm->pipe[1] = -1;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void fds_close(struct case_vm *vm)
{
	int i;

	for (i = 0; i < CASE_NR_EVENTFDS; i++)
		close_one(&vm->eventfd[i]);
	close_one(&vm->semaphore);
	close_one(&vm->dup0);
	close_one(&vm->dev_null);
	close_one(&vm->timer);
	close_one(&vm->epoll);
	close_one(&vm->pipe[0]);
	close_one(&vm->pipe[1]);
	while (vm->nr_extra)
		close_one(&vm->extra[--vm->nr_extra]);
	free(vm->extra);
	vm->extra = NULL;
}

static int event_fd(struct case_vm *vm, unsigned int i)
{
	if (vm->eventfd[i] < 0)
		vm->eventfd[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return vm->eventfd[i];
}

static int once(int *fd, int fresh)
{
	if (*fd < 0)
		*fd = fresh;
	else
		close(fresh);
	return *fd;
}

/* The number that stands for @name in a call. */
static int fd_named(struct case_vm *vm, const char *name)
{
	if (name[0] == 'e' && name[1] >= '0' && name[1] < '0' + CASE_NR_EVENTFDS && !name[2])
		return event_fd(vm, name[1] - '0');
	if (!strcmp(name, "e0(semaphore)"))
		return once(&vm->semaphore, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE));
	if (!strcmp(name, "dup(e0)"))
		return once(&vm->dup0, dup(event_fd(vm, 0)));
	if (!strcmp(name, "/dev/null") || !strcmp(name, "0 (not an eventfd)"))
		return once(&vm->dev_null, open("/dev/null", O_RDWR | O_CLOEXEC));
	if (!strcmp(name, "timerfd"))
		return once(&vm->timer, timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	if (!strncmp(name, "pipe ", 5)) {
		if (vm->pipe[0] < 0 && pipe2(vm->pipe, O_CLOEXEC))
			return -1;
		return vm->pipe[!strcmp(name, "pipe write end")];
	}
	if (!strcmp(name, "/dev/kvm"))
		return vm->kvm;
	if (!strcmp(name, "vm fd"))
		return vm->vm;
	if (!strcmp(name, "closed"))
		return NO_SUCH_FD;
	return atoi(name); /* "", "-1", "-77" */
}

bool fd_name_known(const char *name)
{
	static const char *const names[] = {
		"",	   "closed",	    "/dev/null",	 "/dev/kvm",
		"vm fd",   "timerfd",	    "pipe read end",	 "pipe write end",
		"dup(e0)", "e0(semaphore)", "0 (not an eventfd)"
	};
	char *end;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	if (name[0] == 'e')
		return name[1] >= '0' && name[1] < '0' + CASE_NR_EVENTFDS && !name[2];
	return name[0] == '-' && strtol(name, &end, 10) < 0 && !*end;
}

static void settle(void)
{
	const struct timespec t = { .tv_nsec = SETTLE_NS };

	nanosleep(&t, NULL);
}

static long irqfd_one(struct case_vm *vm, int vm_fd, const struct step *s, int fd, uint32_t gsi)
{
	struct kvm_irqfd irqfd;

	memset(&irqfd, s->pad ? STEP_PAD : 0, sizeof(irqfd));
	irqfd.fd = fd;
	irqfd.gsi = gsi;
	irqfd.flags = s->u.irqfd.flags;
	irqfd.resamplefd = 0;
	if (s->u.irqfd.resamplefd && *s->u.irqfd.resamplefd)
		irqfd.resamplefd = fd_named(vm, s->u.irqfd.resamplefd);
	return vm->b->ioctl(vm->b, vm_fd, KVM_IRQFD, (unsigned long)&irqfd);
}

/* "count": that many, a fresh eventfd each, on gsi = index; the first error ends it. */
static long irqfd_many(struct case_vm *vm, const struct step *s)
{
	struct rlimit limit;
	uint32_t i;
	long ret = 0;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < s->u.irqfd.count + EXTRA_FDS) {
		limit.rlim_cur = s->u.irqfd.count + EXTRA_FDS;
		if (limit.rlim_cur > limit.rlim_max)
			limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	vm->extra = calloc(s->u.irqfd.count, sizeof(*vm->extra));
	if (!vm->extra)
		return -ENOMEM;
	for (i = 0; !ret && i < s->u.irqfd.count; i++) {
		int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

		if (fd < 0)
			return -errno;
		vm->extra[vm->nr_extra++] = fd;
		ret = irqfd_one(vm, vm->vm, s, fd, i);
	}
	return ret;
}

static long irqfd(struct case_vm *vm, const struct step *s)
{
	int target = vm->vm;
	long ret;

	if (s->u.irqfd.count && !vm->nr_extra)
		return irqfd_many(vm, s);
	if (!s->u.irqfd.fd)
		return -EINVAL;
	if (s->u.irqfd.other_vm) {
		if (vm->other_vm < 0) {
			ret = vm->b->ioctl(vm->b, vm->kvm, KVM_CREATE_VM, 0);
			if (ret < 0)
				return ret;
			vm->other_vm = ret;
			ret = vm->b->ioctl(vm->b, vm->other_vm, KVM_CREATE_IRQCHIP, 0);
			if (ret < 0)
				return ret;
		}
		target = vm->other_vm;
	}
	ret = irqfd_one(vm, target, s, fd_named(vm, s->u.irqfd.fd), s->u.irqfd.gsi);
	settle();
	return ret;
}

static long ioeventfd(struct case_vm *vm, const struct step *s)
{
	struct kvm_ioeventfd io = {
		.addr = s->u.ioeventfd.addr,
		.len = s->u.ioeventfd.len,
		.fd = fd_named(vm, s->u.ioeventfd.fd),
		.flags = s->u.ioeventfd.flags,
	};

	return vm->b->ioctl(vm->b, vm->vm, KVM_IOEVENTFD, (unsigned long)&io);
}

static long event_write(struct case_vm *vm, const struct step *s)
{
	struct pollfd p = { .fd = fd_named(vm, s->u.event.fd), .events = POLLIN };
	long ret = write(p.fd, &s->u.event.value, sizeof(s->u.event.value));

	if (ret < 0)
		ret = -errno;
	settle();
	vm->readable = poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
	return ret;
}

static long event_read(struct case_vm *vm, const struct step *s)
{
	long ret;

	vm->read_value = 0;
	ret = read(fd_named(vm, s->u.event.fd), &vm->read_value, sizeof(vm->read_value));
	return ret < 0 ? -errno : ret;
}

static long event_epoll(struct case_vm *vm, const struct step *s)
{
	struct epoll_event ev;
	long ret = epoll_wait(vm->epoll, &ev, 1, s->u.timeout_ms);

	return ret < 0 ? -errno : ret;
}

long fds_step(struct case_vm *vm, const struct step *s)
{
	switch (s->kind) {
	case STEP_IRQFD:
		return irqfd(vm, s);
	case STEP_IOEVENTFD:
		return ioeventfd(vm, s);
	case STEP_EVENTFD_WRITE:
		return event_write(vm, s);
	case STEP_EVENTFD_READ:
		return event_read(vm, s);
	case STEP_EPOLL_WAIT:
		return event_epoll(vm, s);
	default:
		return -ENOSYS;
	}
}

/*
 * Four recorded cases say in their title, not in a step, what was done around the first irqfd.
 */
static const struct premise {
	const char *title;
	enum { PENDING, CLOSE_EVENTFD, CLOSE_OTHER_VM } what;
} premises[] = {
	{ "eventfd already signalled at assign", PENDING },
	{ "eventfd signalled while gsi has no route, assign, then route", PENDING },
	{ "close without deassign, then a new eventfd on the gsi", CLOSE_EVENTFD },
	{ "other VM closed without deassign, same eventfd here", CLOSE_OTHER_VM },
};

static const struct premise *premise_of(const struct oracle_case *c, size_t step)
{
	size_t i;

	for (i = 0; i < c->nr_steps && c->steps[i].kind != STEP_IRQFD; i++)
		;
	if (i != step || i == c->nr_steps)
		return NULL;
	for (i = 0; i < sizeof(premises) / sizeof(premises[0]); i++) {
		if (!strcmp(premises[i].title, c->title))
			return &premises[i];
	}
	return NULL;
}

/* An epoll set of the case has watched e0 since before the first step. */
static void watch_e0(struct case_vm *vm, const struct oracle_case *c)
{
	struct epoll_event ev = { .events = EPOLLIN };
	size_t i;

	for (i = 0; i < c->nr_steps && c->steps[i].kind != STEP_EPOLL_WAIT; i++)
		;
	if (i == c->nr_steps)
		return;
	vm->epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(vm->epoll, EPOLL_CTL_ADD, event_fd(vm, 0), &ev);
}

void fds_before(struct case_vm *vm, const struct oracle_case *c, size_t step)
{
	const struct premise *p = premise_of(c, step);

	if (vm->b->ops)
		return;
	if (!step)
		watch_e0(vm, c);
	if (p && p->what == PENDING)
		eventfd_write(event_fd(vm, 0), 1);
}

void fds_after(struct case_vm *vm, const struct oracle_case *c, size_t step)
{
	const struct premise *p = premise_of(c, step);

	if (!p || vm->b->ops)
		return;
	if (p->what == CLOSE_EVENTFD)
		close_one(&vm->eventfd[0]);
	if (p->what == CLOSE_OTHER_VM && vm->other_vm >= 0) {
		vm->b->close(vm->b, vm->other_vm);
		vm->other_vm = -1;
	}
	settle();
}

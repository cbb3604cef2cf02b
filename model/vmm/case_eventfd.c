// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steps on eventfds and the descriptors that a case names.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "case_step.h"

#define NO_SUCH_FD 999999
#define EXTRA_FDS  256 /* descriptors of the process beside the counted irqfds (assumed) */

void fds_init(struct case_vm *vm)
{
	int i;

	for (i = 0; i < CASE_NR_EVENTFDS; i++)
		vm->eventfd[i] = -1;
	for (i = 0; i < NR_OTHERS; i++)
		vm->other[i] = -1;
	vm->semaphore = vm->dup0 = vm->epoll = -1;
}

static void close_one(struct case_vm *vm, int *fd)
{
	if (*fd >= 0)
		vm->b->close(vm->b, *fd);
	*fd = -1;
}

void fds_close(struct case_vm *vm)
{
	int i;

	for (i = 0; i < CASE_NR_EVENTFDS; i++)
		close_one(vm, &vm->eventfd[i]);
	for (i = 0; i < NR_OTHERS; i++)
		close_one(vm, &vm->other[i]);
	close_one(vm, &vm->semaphore);
	close_one(vm, &vm->dup0);
	close_one(vm, &vm->epoll);
	while (vm->nr_extra)
		close_one(vm, &vm->extra[--vm->nr_extra]);
	free(vm->extra);
	vm->extra = NULL;
	if (vm->settles)
		irqfd_settle_end(&vm->settle);
	vm->settles = false;
}

static int event_fd(struct case_vm *vm, unsigned int i)
{
	if (vm->eventfd[i] < 0)
		vm->eventfd[i] = vm->b->eventfd(vm->b);
	return vm->eventfd[i];
}

static int other_fd(struct case_vm *vm, enum backend_other kind)
{
	if (vm->other[kind] < 0)
		vm->other[kind] = vm->b->open_other(vm->b, kind);
	return vm->other[kind];
}

static const struct {
	const char *name;
	enum backend_other kind;
} others[] = {
	{ "/dev/null", OTHER_NULL },
	{ "0 (not an eventfd)", OTHER_NULL },
	{ "timerfd", OTHER_TIMER },
	{ "pipe read end", OTHER_PIPE_READ },
	{ "pipe write end", OTHER_PIPE_WRITE },
};

/* The number that stands for @name in a call. */
static int fd_named(struct case_vm *vm, const char *name)
{
	size_t i;

	if (name[0] == 'e' && name[1] >= '0' && name[1] < '0' + CASE_NR_EVENTFDS && !name[2])
		return event_fd(vm, name[1] - '0');
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(name, others[i].name))
			return other_fd(vm, others[i].kind);
	}
	if (!strcmp(name, "e0(semaphore)")) {
		if (vm->semaphore < 0)
			vm->semaphore = vm->b->semaphore(vm->b);
		return vm->semaphore;
	}
	if (!strcmp(name, "dup(e0)")) {
		if (vm->dup0 < 0)
			vm->dup0 = vm->b->dup(vm->b, event_fd(vm, 0));
		return vm->dup0;
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
	static const char *const names[] = { "",      "closed",	 "/dev/kvm",
					     "vm fd", "dup(e0)", "e0(semaphore)" };
	char *end;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(others[i].name, name))
			return true;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	if (name[0] == 'e')
		return name[1] >= '0' && name[1] < '0' + CASE_NR_EVENTFDS && !name[2];
	return name[0] == '-' && strtol(name, &end, 10) < 0 && !*end;
}

static void settle(struct case_vm *vm)
{
	if (!vm->settles)
		vm->settles = !irqfd_settle_begin(&vm->settle, vm->b, vm->vm);
	if (vm->settles)
		irqfd_settle(&vm->settle);
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

static void raise_fd_limit(uint32_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= count + EXTRA_FDS)
		return;
	limit.rlim_cur = count + EXTRA_FDS;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* "count": that many, a fresh eventfd each, on gsi = index; the first error ends it. */
static long irqfd_many(struct case_vm *vm, const struct step *s)
{
	uint32_t i;
	long ret = 0;

	if (!vm->b->ops)
		raise_fd_limit(s->u.irqfd.count);
	vm->extra = calloc(s->u.irqfd.count, sizeof(*vm->extra));
	if (!vm->extra)
		return -ENOMEM;
	for (i = 0; !ret && i < s->u.irqfd.count; i++) {
		int fd = vm->b->eventfd(vm->b);

		if (fd < 0)
			return fd;
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
	settle(vm);
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
	int fd = fd_named(vm, s->u.event.fd);
	long ret = vm->b->write(vm->b, fd, s->u.event.value);

	settle(vm);
	vm->readable = vm->b->readable(vm->b, fd);
	return ret;
}

static long event_read(struct case_vm *vm, const struct step *s)
{
	vm->read_value = 0;
	return vm->b->read(vm->b, fd_named(vm, s->u.event.fd), &vm->read_value);
}

static long event_epoll(struct case_vm *vm, const struct step *s)
{
	return vm->b->epoll_wait(vm->b, vm->epoll, s->u.timeout_ms);
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
	size_t i;

	for (i = 0; i < c->nr_steps && c->steps[i].kind != STEP_EPOLL_WAIT; i++)
		;
	if (i < c->nr_steps)
		vm->epoll = vm->b->epoll(vm->b, event_fd(vm, 0));
}

void fds_before(struct case_vm *vm, const struct oracle_case *c, size_t step)
{
	const struct premise *p = premise_of(c, step);

	if (!step)
		watch_e0(vm, c);
	if (p && p->what == PENDING)
		vm->b->write(vm->b, event_fd(vm, 0), 1);
}

void fds_after(struct case_vm *vm, const struct oracle_case *c, size_t step)
{
	const struct premise *p = premise_of(c, step);

	if (!p)
		return;
	if (p->what == CLOSE_EVENTFD)
		close_one(vm, &vm->eventfd[0]);
	if (p->what == CLOSE_OTHER_VM && vm->other_vm >= 0) {
		vm->b->close(vm->b, vm->other_vm);
		vm->other_vm = -1;
	}
	settle(vm);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The machine's own KVM: system calls, with errors turned into -errno. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"

static int real_open_kvm(struct backend *b)
{
	int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	(void)b;
	return fd < 0 ? -errno : fd;
}

static long real_ioctl(struct backend *b, int fd, unsigned int cmd, unsigned long arg)
{
	long ret = ioctl(fd, cmd, arg);

	(void)b;
	return ret < 0 ? -errno : ret;
}

static int real_close(struct backend *b, int fd)
{
	(void)b;
	return close(fd) < 0 ? -errno : 0;
}

static int or_errno(int fd)
{
	return fd < 0 ? -errno : fd;
}

static int real_eventfd(struct backend *b)
{
	(void)b;
	return or_errno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

static int real_semaphore(struct backend *b)
{
	(void)b;
	return or_errno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE));
}

static long real_write(struct backend *b, int fd, uint64_t count)
{
	ssize_t ret = write(fd, &count, sizeof(count));

	(void)b;
	return ret < 0 ? -errno : ret;
}

static long real_read(struct backend *b, int fd, uint64_t *count)
{
	ssize_t ret = read(fd, count, sizeof(*count));

	(void)b;
	return ret < 0 ? -errno : ret;
}

static int real_dup(struct backend *b, int fd)
{
	(void)b;
	return or_errno(fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

/* One end of a pipe; the other one is not needed. */
static int pipe_end(int end)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	close(fds[!end]);
	return fds[end];
}

static int real_open_other(struct backend *b, enum backend_other kind)
{
	(void)b;
	switch (kind) {
	case OTHER_TIMER:
		return or_errno(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
	case OTHER_PIPE_READ:
	case OTHER_PIPE_WRITE:
		return pipe_end(kind == OTHER_PIPE_WRITE);
	default:
		return or_errno(open("/dev/null", O_RDWR | O_CLOEXEC));
	}
}

static bool real_readable(struct backend *b, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)b;
	return poll(&p, 1, 0) == 1 && (p.revents & POLLIN);
}

static int real_epoll(struct backend *b, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int set = epoll_create1(EPOLL_CLOEXEC), err;

	(void)b;
	if (set < 0 || !epoll_ctl(set, EPOLL_CTL_ADD, fd, &ev))
		return or_errno(set);
	err = errno;
	close(set);
	return -err;
}

static long real_epoll_wait(struct backend *b, int set, unsigned int timeout_ms)
{
	struct epoll_event ev;

	(void)b;
	return or_errno(epoll_wait(set, &ev, 1, (int)timeout_ms));
}

static void *real_map_run(struct backend *b, int vcpu, size_t size)
{
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);

	(void)b;
	return area == MAP_FAILED ? NULL : area;
}

static void real_unmap_run(struct backend *b, void *area, size_t size)
{
	(void)b;
	munmap(area, size);
}

void backend_real_init(struct backend *b)
{
	*b = (struct backend){
		.name = "/dev/kvm",
		.open_kvm = real_open_kvm,
		.ioctl = real_ioctl,
		.close = real_close,
		.eventfd = real_eventfd,
		.semaphore = real_semaphore,
		.write = real_write,
		.read = real_read,
		.dup = real_dup,
		.open_other = real_open_other,
		.readable = real_readable,
		.epoll = real_epoll,
		.epoll_wait = real_epoll_wait,
		.map_run = real_map_run,
		.unmap_run = real_unmap_run,
	};
}

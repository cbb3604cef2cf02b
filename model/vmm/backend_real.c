// SPDX-License-Identifier: GPL-2.0-only
/* The machine's own KVM: system calls, with errors turned into -errno. */
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

static int real_eventfd(struct backend *b)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	(void)b;
	return fd < 0 ? -errno : fd;
}

static long real_write(struct backend *b, int fd, uint64_t count)
{
	ssize_t ret = write(fd, &count, sizeof(count));

	(void)b;
	return ret < 0 ? -errno : ret;
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
		.write = real_write,
		.map_run = real_map_run,
		.unmap_run = real_unmap_run,
	};
}

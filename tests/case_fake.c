// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "case_fake.h"

#define MAX_ENTRIES 4096 /* KVM_MAX_IRQ_ROUTES */

static struct fake *fake_of(struct backend *b)
{
	return (struct fake *)b;
}

static int new_fd(struct fake *f)
{
	int fd = FAKE_FIRST_FD;

	while (f->open[fd])
		fd++;
	cr_assert_lt(fd, FAKE_MAX_FDS - 1);
	f->open[fd] = true;
	return fd;
}

static int fake_open(struct backend *b)
{
	return new_fd(fake_of(b));
}

static int fake_close(struct backend *b, int fd)
{
	struct fake *f = fake_of(b);

	cr_assert(fd >= 0 && fd < FAKE_MAX_FDS && f->open[fd], "close of %d", fd);
	f->open[fd] = false;
	return 0;
}

/* FNV-1a. */
static void digest(struct fake *f, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size--)
		f->digest = (f->digest ^ *p++) * 0x100000001b3ull;
}

/* As copy_from_user(): the whole or nothing. */
static bool user_read(void *to, unsigned long from, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };

	return !size || process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool takes_number(unsigned int cmd)
{
	return cmd == KVM_CREATE_VM || cmd == KVM_CREATE_VCPU || cmd == KVM_CHECK_EXTENSION ||
	       _IOC_DIR(cmd) == _IOC_NONE;
}

static long answered(struct fake *f, int fd, unsigned int cmd, unsigned long arg)
{
	static char data[sizeof(struct kvm_irq_routing) +
			 MAX_ENTRIES * sizeof(struct kvm_irq_routing_entry)];
	size_t size = _IOC_SIZE(cmd);
	struct kvm_irq_routing head;

	digest(f, &fd, sizeof(fd));
	digest(f, &cmd, sizeof(cmd));
	if (takes_number(cmd)) {
		digest(f, &arg, sizeof(arg));
		return f->answer ? f->answer(f, cmd, &arg, sizeof(arg)) : 0;
	}
	if (!user_read(data, arg, size))
		return -EFAULT;
	if (cmd == KVM_SET_GSI_ROUTING) {
		memcpy(&head, data, sizeof(head));
		digest(f, &head, sizeof(head));
		if (head.nr > MAX_ENTRIES)
			return -EINVAL;
		size += head.nr * sizeof(struct kvm_irq_routing_entry);
		if (!user_read(data, arg, size))
			return -EFAULT;
	}
	digest(f, data, size);
	return f->answer ? f->answer(f, cmd, data, size) : 0;
}

static long fake_ioctl(struct backend *b, int fd, unsigned int cmd, unsigned long arg)
{
	struct fake *f = fake_of(b);
	long ret;

	f->calls++;
	if (cmd == KVM_CREATE_VM) {
		f->digest = 0xcbf29ce484222325ull;
		f->digest_calls = 0;
		return new_fd(f);
	}
	f->digest_calls++;
	if (fd < 0 || fd >= FAKE_MAX_FDS || !f->open[fd]) {
		digest(f, &cmd, sizeof(cmd));
		return -EBADF;
	}
	ret = answered(f, fd, cmd, arg);
	if (f->calls == f->wrong_call)
		return -EDOM;
	return cmd == KVM_CREATE_VCPU && !ret ? new_fd(f) : ret;
}

static int fake_eventfd(struct backend *b)
{
	return new_fd(fake_of(b));
}

static long fake_write(struct backend *b, int fd, uint64_t count)
{
	(void)count;
	return fake_of(b)->open[fd] ? (long)sizeof(count) : -EBADF;
}

static long fake_read(struct backend *b, int fd, uint64_t *count)
{
	*count = 0;
	return fake_of(b)->open[fd] ? -EAGAIN : -EBADF;
}

static int fake_new_of(struct backend *b, int fd)
{
	return fake_of(b)->open[fd] ? new_fd(fake_of(b)) : -EBADF;
}

static int fake_other(struct backend *b, enum backend_other kind)
{
	(void)kind;
	return new_fd(fake_of(b));
}

static bool fake_readable(struct backend *b, int fd)
{
	(void)b, (void)fd;
	return false;
}

static long fake_epoll_wait(struct backend *b, int set, unsigned int timeout_ms)
{
	(void)timeout_ms;
	return fake_of(b)->open[set] ? 0 : -EBADF;
}

void fake_init(struct fake *f, bool simulated)
{
	memset(f, 0, sizeof(*f));
	f->b = (struct backend){
		.name = simulated ? "simulated" : "real",
		.open_kvm = fake_open,
		.ioctl = fake_ioctl,
		.close = fake_close,
		.eventfd = fake_eventfd,
		.semaphore = fake_eventfd,
		.write = fake_write,
		.read = fake_read,
		.dup = fake_new_of,
		.open_other = fake_other,
		.readable = fake_readable,
		.epoll = fake_new_of,
		.epoll_wait = fake_epoll_wait,
		.ops = simulated ? &f->ops : NULL,
	};
}

unsigned int fake_open_fds(const struct fake *f)
{
	unsigned int i, n = 0;

	for (i = 0; i < FAKE_MAX_FDS; i++)
		n += f->open[i];
	return n;
}

int cases_made(const char *text, size_t len, struct cases **out, char *err, size_t err_size)
{
	char path[] = "/tmp/irqsim-cases-XXXXXX", full[600];
	int fd = mkstemp(path), ret;

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, len), (ssize_t)len);
	close(fd);
	full[0] = 0;
	ret = cases_read(path, out, full, sizeof(full));
	unlink(path);
	/* The name differs each time: told as FILE. */
	cr_assert(!ret || !strncmp(full, path, strlen(path)), "%s", full);
	snprintf(err, err_size, "%s%s", ret ? "FILE" : "", ret ? full + strlen(path) : "");
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A KVM for the tests of the case runner: it hands out descriptors, reads its arguments as a kernel
 * does (EFAULT where they cannot be read), keeps a digest of every ioctl, and answers what a test
 * says. Its eventfds take every write and have nothing to read.
 */
#ifndef TESTS_CASE_FAKE_H
#define TESTS_CASE_FAKE_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../model/vmm/backend.h"
#include "../model/vmm/cases.h"

#define FAKE_FIRST_FD 3
#define FAKE_MAX_FDS  16

struct fake {
	struct backend b; /* first: calls get this one */
	struct port_ops ops;
	bool open[FAKE_MAX_FDS];
	unsigned int calls;	   /* ioctls since the start */
	uint64_t digest;	   /* of the calls since the last KVM_CREATE_VM */
	unsigned int digest_calls; /* how many these are */

	/*
	 * The answer to a call whose argument could be read; @data is what it points to, @size how
	 * many bytes of it. NULL: 0 to everything.
	 */
	long (*answer)(struct fake *f, unsigned int cmd, void *data, size_t size);
	unsigned int wrong_call; /* calls counted from 1: this one is answered EDOM; 0: none */
};

/* @simulated: as a KVM object would be; else as a real kernel. */
void fake_init(struct fake *f, bool simulated);
unsigned int fake_open_fds(const struct fake *f);

/* cases_read() of a file with @text; in @err the file's name is FILE. */
int cases_made(const char *text, size_t len, struct cases **out, char *err, size_t err_size);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memfd behind the simulated RAM and its direct map.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frames.h"
#include "ledger.h"
#include "poison.h"

struct sim_frame *sim_frames;
uint32_t sim_nr_frames;
int sim_ram_fd = -1;
pthread_mutex_t sim_mm_lock = PTHREAD_MUTEX_INITIALIZER;

/* @at: where it has to be, or NULL. */
static void __attribute__((noreturn)) die(const char *what, const void *at)
{
	if (at)
		fprintf(stderr, "irqsim: cannot map %s at %p: %s\n", what, at, strerror(errno));
	else
		fprintf(stderr, "irqsim: cannot map %s: %s\n", what, strerror(errno));
	abort();
}

void *sim_reserve(void *at, size_t size, int prot, const char *what)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
	void *p = mmap(at, size, prot, flags, -1, 0);

	if (p == MAP_FAILED)
		die(what, at);
	if (at && p != at) {
		errno = EEXIST;
		die(what, at);
	}
	return p;
}

void sim_frames_map(size_t ram_bytes)
{
	void *p;

	sim_ram_fd = memfd_create("irqsim-ram", MFD_CLOEXEC);
	if (sim_ram_fd < 0 || ftruncate(sim_ram_fd, ram_bytes))
		die("the simulated RAM", NULL);
	p = mmap((void *)SIM_DIRECT_MAP, ram_bytes, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, sim_ram_fd, 0);
	if (p != (void *)SIM_DIRECT_MAP)
		die("the direct map", (void *)SIM_DIRECT_MAP);
	sim_nr_frames = ram_bytes >> SIM_PAGE_SHIFT;
	sim_frames = sim_reserve(NULL, sim_nr_frames * sizeof(*sim_frames), PROT_READ | PROT_WRITE,
				 "the page frames");
	sim_objects =
		sim_reserve(NULL, (size_t)sim_nr_frames * SIM_OBJS_PER_FRAME * sizeof(*sim_objects),
			    PROT_READ | PROT_WRITE, "the object ledger");
	sim_shadow_poison((void *)SIM_DIRECT_MAP, ram_bytes);
}

void sim_frames_unmap(void)
{
	size_t ram_bytes = (size_t)sim_nr_frames << SIM_PAGE_SHIFT;

	sim_shadow_unpoison((void *)SIM_DIRECT_MAP, ram_bytes);
	munmap((void *)SIM_DIRECT_MAP, ram_bytes);
	munmap(sim_frames, sim_nr_frames * sizeof(*sim_frames));
	munmap(sim_objects, (size_t)sim_nr_frames * SIM_OBJS_PER_FRAME * sizeof(*sim_objects));
	close(sim_ram_fd);
	sim_nr_frames = 0;
	sim_ram_fd = -1;
}

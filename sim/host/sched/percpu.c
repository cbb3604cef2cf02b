// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sim/task.h>

#include "percpu.h"

#define HWCAP2_FSGSBASE (1 << 1) /* Documentation/arch/x86/x86_64/fsgs.rst */

extern char sim_percpu_start[], sim_percpu_end[];

static char *areas[SIM_NR_CPUS];

static size_t template_size(void)
{
	return sim_percpu_end - sim_percpu_start;
}

/*
 * Byte by byte and without instrumentation: AddressSanitizer puts redzones between the variables of
 * the template, and they are copied with them.
 */
__attribute__((no_sanitize("address", "undefined"))) static char *copy_template(void)
{
	size_t size = template_size(), i;
	volatile char *area;

	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, "per-CPU area of %zu bytes", size);
	for (i = 0; i < size; i++)
		area[i] = ((volatile char *)sim_percpu_start)[i];

	return (char *)area;
}

static void write_gs_base(uintptr_t base)
{
	if (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE)
		__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
	else if (syscall(SYS_arch_prctl, ARCH_SET_GS, base))
		err(1, "arch_prctl(ARCH_SET_GS)");
}

void percpu_select(int cpu)
{
	/* A program without a KVM object has no per-CPU variables, and nobody reads GS. */
	if (!template_size())
		return;
	if (!areas[cpu])
		areas[cpu] = copy_template();
	write_gs_base((uintptr_t)areas[cpu] - (uintptr_t)sim_percpu_start);
}

// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <sim/task.h>

#include "percpu.h"

#define HWCAP2_FSGSBASE (1 << 1) /* Documentation/arch/x86/x86_64/fsgs.rst */

extern char sim_percpu_start[], sim_percpu_end[];
extern sim_cpu_up_fn *const __start_irqsim_cpu_up[] __attribute__((weak));
extern sim_cpu_up_fn *const __stop_irqsim_cpu_up[] __attribute__((weak));

static char *areas[SIM_NR_CPUS];
static uintptr_t place; /* of the first area, or 0: anywhere */
static size_t distance;

size_t percpu_size(void)
{
	return sim_percpu_end - sim_percpu_start;
}

/*
 * Byte by byte and without instrumentation: AddressSanitizer puts redzones between the variables of
 * the template, and they are copied with them.
 */
__attribute__((no_sanitize("address", "undefined"))) void percpu_copy_template(char *area)
{
	size_t size = percpu_size(), i;

	for (i = 0; i < size; i++)
		((volatile char *)area)[i] = ((volatile char *)sim_percpu_start)[i];
}

static char *copy_template(int cpu)
{
	char *at = place ? (char *)place + cpu * distance : NULL, *area;
	size_t size = percpu_size();

	area = mmap(at, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
	if (area == MAP_FAILED || (at && area != at))
		err(1, "per-CPU area of %zu bytes", size);
	percpu_copy_template(area);

	return area;
}

bool percpu_has_wrgsbase(void)
{
	return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE;
}

void percpu_write_base(uintptr_t base)
{
	if (percpu_has_wrgsbase())
		__asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
	else if (syscall(SYS_arch_prctl, ARCH_SET_GS, base))
		err(1, "arch_prctl(ARCH_SET_GS)");
}

uintptr_t percpu_base_of(const char *area)
{
	return (uintptr_t)area - (uintptr_t)sim_percpu_start;
}

uintptr_t percpu_base(int cpu)
{
	if (!areas[cpu])
		areas[cpu] = copy_template(cpu);
	return percpu_base_of(areas[cpu]);
}

void percpu_place(uintptr_t at, size_t stride)
{
	if (percpu_size() > stride)
		errx(1, "per-CPU variables of %zu bytes: expected at most %zu", percpu_size(),
		     stride);
	place = at;
	distance = stride;
	memset(areas, 0, sizeof(areas));
}

unsigned long sim_per_cpu_offset(int cpu)
{
	return percpu_base(cpu);
}

bool percpu_holds(uintptr_t addr, int *cpu, uintptr_t *in_template)
{
	int i;

	for (i = 0; i < SIM_NR_CPUS; i++)
		if (areas[i] && addr - (uintptr_t)areas[i] < percpu_size()) {
			*cpu = i;
			*in_template = addr - percpu_base_of(areas[i]);
			return true;
		}
	return false;
}

void percpu_select(int cpu)
{
	sim_cpu_up_fn *const *up;

	/* A program without a KVM object has no per-CPU variables, and nobody reads GS. */
	if (!percpu_size())
		return;
	percpu_write_base(percpu_base(cpu));
	for (up = __start_irqsim_cpu_up; up < __stop_irqsim_cpu_up; up++)
		(*up)(cpu);
}

__attribute__((no_sanitize("address", "undefined"))) void percpu_restore(int nr_cpus)
{
	size_t words = percpu_size() / sizeof(uint64_t), i;
	const uint64_t *from = (const uint64_t *)sim_percpu_start;
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		for (i = 0; areas[cpu] && i < words; i++)
			((uint64_t *)areas[cpu])[i] = from[i];
}

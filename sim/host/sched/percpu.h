/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU areas. Kernel code reads a per-CPU variable as %gs:symbol, so a simulated CPU is a GS
 * base: its copy of the per-CPU section, less where that section is linked.
 */
#ifndef SIM_HOST_PERCPU_H
#define SIM_HOST_PERCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Point the calling thread's GS at @cpu's area, which is made from the template when first used. */
void percpu_select(int cpu);

/* The parts of it, for the deterministic world: what GS is to be, and the template copied again. */
size_t percpu_size(void);
/* From now on CPU n's area is at @at + n * @stride. Threads that have an older one keep it. */
void percpu_place(uintptr_t at, size_t stride);
uintptr_t percpu_base(int cpu);
void percpu_write_base(uintptr_t base);
void percpu_copy_template(char *area);
uintptr_t percpu_base_of(const char *area); /* what GS is for it */
bool percpu_has_wrgsbase(void);
void percpu_restore(int nr_cpus); /* CPUs 0 to @nr_cpus - 1 */

/* Is @addr in a CPU's area? Then in whose, and where its variable is linked. For reports. */
bool percpu_holds(uintptr_t addr, int *cpu, uintptr_t *in_template);

#endif

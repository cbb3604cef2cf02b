/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU areas. Kernel code reads a per-CPU variable as %gs:symbol, so a simulated CPU is a GS
 * base: its copy of the per-CPU section, less where that section is linked.
 */
#ifndef SIM_HOST_PERCPU_H
#define SIM_HOST_PERCPU_H

/* Point the calling thread's GS at @cpu's area, which is made from the template when first used. */
void percpu_select(int cpu);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SIM_HOST_THREADS_H
#define SIM_HOST_THREADS_H

#include <stdbool.h>

/* One above the highest simulated CPU that ever had a task; grows only. */
int sim_nr_cpus_used(void);

/* Did it ever have one? */
bool sim_cpu_was_used(int cpu);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks of the threads world: one pthread a simulated CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <urcu/urcu-memb.h>

#include <sim/mm.h>
#include <sim/ops.h>
#include <sim/task.h>
#include <sim/uaccess.h>

#include "percpu.h"
#include "threads.h"

__thread struct sim_task *sim_self;
__thread struct sim_counts sim_counts;

static struct sim_task tasks[SIM_NR_CPUS];
static atomic_bool cpu_taken[SIM_NR_CPUS];
static atomic_int nr_cpus_used;
static atomic_int next_pid = 1;

int sim_nr_cpus_used(void)
{
	return atomic_load_explicit(&nr_cpus_used, memory_order_acquire);
}

int sim_thread_enter(int cpu, const char *comm)
{
	struct sim_task *t;
	int used;

	if (cpu < 0 || cpu >= SIM_NR_CPUS)
		return -EINVAL;
	if (sim_self || atomic_exchange(&cpu_taken[cpu], true))
		return -EBUSY;

	used = atomic_load(&nr_cpus_used);
	while (used <= cpu && !atomic_compare_exchange_weak(&nr_cpus_used, &used, cpu + 1))
		;

	t = &tasks[cpu];
	memset(t, 0, sizeof(*t));
	t->cpu = cpu;
	t->pid = atomic_fetch_add(&next_pid, 1);
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	percpu_select(cpu);
	urcu_memb_register_thread();
	sim_self = t;

	return 0;
}

void sim_thread_exit(void)
{
	int cpu;

	if (!sim_self)
		return;

	cpu = sim_self->cpu;
	urcu_memb_unregister_thread();
	sim_self = NULL;
	atomic_store(&cpu_taken[cpu], false);
}

void sim_init(void)
{
	static atomic_bool done;

	if (atomic_exchange(&done, true))
		return;

	sim_uaccess_init();
	sim_thread_enter(0, "init");
	sim_mm_init(0);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks of the threads world: one pthread a simulated CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
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
static atomic_bool cpu_used[SIM_NR_CPUS];
static atomic_int nr_cpus_used;
static atomic_int next_pid = 1;
static bool alone;

int sim_nr_cpus_used(void)
{
	return atomic_load_explicit(&nr_cpus_used, memory_order_acquire);
}

bool sim_cpu_was_used(int cpu)
{
	return atomic_load_explicit(&cpu_used[cpu], memory_order_relaxed);
}

/* Its task is the calling thread, whichever took the CPU. */
static void enter(int cpu, const char *comm)
{
	struct sim_task *t;
	int used;

	atomic_store(&cpu_used[cpu], true);
	used = atomic_load(&nr_cpus_used);
	while (used <= cpu && !atomic_compare_exchange_weak(&nr_cpus_used, &used, cpu + 1))
		;

	t = &tasks[cpu];
	memset(t, 0, sizeof(*t));
	t->cpu = cpu;
	t->pid = atomic_fetch_add(&next_pid, 1);
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	sim_self = t;
	percpu_select(cpu);
	urcu_memb_register_thread();
}

int sim_thread_enter(int cpu, const char *comm)
{
	if (cpu < 0 || cpu >= SIM_NR_CPUS)
		return -EINVAL;
	if (sim_self || atomic_exchange(&cpu_taken[cpu], true))
		return -EBUSY;
	enter(cpu, comm);
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

struct birth {
	void (*fn)(void *arg);
	void *arg;
	int cpu;
	char comm[16];
};

static void *live(void *arg)
{
	struct birth b = *(struct birth *)arg;

	free(arg);
	enter(b.cpu, b.comm);
	b.fn(b.arg);
	sim_thread_exit();
	return NULL;
}

/* From the top: the lower CPUs are those that programs ask for by number. */
static int take_free_cpu(void)
{
	int cpu;

	for (cpu = SIM_NR_CPUS - 1; cpu >= 0; cpu--)
		if (!atomic_exchange(&cpu_taken[cpu], true))
			return cpu;
	return -EAGAIN;
}

int sim_thread_new(const char *comm, void (*fn)(void *arg), void *arg)
{
	struct birth *b = malloc(sizeof(*b));
	pthread_t thread;
	int cpu;

	if (!b)
		return -EAGAIN;
	cpu = take_free_cpu();
	if (cpu < 0)
		goto no_cpu;
	*b = (struct birth){ .fn = fn, .arg = arg, .cpu = cpu };
	snprintf(b->comm, sizeof(b->comm), "%s", comm);
	if (pthread_create(&thread, NULL, live, b))
		goto no_thread;
	pthread_detach(thread);
	return cpu;

no_thread:
	atomic_store(&cpu_taken[cpu], false);
no_cpu:
	free(b);
	return -EAGAIN;
}

void sim_set_alone(void)
{
	alone = true;
}

bool sim_alone(void)
{
	return alone;
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

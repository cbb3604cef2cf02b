// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting and tasks of the threads world: futexes and pthreads.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/version.h>

#include <sim/report.h>
#include <sim/sync.h>
#include <sim/task.h>

#include "supply.h"
#include "workqueue.h"
#include "world.h"

static struct task_struct cpu_tasks[SIM_NR_CPUS];

/* Of a CPU that never came up: the template, as in a kernel (asm/percpu.h). */
unsigned long __per_cpu_offset[NR_CPUS];
DEFINE_PER_CPU_READ_MOSTLY(unsigned long, this_cpu_off);

/* `current` is another on each CPU: one task a CPU. */
static void cpu_up(int cpu)
{
	struct task_struct *task = &cpu_tasks[cpu];
	unsigned long offset = sim_per_cpu_offset(cpu);

	WRITE_ONCE(__per_cpu_offset[cpu], offset);
	this_cpu_write(this_cpu_off, offset);
	refcount_set(&task->usage, 1);
	WRITE_ONCE(task->__state, TASK_RUNNING);
	task->flags = 0;
	task->worker_private = NULL;
	task->pid = sim_self->pid;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	this_cpu_write(pcpu_hot.current_task, task);
	this_cpu_write(pcpu_hot.cpu_number, cpu);
#else
	this_cpu_write(current_task, task);
	this_cpu_write(cpu_number, cpu);
#endif
}
SIM_CPU_UP(cpu_up);

bool world_alone(void)
{
	return sim_alone();
}

void world_await(u32 *word, u32 value, const void *caller)
{
	while (smp_load_acquire(word) == value) {
		if (unlikely(sim_alone())) {
			if (wq_run_here())
				continue;
			sim_report(SIM_REPORT_BUG, caller, "BUG: the only task waits for ever");
		}
		sim_wait_on(word, value);
	}
}

void world_idle(u32 *word, u32 value, const void *caller)
{
	world_await(word, value, caller);
}

void world_wake(u32 *word)
{
	sim_wake_all(word);
}

void world_relax(unsigned int turn)
{
	sim_spin_wait(turn);
}

bool world_task_new(int cpu, const char *comm, void (*fn)(void *arg), void *arg, const void *caller)
{
	return sim_thread_new(comm, fn, arg) >= 0;
}

int world_spare_cpu(unsigned int n)
{
	return 0;
}

int world_cpu(void)
{
	return sim_self->cpu;
}

/* A thread of the kernel's own has whichever CPU was free, and counts as CPU 0's. */
int world_pool_cpu(void)
{
	return current->flags & PF_KTHREAD ? 0 : sim_self->cpu;
}

const char *world_comm(void)
{
	return sim_self->comm;
}

int world_pid(void)
{
	return sim_self->pid;
}

void *world_worker(void)
{
	return sim_self->worker;
}

void world_set_worker(void *worker)
{
	sim_self->worker = worker;
}

void world_may_sleep(const char *what, const void *caller)
{
	sim_may_sleep(what, caller);
}

/* The top half of irq_enter() and local_bh_disable(), for the CPU that the timers' task has. */
void world_irq_enter(bool hard)
{
	if (hard) {
		sim_self->in_hardirq++;
		arch_local_irq_disable();
		__preempt_count_add(HARDIRQ_OFFSET);
	} else {
		sim_self->in_softirq++;
		sim_self->atomic_depth++;
		__preempt_count_add(SOFTIRQ_OFFSET);
	}
}

void world_irq_exit(bool hard)
{
	if (hard) {
		__preempt_count_sub(HARDIRQ_OFFSET);
		arch_local_irq_enable();
		sim_self->in_hardirq--;
	} else {
		__preempt_count_sub(SOFTIRQ_OFFSET);
		sim_self->atomic_depth--;
		sim_self->in_softirq--;
	}
}

void world_bh_disable(void)
{
	sim_self->bh_depth++;
	sim_self->atomic_depth++;
}

void world_bh_enable(void)
{
	sim_self->atomic_depth--;
	sim_self->bh_depth--;
}

bool world_running(void)
{
	return true;
}

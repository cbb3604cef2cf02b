// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting and tasks of the deterministic world: its scheduler's.
 */
#include <linux/bug.h>
#include <linux/kernel.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../supply.h"
#include "../world.h"
#include "context.h"

/* Set-up and final check are alone: what they wait for nobody does. */
static bool alone(const u32 *word, u32 value, const void *caller)
{
	if (det_running())
		return false;
	if (*word == value)
		sim_report(SIM_REPORT_BUG, caller,
			   "BUG: a program's set-up or final check waits for ever");
	return true;
}

void world_await(u32 *word, u32 value, const void *caller)
{
	if (!alone(word, value, caller))
		det_await(word, value, caller);
}

void world_idle(u32 *word, u32 value, const void *caller)
{
	if (!alone(word, value, caller))
		det_idle(word, value, caller);
}

/* Whoever changed it did so in an event, and those who wait are asked at each. */
void world_wake(u32 *word)
{
}

/* The policy decides who runs. */
bool world_alone(void)
{
	return false;
}

void world_relax(unsigned int turn)
{
}

int world_spare_cpu(unsigned int n)
{
	/* From the top, as programs number their own from the bottom. */
	return DET_MAX_TASKS - 1 - n % (DET_MAX_TASKS / 2);
}

bool world_task_new(int cpu, const char *comm, void (*fn)(void *arg), void *arg, const void *caller)
{
	return det_task_new(cpu, comm, fn, arg, caller) >= 0;
}

int world_cpu(void)
{
	return sim_self->cpu;
}

int world_pool_cpu(void)
{
	return sim_self->cpu;
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

void world_irq_enter(bool hard)
{
}

void world_irq_exit(bool hard)
{
}

int world_alarm_new(bool hard, const char *name, world_next_fn *next, void (*fire)(void *arg),
		    void *arg, const void *caller)
{
	int irq = det_irq_new(hard ? DET_HARDIRQ : DET_SOFTIRQ, sim_self->cpu, name, fire, arg,
			      caller);

	if (irq < 0)
		sim_report(SIM_REPORT_BUG, caller,
			   "irqsim: no room for the interrupt source \"%s\" of CPU %d", name,
			   sim_self->cpu);
	return irq + 1;
}

void world_alarm_set(int id, const void *caller)
{
	det_irq_raise(id - 1, caller);
}

void world_alarm_clear(int id, const void *caller)
{
	det_irq_cancel(id - 1, caller);
}

u64 world_clock_ns(void)
{
	return 0;
}

void world_bh_disable(void)
{
	bh_disable(CALLER);
}

void world_bh_enable(void)
{
	bh_enable(CALLER);
}

bool world_running(void)
{
	return det_running();
}

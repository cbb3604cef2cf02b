// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of one CPU taking turns, and each one's struct task_struct.
 */
#include <linux/sched.h>
#include <linux/string.h>

#include <sim/report.h>

#include "../supply.h"
#include "context.h"
#include "context_tracking.h"

static struct task_struct kernel_tasks[DET_MAX_TASKS + 1]; /* the first is set-up's */

static noinline struct task_struct *first_use(struct sim_task *t)
{
	struct task_struct *task = &kernel_tasks[det_running() ? det_actor() + 1 : 0];

	task->pid = t->pid;
	task->tgid = t->pid;
	BUILD_BUG_ON(sizeof(task->comm) != sizeof(t->comm));
	memcpy(task->comm, t->comm, sizeof(task->comm));
#ifdef CONFIG_PREEMPT_RT
	task->softirq_disable_cnt = 0;
#endif
	t->kernel_task = task;
	return task;
}

struct task_struct *irqsim_current(void)
{
	struct sim_task *t = sim_self;

	return likely(t->kernel_task) ? t->kernel_task : first_use(t);
}

static void switch_context(struct sim_task *from, struct sim_task *to)
{
	irqsim_tracking_set(to->in_eqs);
}

/* RCU watches in a handler, whatever it interrupted. */
static void context_enter(enum det_context context, struct sim_task *task)
{
	task->in_hardirq = context == DET_HARDIRQ;
	task->in_softirq = context == DET_SOFTIRQ;
	task->irqs_off = context == DET_HARDIRQ;
	task->bh_depth = 0;
	task->eqs_below = irqsim_tracking_set(0);
}

/* As handle_irq_event() of kernel/irq/handle.c complains. */
static void check_irqs_off(const struct sim_task *task)
{
	if (!task->irqs_off)
		sim_report(SIM_REPORT_CONTEXT, task->irqs_ip,
			   "WARNING: irq handler enabled interrupts: %s/%d", task->comm, task->pid);
}

static void handler_exit(enum det_context context, struct sim_task *task)
{
	if (context == DET_HARDIRQ)
		check_irqs_off(task);
	task->irqs_off = context != DET_HARDIRQ && task->irqs_off;
	sim_check_balance(context == DET_HARDIRQ ? "irq handler" : "softirq handler",
			  "leaked lock or atomic",
			  task->in_hardirq * HARDIRQ_OFFSET + task->in_softirq * SOFTIRQ_OFFSET,
			  task->irqs_ip);
	task->in_hardirq = 0;
	task->in_softirq = 0;
	irqsim_tracking_set(task->eqs_below);
}

static void context_exit(enum det_context context, struct sim_task *task)
{
	if (context == DET_TASK)
		sim_check_balance("task", "leaked lock or atomic", 0, task->irqs_ip);
	else
		handler_exit(context, task);
}

const struct det_kernel irqsim_det_kernel = {
	.switch_context = switch_context,
	.enter = context_enter,
	.exit = context_exit,
#ifdef CONFIG_PREEMPT_RT
	.softirq_thread = irqsim_softirq_thread,
#endif
};

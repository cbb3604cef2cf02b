// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/sched.h and linux/preempt.h: the running task, its preemption count, and whether it may
 * sleep.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/version.h>

#include <sim/report.h>
#include <sim/task.h>

#include "supply.h"

static struct task_struct init_kernel_task;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
DEFINE_PER_CPU_ALIGNED(struct pcpu_hot, pcpu_hot) = {
	.current_task = &init_kernel_task,
};
#else
DEFINE_PER_CPU(struct task_struct *, current_task) = &init_kernel_task;
DEFINE_PER_CPU(int, __preempt_count);
DEFINE_PER_CPU_READ_MOSTLY(int, cpu_number);
#endif

static int preempt_depth(void)
{
#ifdef CONFIG_PREEMPT_COUNT
	/* The x86 count keeps "no reschedule wanted" in its top bit, inverted. */
	return preempt_count() & ~PREEMPT_NEED_RESCHED;
#else
	return 0;
#endif
}

void sim_may_sleep(const char *what, const void *caller)
{
	const struct sim_task *t = sim_self;

	if (likely(!(t->atomic_depth | t->irqs_off | t->in_hardirq | t->rcu_depth) &&
		   !preempt_depth()))
		return;

	sim_report(SIM_REPORT_ATOMIC_SLEEP, caller,
		   "BUG: sleeping function called from invalid context: %s\n"
		   "in_atomic(): %d, irqs_disabled(): %d, non_block: 0, pid: %d, name: %s\n"
		   "preempt_count: %x, expected: 0\n"
		   "RCU nest depth: %d, expected: 0",
		   what, t->atomic_depth + preempt_depth() + t->in_hardirq > 0, t->irqs_off, t->pid,
		   t->comm, preempt_depth() + t->atomic_depth, t->rcu_depth);
}

SUPPLY(void, __might_sleep, const char *file, int line)
{
	sim_may_sleep("might_sleep", CALLER);
}

SUPPLY(void, __might_resched, const char *file, int line, unsigned int offsets)
{
	sim_may_sleep("might_resched", CALLER);
}

SUPPLY(int, __cond_resched, void)
{
	sim_may_sleep("cond_resched", CALLER);
	return 0;
}

SUPPLY(void, preempt_schedule, void)
{
}

SUPPLY(void, preempt_schedule_notrace, void)
{
}

/* preempt_enable() calls these from assembly that expects no register to change. */
#define THUNK(name)                                            \
	asm(".globl " #name "_thunk\n" #name "_thunk: ret\n"   \
	    ".globl __SCT__" #name "\n__SCT__" #name ": ret\n" \
	    ".globl __SCT__" #name "_notrace\n__SCT__" #name "_notrace: ret\n")
asm(".pushsection .text");
THUNK(preempt_schedule);
asm(".globl preempt_schedule_notrace_thunk\npreempt_schedule_notrace_thunk: ret\n.popsection");

/* Read sections that were left open would hold up every grace period from here on. */
static void leave_read_sections(struct sim_task *t)
{
	while (t->nr_srcu > 0) {
		t->nr_srcu--;
		if (t->nr_srcu < SIM_SRCU_HELD_MAX)
			sim_srcu_abandon(&t->srcu[t->nr_srcu]);
	}
	for (; t->rcu_depth > 0; t->rcu_depth--)
		sim_rcu_abandon();
}

/*
 * The end of a system call: whatever it took or disabled has to be undone. What is not is reported,
 * and undone as far as it can be, so that one bug gives one report; a lock stays taken.
 */
void sim_syscall_end(const char *what, const void *caller)
{
	struct sim_task *t = sim_self;

	if (likely(!(t->atomic_depth | t->irqs_off | t->rcu_depth | t->nr_locks | t->nr_srcu) &&
		   !preempt_depth()))
		return;

	sim_report(SIM_REPORT_CONTEXT, caller,
		   "BUG: %s returned to user space unbalanced\n"
		   "preempt_count: %x, irqs_disabled(): %d, RCU nest depth: %d, locks held: %d, "
		   "SRCU read sections: %d",
		   what, preempt_depth() + t->atomic_depth, t->irqs_off, t->rcu_depth, t->nr_locks,
		   t->nr_srcu);
	leave_read_sections(t);
	t->atomic_depth = 0;
	local_irq_enable();
	t->nr_locks = 0;
	t->lockdep_depth = 0;
#ifdef CONFIG_PREEMPT_COUNT
	preempt_count_sub(preempt_depth());
#endif
}

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

#include <sim/lockdep.h>
#include <sim/report.h>
#include <sim/task.h>

#include "supply.h"
#ifdef IRQSIM_DET
#include "det/context.h"
#else
#include "workqueue.h"
#endif

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

#ifndef IRQSIM_DET
/* preempt_count(), of which the kernel's variable has only preempt_disable() here. */
static int count_of(const struct sim_task *t)
{
	int count = t->atomic_depth + t->in_hardirq * (int)HARDIRQ_OFFSET;

#ifdef CONFIG_PREEMPT_COUNT
	/* The x86 count keeps "no reschedule wanted" in its top bit, inverted. */
	count += preempt_count() & ~PREEMPT_NEED_RESCHED;
#endif
	return count;
}
#endif

static void held_text(char *buf, size_t size)
{
	buf[0] = '\0';
#ifdef CONFIG_LOCKDEP
	sim_lockdep_held_text(buf, size);
#endif
}

/*
 * @what may sleep, at @line if that is not 0. @offsets: the depths that the caller is to have, as
 * __might_resched() takes them.
 */
static noinline void bad_sleep(const char *what, int line, unsigned int offsets, const void *caller)
{
	const struct sim_task *t = sim_self;
	const void *ip = t->preempt_depth ? t->preempt_ip : t->irqs_off ? t->irqs_ip : NULL;
	char held[1024], place[128] = "";

	if (sim_report_again(SIM_REPORT_ATOMIC_SLEEP, caller))
		return;
	held_text(held, sizeof(held));
	if (ip)
		sim_symbol(ip - 1, place, sizeof(place));
	sim_report(SIM_REPORT_ATOMIC_SLEEP, caller,
		   "BUG: sleeping function called from invalid context%s%s%s%.0d\n"
		   "in_atomic(): %d, irqs_disabled(): %d, non_block: 0, pid: %d, name: %s\n"
		   "preempt_count: %x, expected: %x\n"
		   "RCU nest depth: %d, expected: %u%s%s%s%s",
		   line ? " at " : ": ", what, line ? ":" : "", line, count_of(t) > 0, t->irqs_off,
		   t->pid, t->comm, count_of(t), offsets & MIGHT_RESCHED_PREEMPT_MASK, t->rcu_depth,
		   offsets >> MIGHT_RESCHED_RCU_SHIFT,
		   !ip		      ? ""
		   : t->preempt_depth ? "\nPreemption disabled at:\n "
				      : "\nhardirqs last disabled at:\n ",
		   place, *held ? "\n" : "", held);
}

void sim_may_sleep(const char *what, const void *caller)
{
	const struct sim_task *t = sim_self;

	if (unlikely((t->irqs_off | t->rcu_depth) || count_of(t)))
		bad_sleep(what, 0, 0, caller);
}

/* A lock of PREEMPT_RT that may be taken in an RCU read section, and nowhere else where one may not sleep. */
void sim_may_block(const char *what, const void *caller)
{
	const struct sim_task *t = sim_self;

	if (unlikely(t->irqs_off || count_of(t)))
		bad_sleep(what, 0, t->rcu_depth << MIGHT_RESCHED_RCU_SHIFT, caller);
}

SUPPLY(void, __might_resched, const char *file, int line, unsigned int offsets)
{
	const struct sim_task *t = sim_self;

	if (unlikely(t->irqs_off || count_of(t) != (offsets & MIGHT_RESCHED_PREEMPT_MASK) ||
		     t->rcu_depth != offsets >> MIGHT_RESCHED_RCU_SHIFT))
		bad_sleep(in_tree(file), line, offsets, CALLER);
}

SUPPLY(void, __might_sleep, const char *file, int line)
{
	const struct sim_task *t = sim_self;

	if (unlikely((t->irqs_off | t->rcu_depth) || count_of(t)))
		bad_sleep(in_tree(file), line, 0, CALLER);
}

SUPPLY(int, __cond_resched, void)
{
	sim_may_sleep("cond_resched", CALLER);
	return 0;
}

#ifndef IRQSIM_DET /* its preempt_enable() asks nobody */
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
#endif

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

/* Where what is left over came from, as far as somebody kept it. */
static const void *left_by(const struct sim_task *t, const void *otherwise)
{
	if (t->lockdep_depth > 0 && t->lockdep_depth <= SIM_LOCKS_HELD_MAX)
		return t->held[t->lockdep_depth - 1].caller;
	if ((t->preempt_depth | t->bh_depth) && t->preempt_ip)
		return t->preempt_ip;
	if (t->irqs_off && t->irqs_ip)
		return t->irqs_ip;
	if (t->nr_srcu > 0 && t->nr_srcu <= SIM_SRCU_HELD_MAX)
		return t->srcu[t->nr_srcu - 1].caller;
	return otherwise;
}

static void undo(struct sim_task *t)
{
	leave_read_sections(t);
	t->atomic_depth = 0;
	t->bh_depth = 0;
	t->migrate_depth = 0;
	t->in_eqs = 0;
	local_irq_enable();
	t->nr_locks = 0;
	t->lockdep_depth = 0;
#ifdef IRQSIM_DET
	t->preempt_depth = 0;
#elif defined(CONFIG_PREEMPT_COUNT)
	preempt_count_sub(preempt_count() & PREEMPT_MASK);
#endif
}

/*
 * The end of a task, handler or system call: whatever it took or disabled has to be undone. What is
 * not is reported, and undone as far as it can be, so that one bug gives one report; a lock stays
 * taken. @handler: what the count has by its being one.
 */
static noinline void unbalanced(const char *what, const char *how, int handler, const void *caller)
{
	struct sim_task *t = sim_self;
	char held[1024];

	caller = left_by(t, caller);
	if (!sim_report_again(SIM_REPORT_CONTEXT, caller)) {
		held_text(held, sizeof(held));
		sim_report(SIM_REPORT_CONTEXT, caller,
			   "BUG: %s %s: %s/0x%08x/%d\n"
			   "preempt_count: %x, irqs_disabled(): %d, RCU nest depth: %d, locks "
			   "held: %d, SRCU read sections: %d, RCU watching: %d\n%s",
			   what, how, t->comm, count_of(t), t->pid, count_of(t) - handler,
			   t->irqs_off, t->rcu_depth, t->nr_locks, t->nr_srcu, !t->in_eqs, held);
	}
	undo(t);
}

void sim_check_balance(const char *what, const char *how, int handler, const void *caller)
{
	const struct sim_task *t = sim_self;

	if (unlikely((t->irqs_off | t->rcu_depth | t->nr_locks | t->nr_srcu | t->in_eqs |
		      t->lockdep_depth | t->bh_depth | t->migrate_depth) ||
		     count_of(t) != handler))
		unbalanced(what, how, handler, caller);
}

void sim_syscall_end(const char *what, const void *caller)
{
#ifndef IRQSIM_DET
	while (unlikely(sim_alone()) && wq_run_here())
		;
#endif
	sim_check_balance(what, "returned to user space unbalanced", 0, caller);
}

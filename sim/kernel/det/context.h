/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running context's CPU lets in, from what the context has disabled. Callers tell the
 * scheduler where that changes: before it takes effect where it is raised, after where it is
 * lowered.
 */
#ifndef SIM_KERNEL_DET_CONTEXT_H
#define SIM_KERNEL_DET_CONTEXT_H

#include <linux/preempt.h>
#include <asm/processor-flags.h>

#include <sim/det.h>
#include <sim/lockdep.h>
#include <sim/report.h>
#include <sim/task.h>

/* preempt_count(). PREEMPT_RT counts softirqs apart, in current->softirq_disable_cnt. */
static inline int count_of(const struct sim_task *t)
{
	int softirqs = IS_ENABLED(CONFIG_PREEMPT_RT) ? 0 : 2 * t->bh_depth + t->in_softirq;

	return t->preempt_depth + t->atomic_depth + softirqs * (int)SOFTIRQ_OFFSET +
	       t->in_hardirq * (int)HARDIRQ_OFFSET;
}

static inline enum det_level level_of(const struct sim_task *t)
{
	if (t->irqs_off | t->in_hardirq)
		return DET_NO_IRQS;
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && (t->bh_depth | t->in_softirq))
		return DET_NO_SOFTIRQS;
	return t->preempt_depth | t->atomic_depth ? DET_NO_TASKS : DET_PREEMPTIBLE;
}

static inline void level_raise(enum det_level to, const void *caller)
{
	if (unlikely(det_cpus_shared) && level_of(sim_self) < to)
		det_cpu_level(to, caller);
}

/* For level_lowered(); the lowest where nobody is to be told. */
static inline enum det_level level_now(void)
{
	return unlikely(det_cpus_shared) ? level_of(sim_self) : DET_PREEMPTIBLE;
}

static inline void level_lowered(enum det_level was, const void *caller)
{
	if (unlikely(was != DET_PREEMPTIBLE) && level_of(sim_self) < was)
		det_cpu_level(level_of(sim_self), caller);
}

static inline void irqs_disable(const void *caller)
{
	struct sim_task *t = sim_self;

	if (t->irqs_off)
		return;
	level_raise(DET_NO_IRQS, caller);
	t->irqs_off = 1;
	t->irqs_ip = caller;
}

static inline void irqs_enable(const void *caller)
{
	enum det_level was = level_now();

	sim_self->irqs_off = 0;
	if (unlikely(sim_self->lockdep_depth))
		sim_lock_irqs_on();
	level_lowered(was, caller);
}

/* What linux/irqflags.h calls flags is only whether they were on. */
static inline unsigned long irqs_save(const void *caller)
{
	unsigned long flags = sim_self->irqs_off ? 0 : X86_EFLAGS_IF;

	irqs_disable(caller);
	return flags;
}

static inline void irqs_restore(unsigned long flags, const void *caller)
{
	if (flags & X86_EFLAGS_IF)
		irqs_enable(caller);
	else
		irqs_disable(caller);
}

void count_add(int val, const void *caller); /* preempt.c */
void count_sub(int val, const void *caller);
void bh_disable(const void *caller); /* bottom_half.c */
void bh_enable(const void *caller);
/* PREEMPT_RT: a softirq's handler in its task. */
void irqsim_softirq_thread(void (*handler)(void *arg), void *arg);

/* Taking a spinlock or rwlock: the CPU is kept from before the lock is waited for. */
static inline void lock_begins(const void *caller)
{
	level_raise(DET_NO_TASKS, caller);
	sim_self->atomic_depth++;
}

static inline void lock_ended(const void *caller)
{
	enum det_level was = level_now();

	sim_self->atomic_depth--;
	level_lowered(was, caller);
}

/* A lock is made, which nobody may have: not even one that was here before. */
static inline void lock_is_new(const volatile void *lock, const void *caller)
{
	if (!det_running())
		return;
	if (det_trylock(lock, DET_EXCLUSIVE, caller))
		det_unlock(lock, DET_EXCLUSIVE, caller);
	else
		sim_report(SIM_REPORT_LOCKDEP, caller,
			   "BUG: lock is initialised while it is held\n"
			   "%s/%d initialises a lock that somebody holds",
			   sim_self->comm, sim_self->pid);
}

#endif

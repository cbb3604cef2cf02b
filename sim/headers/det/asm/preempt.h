/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaced because the real one keeps the count in a per-CPU variable: here it belongs to the
 * context that runs (sim/kernel/det/preempt.c), so that nothing has to be exchanged where contexts
 * take turns. Nobody asks for a reschedule through it.
 */
#ifndef IRQSIM_DET_ASM_PREEMPT_H
#define IRQSIM_DET_ASM_PREEMPT_H

#include <asm/current.h>
#include <asm/percpu.h>

#define PREEMPT_NEED_RESCHED 0x80000000
#define PREEMPT_ENABLED	     0

int irqsim_preempt_count(void);
void irqsim_preempt_count_add(int val);
void irqsim_preempt_count_sub(int val);

#define preempt_count()			irqsim_preempt_count()
#define preempt_count_set(count)	irqsim_preempt_count_add((count)-irqsim_preempt_count())
#define init_task_preempt_count(p)	((void)(p))
#define init_idle_preempt_count(p, cpu) ((void)(p), (void)(cpu))

#define __preempt_count_add(val)	irqsim_preempt_count_add(val)
#define __preempt_count_sub(val)	irqsim_preempt_count_sub(val)
#define __preempt_count_dec_and_test()       \
	({                                   \
		irqsim_preempt_count_sub(1); \
		false;                       \
	})

#define set_preempt_need_resched()   ((void)0)
#define clear_preempt_need_resched() ((void)0)
#define test_preempt_need_resched()  false
#define should_resched(offset)	     false

/* Where a task of more weight comes in, the scheduler has a choice at the level's change. */
#define __preempt_schedule()	     ((void)0)
#define __preempt_schedule_notrace() ((void)0)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the simulated kernel's files ask of each other beside what the kernel's headers declare. */
#ifndef SIM_KERNEL_SLEEP_H
#define SIM_KERNEL_SLEEP_H

#include <linux/types.h>

struct swait_queue_head;
struct task_struct;
struct timer_list;

/*
 * A worker of a pool sleeps, or has been woken: another item may run meanwhile (workqueue_pool.c).
 */
void wq_worker_sleeping(void *worker);
void wq_worker_running(void *worker);

/* Wake @p where its state is in @mask; 1 if it slept (schedule.c). */
int irqsim_wake(struct task_struct *p, unsigned int mask);

/* swake_up_locked(), whose prototype changes (swait.c). */
void irqsim_swake_locked(struct swait_queue_head *q);

/* The running task is a kernel thread from here on (kthread.c). */
void irqsim_become_kthread(const char *comm);

/* timer_delete_sync(), under whichever name the tree knows it (timer.c). */
int irqsim_timer_delete_sync(struct timer_list *timer);
int irqsim_timer_delete(struct timer_list *timer);

#endif

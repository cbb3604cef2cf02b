/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sleeping primitives are built on; each world has its own bodies (world.c, det/world.c).
 * Arguments are values, or strings that do not change: what a caller has stored elsewhere may still
 * be in its store buffer (det.h, tso), which these bodies do not look into.
 */
#ifndef SIM_KERNEL_WORLD_H
#define SIM_KERNEL_WORLD_H

#include <linux/types.h>

/*
 * Return when *@word is not @value: a load with acquire. world_idle(): the same for those who may
 * wait for ever without anything being wrong. Whoever changes the word calls world_wake() after it.
 */
void world_await(u32 *word, u32 value, const void *caller);
void world_idle(u32 *word, u32 value, const void *caller);
void world_wake(u32 *word);

/* Is the running task the only one there will be (sim_set_alone())? */
bool world_alone(void);

/* Let others have a turn. */
void world_relax(unsigned int turn);

/*
 * A task that lives in @fn(@arg); never sleeps. Everything before the call happens before it. @cpu:
 * where it runs in the deterministic world; the threads world has one task a CPU and chooses one
 * that is free. False where there is no room for it.
 */
bool world_task_new(int cpu, const char *comm, void (*fn)(void *arg), void *arg,
		    const void *caller);
/* A CPU for the n-th task that asks for none. */
int world_spare_cpu(unsigned int n);

int world_cpu(void);	  /* of the running task */
int world_pool_cpu(void); /* whose pool of workers takes what it queues */
const char *world_comm(void);
int world_pid(void);

/* The workqueue worker that the running task is, or NULL. */
void *world_worker(void);
void world_set_worker(void *worker);

/* May the running context sleep in @what? Reported at @caller if not. */
void world_may_sleep(const char *what, const void *caller);

/*
 * Interrupt handlers that a task of the threads world runs in place of a CPU that would take them;
 * nothing in the deterministic world, whose handlers have contexts of their own.
 */
void world_irq_enter(bool hard);
void world_irq_exit(bool hard);

/* local_bh_disable() and its like, around callbacks. */
void world_bh_disable(void);
void world_bh_enable(void);

/*
 * A queue of timers. Threads: a task asks @next for the time of the first, on world_clock_ns(), and
 * calls @fire when it has come. Deterministic world: there is no clock; @fire is a handler that may
 * come at any event after world_alarm_set() on the CPU that made it. The result names the alarm,
 * and is not 0.
 */
typedef u64 world_next_fn(void *arg); /* U64_MAX: none */
int world_alarm_new(bool hard, const char *name, world_next_fn *next, void (*fire)(void *arg),
		    void *arg, const void *caller);
void world_alarm_set(int id, const void *caller);
void world_alarm_clear(int id, const void *caller); /* nothing is queued any more */
u64 world_clock_ns(void);

/* Can somebody else still run? Not in set-up and final check of the deterministic world. */
bool world_running(void);

#endif

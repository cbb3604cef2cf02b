// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks and interrupts of one CPU, made by hand: a lost update that only the CPU's own interrupt
 * can make, a buffer that is handed to a softirq, a worker that is idle between items.
 */
#include <linux/atomic.h>
#include <linux/percpu.h>

#include "programs.h"

#define HERE __builtin_return_address(0)

static int counter;

static void add_one(void)
{
	WRITE_ONCE(counter, READ_ONCE(counter) + 1);
}

static void add_masked(unsigned int n)
{
	det_cpu_level(DET_NO_IRQS, HERE);
	add_one();
	det_cpu_level(DET_PREEMPTIBLE, HERE);
}

static void add_open(unsigned int n)
{
	add_one();
}

static void both_added(void)
{
	DET_CHECK(counter == 2);
}

static uint64_t count(void)
{
	return counter;
}

PROGRAM(irq_counter, "irq-counter", "a task and its CPU's interrupt count, interrupts off", 1,
	.nr_irqs = 1, .actor = add_masked, .irq = add_open, .final = both_added, .state = count);
PROGRAM(irq_counter_open, "irq-counter-open", "the same with interrupts on: an update is lost", 1,
	.nr_irqs = 1, .actor = add_open, .irq = add_open, .final = both_added, .state = count,
	.expects = "check");

/* ---- a buffer for a softirq of another CPU ---- */

static int *buffer;
static int softirq, sum;

static void use_buffer(void *arg)
{
	sum += *buffer;
	kfree(buffer);
}

static void with_softirq(void)
{
	softirq = det_irq_new(DET_SOFTIRQ, 1, "softirq", use_buffer, NULL, HERE);
}

static void hand_over(unsigned int n)
{
	buffer = kmalloc(sizeof(*buffer), GFP_KERNEL);
	*buffer = 3;
	det_irq_raise(softirq, HERE);
}

static void raise_early(unsigned int n)
{
	buffer = kmalloc(sizeof(*buffer), GFP_KERNEL);
	det_irq_raise(softirq, HERE);
	*buffer = 3;
}

static uint64_t what_came(void)
{
	return sum;
}

PROGRAM(softirq_buffer, "softirq-buffer", "a buffer for a softirq of another CPU", 1,
	.setup = with_softirq, .actor = hand_over, .final = det_check_leaks, .state = what_came);
PROGRAM(softirq_early, "softirq-early", "the same, raised before the buffer is filled", 1,
	.setup = with_softirq, .actor = raise_early, .final = det_check_leaks, .expects = "kcsan");

/* ---- a worker ---- */

static u32 items;
static int done;

static void work(void *arg)
{
	for (;;) {
		det_idle(&items, 0, HERE);
		det_store(&items, 0, HERE);
		done++;
	}
}

static void with_worker(void)
{
	det_task_new(0, "worker", work, NULL, HERE);
}

static void give_work(unsigned int n)
{
	det_store(&items, 1, HERE);
	det_await(&items, 1, HERE);
	det_store(&items, 1, HERE);
}

static void all_worked(void)
{
	DET_CHECK(done == 2);
}

PROGRAM(idle_worker, "idle-worker", "a worker of the task's CPU that is idle between items", 1,
	.setup = with_worker, .actor = give_work, .final = all_worked);

/* ---- per-CPU variables are the CPU's, not the task's ---- */

static DEFINE_PER_CPU(int, turns);
static const u8 cpus[] = { 0, 0, 1 };

static void take_turn(unsigned int n)
{
	this_cpu_inc(turns);
}

/* Runs on CPU 0. */
static void two_turns(void)
{
	DET_CHECK(this_cpu_read(turns) == 2);
}

PROGRAM(shared_cpu, "shared-cpu", "two tasks count in their CPU's variable, one in another's", 3,
	.actor_cpus = cpus, .actor = take_turn, .final = two_turns);

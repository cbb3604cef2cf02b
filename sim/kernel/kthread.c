// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/kthread.h: tasks of the kernel's own. What is known of one is in an object that its
 * task_struct leads to; that goes with the last reference to the task.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <sim/report.h>

#include "sleep.h"
#include "supply.h"
#include "world.h"

#include <stdarg.h>

enum { SHOULD_STOP, SHOULD_PARK, IS_PARKED };

struct kthread {
	unsigned long flags;
	int (*fn)(void *data);
	void *data;
	int result;
	struct task_struct *task;
	struct completion born, parked, exited;
	void *end[5]; /* where kthread_exit() goes on */
	char comm[TASK_COMM_LEN];
};

static struct kthread *to_kthread(struct task_struct *task)
{
	WARN_ON(!(task->flags & PF_KTHREAD));
	return task->worker_private;
}

void irqsim_become_kthread(const char *comm)
{
	refcount_set(&current->usage, 1);
	current->flags |= PF_KTHREAD;
	memcpy(current->comm, comm, min(strlen(comm) + 1, sizeof(current->comm)));
	current->comm[sizeof(current->comm) - 1] = '\0';
}

SUPPLY(void, __put_task_struct, struct task_struct *task)
{
	kfree(task->worker_private);
	task->worker_private = NULL;
	/* Its CPU is free again when the task itself has seen this. */
	smp_store_release(&task->exit_state, EXIT_DEAD);
	world_wake((u32 *)&task->exit_state);
}

SUPPLY(void, __put_task_struct_rcu_cb, struct rcu_head *head)
{
	__put_task_struct(container_of(head, struct task_struct, rcu));
}

static void park(struct kthread *self)
{
	for (;;) {
		/*
		 * A special state: set_special_state() has a lock for what cmpxchg does in wake().
		 */
		smp_store_mb(current->__state, TASK_PARKED);
		if (!test_bit(SHOULD_PARK, &self->flags))
			break;
		if (!test_and_set_bit(IS_PARKED, &self->flags))
			complete(&self->parked);
		schedule();
	}
	clear_bit(IS_PARKED, &self->flags);
	__set_current_state(TASK_RUNNING);
}

static void live(void *arg)
{
	struct kthread *self = arg;
	struct task_struct *task;

	irqsim_become_kthread(self->comm);
	task = current;
	task->exit_state = 0;
	task->worker_private = self;
	self->task = task;

	/* Made, and asleep until somebody wakes it. */
	__set_current_state(TASK_UNINTERRUPTIBLE);
	complete(&self->born);
	schedule();

	self->result = -EINTR;
	if (!test_bit(SHOULD_STOP, &self->flags)) {
		if (!__builtin_setjmp(self->end)) {
			if (test_bit(SHOULD_PARK, &self->flags))
				park(self);
			self->result = self->fn(self->data);
		}
	}
	self = task->worker_private;
	complete(&self->exited);
	put_task_struct(task);
	while (!smp_load_acquire(&task->exit_state))
		world_idle((u32 *)&task->exit_state, 0, CALLER);
	task->flags &= ~PF_KTHREAD;
}

static struct task_struct *create(int cpu, int (*fn)(void *data), void *data, const char *fmt,
				  va_list args, const void *caller)
{
	struct kthread *self = kzalloc(sizeof(*self), GFP_KERNEL);

	if (!self)
		return ERR_PTR(-ENOMEM);
	self->fn = fn;
	self->data = data;
	vsnprintf(self->comm, sizeof(self->comm), fmt, args);
	init_completion(&self->born);
	init_completion(&self->parked);
	init_completion(&self->exited);
	if (!world_task_new(cpu, self->comm, live, self, caller)) {
		kfree(self);
		return ERR_PTR(-EAGAIN);
	}
	wait_for_completion(&self->born);
	return self->task;
}

static int spare_cpu(void)
{
	static unsigned int nr_made;

	return world_spare_cpu(data_race(nr_made++));
}

SUPPLY(struct task_struct *, kthread_create_on_node, int (*fn)(void *data), void *data, int node,
       const char fmt[], ...)
{
	struct task_struct *task;
	va_list args;

	va_start(args, fmt);
	task = create(spare_cpu(), fn, data, fmt, args, CALLER);
	va_end(args);
	return task;
}

static struct task_struct *create_named(int cpu, int (*fn)(void *data), void *data,
					const void *caller, const char *fmt, ...)
{
	struct task_struct *task;
	va_list args;

	va_start(args, fmt);
	task = create(cpu, fn, data, fmt, args, caller);
	va_end(args);
	return task;
}

/* @fmt has one place for the CPU's number. */
SUPPLY(struct task_struct *, kthread_create_on_cpu, int (*fn)(void *data), void *data,
       unsigned int cpu, const char *fmt)
{
	return create_named(cpu, fn, data, CALLER, fmt, cpu);
}

/*
 * A thread stays where it was made; one that has to be on a CPU is made by kthread_create_on_cpu().
 */
SUPPLY(void, kthread_bind, struct task_struct *k, unsigned int cpu)
{
	WARN_ON(READ_ONCE(k->__state) != TASK_UNINTERRUPTIBLE);
}

SUPPLY(void, kthread_bind_mask, struct task_struct *k, const struct cpumask *mask)
{
	WARN_ON(READ_ONCE(k->__state) != TASK_UNINTERRUPTIBLE);
}

SUPPLY(bool, kthread_should_stop, void)
{
	return test_bit(SHOULD_STOP, &to_kthread(current)->flags);
}

SUPPLY(bool, kthread_should_park, void)
{
	return test_bit(SHOULD_PARK, &to_kthread(current)->flags);
}

SUPPLY(bool, kthread_should_stop_or_park, void)
{
	struct kthread *self = to_kthread(current);

	return self && READ_ONCE(self->flags) & (BIT(SHOULD_STOP) | BIT(SHOULD_PARK));
}

SUPPLY(void *, kthread_data, struct task_struct *task)
{
	return to_kthread(task)->data;
}

SUPPLY(void *, kthread_func, struct task_struct *task)
{
	return to_kthread(task)->fn;
}

SUPPLY(void, kthread_parkme, void)
{
	park(to_kthread(current));
}

SUPPLY(void, kthread_unpark, struct task_struct *k)
{
	clear_bit(SHOULD_PARK, &to_kthread(k)->flags);
	irqsim_wake(k, TASK_PARKED);
}

SUPPLY(int, kthread_park, struct task_struct *k)
{
	struct kthread *kthread = to_kthread(k);

	if (WARN_ON_ONCE(test_bit(SHOULD_PARK, &kthread->flags)))
		return -EBUSY;
	set_bit(SHOULD_PARK, &kthread->flags);
	if (k != current) {
		wake_up_process(k);
		wait_for_completion(&kthread->parked);
	}
	return 0;
}

static int stop(struct task_struct *k)
{
	struct kthread *kthread;
	int result;

	get_task_struct(k);
	kthread = to_kthread(k);
	set_bit(SHOULD_STOP, &kthread->flags);
	if (test_and_clear_bit(SHOULD_PARK, &kthread->flags))
		irqsim_wake(k, TASK_PARKED);
	wake_up_process(k);
	wait_for_completion(&kthread->exited);
	result = kthread->result;
	put_task_struct(k);
	return result;
}

SUPPLY(int, kthread_stop, struct task_struct *k)
{
	return stop(k);
}

SUPPLY(int, kthread_stop_put, struct task_struct *k)
{
	int result = stop(k);

	put_task_struct(k);
	return result;
}

static void __noreturn leave(long result)
{
	struct kthread *self = to_kthread(current);

	self->result = result;
	__builtin_longjmp(self->end, 1);
}

SUPPLY(void, kthread_exit, long result)
{
	leave(result);
}

SUPPLY(void, kthread_complete_and_exit, struct completion *done, long result)
{
	if (done)
		complete(done);
	leave(result);
}

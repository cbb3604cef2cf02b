// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts that are made while a program is set up or runs: tasks, sources of interrupts.
 */
#include "det.h"

/* NULL: there is no room. */
static struct det_task *context_new(enum det_context context, int cpu, const char *name,
				    const void *caller)
{
	struct det_task *by = det.cur, *t;

	if (by) {
		det_context_announce(by, DET_OP_NEW, NULL, caller);
		det_schedule(by);
	}
	if (cpu < 0 || cpu >= DET_MAX_TASKS || det.nr_tasks == DET_MAX_TASKS)
		return NULL;
	t = &det.tasks[det.nr_tasks];
	t->id = (uint8_t)det.nr_tasks++;
	if (det.nr_tasks > det.most_tasks)
		det.most_tasks = det.nr_tasks;
	det_context_name(t, context, (unsigned int)cpu, name);
	t->pending = t->injected = false;
	t->raised = (det_clock){ 0 };
	t->clk = by ? by->clk : (det_clock){ 0 };
	t->clk.n[t->id] = 1;
	if (by) {
		by->clk.n[by->id]++;
		if (det.record)
			det.ops[det.nr_steps - 1].mask = t->id;
	}
	det_context_ready(t);
	det_context_add(t);
	det_contexts_look(t->cpu);
	return t;
}

int det_task_new(int cpu, const char *comm, void (*fn)(void *arg), void *arg, const void *caller)
{
	struct det_task *t = context_new(DET_TASK, cpu, comm, caller);

	if (!t)
		return -1;
	t->fn = fn;
	t->arg = arg;
	det_enable(1u << t->id);
	return t->id;
}

/* ---- softirqs of PREEMPT_RT: tasks ---- */

static struct softirq {
	uint32_t raised;
	void (*handler)(void *arg);
	void *arg;
} softirqs[DET_MAX_TASKS];

static void softirq_thread(void *arg)
{
	struct softirq *s = arg;

	for (;;) {
		det_idle(&s->raised, 0, s->handler);
		det_store(&s->raised, 0, s->handler);
		det.program->kernel->softirq_thread(s->handler, s->arg);
	}
}

static int softirq_new(int cpu, const char *name, void (*handler)(void *arg), void *arg,
		       const void *caller)
{
	struct det_task *t = context_new(DET_TASK, cpu, name, caller);

	if (!t)
		return -1;
	softirqs[t->id] = (struct softirq){ 0, handler, arg };
	t->fn = softirq_thread;
	t->arg = &softirqs[t->id];
	det_enable(1u << t->id);
	return t->id;
}

static bool are_tasks(enum det_context context)
{
	return context == DET_SOFTIRQ && det.program->rt && det.program->kernel->softirq_thread;
}

/* NULL: @irq is no such task. */
static struct softirq *softirq_of(int irq)
{
	if (irq < 0 || (uint32_t)irq >= det.nr_tasks || det.tasks[irq].fn != softirq_thread)
		return NULL;
	return &softirqs[irq];
}

int det_irq_new(enum det_context context, int cpu, const char *name, void (*handler)(void *arg),
		void *arg, const void *caller)
{
	struct det_task *t;

	if (context != DET_SOFTIRQ && context != DET_HARDIRQ)
		return -1;
	if (are_tasks(context))
		return softirq_new(cpu, name, handler, arg, caller);
	t = context_new(context, cpu, name, caller);
	if (!t)
		return -1;
	t->fn = handler;
	t->arg = arg;
	t->op.addr = (uintptr_t)t;
	return t->id;
}

/* NULL: @irq is none that can be raised. */
static struct det_task *raisable(int irq)
{
	struct det_task *t = irq < 0 || (uint32_t)irq >= det.nr_tasks ? NULL : &det.tasks[irq];

	return t && t->context != DET_TASK && !t->injected ? t : NULL;
}

/* Set whether it is pending; was it? */
static bool set_pending(struct det_task *t, bool pending, const void *caller)
{
	struct det_task *by = det.cur;
	bool was;

	if (by) {
		det_context_announce(by, pending ? DET_OP_IRQ : DET_OP_UNIRQ, t, caller);
		det_schedule(by);
		if (det.record)
			det.ops[det.nr_steps - 1].value = t->pending;
	}
	was = t->pending;
	t->pending = pending;
	if (pending) {
		clock_join(&t->raised, by ? &by->clk : &t->raised);
		if (by)
			by->clk.n[by->id]++;
	}
	if (t->started)
		return was;
	if (pending)
		det_enable(1u << t->id);
	else
		det_disable(t->id);
	return was;
}

void det_irq_raise(int irq, const void *caller)
{
	struct det_task *t = raisable(irq);
	struct softirq *s = softirq_of(irq);

	if (s)
		det_store(&s->raised, 1, caller);
	else if (t)
		set_pending(t, true, caller);
}

bool det_irq_cancel(int irq, const void *caller)
{
	struct det_task *t = raisable(irq);
	struct softirq *s = softirq_of(irq);

	if (s)
		return det_exchange(&s->raised, 0, caller);
	return t && set_pending(t, false, caller);
}

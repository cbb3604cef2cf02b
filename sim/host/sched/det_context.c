// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of one CPU: tasks, and interrupts on top of them. Each has a fiber of its own; what may
 * not run is kept out of the policy's choice. A level works as a lock of its CPU: whoever needs the
 * CPU below it, or raises it, comes after those who had it raised.
 */
#include <stdio.h>
#include <string.h>

#include "det.h"
#include "tso.h"

#define NR_LEVELS (DET_NO_IRQS + 1)

uint32_t det_shared_cpus;
bool det_cpus_shared;

static uint32_t known_shared;	       /* by the program, or from executions before */
static uint16_t of_cpu[DET_MAX_TASKS]; /* its contexts */
static uint16_t static_of_cpu[DET_MAX_TASKS];
static int8_t on_cpu[DET_MAX_TASKS];		 /* the task that it is with, or -1 */
static det_clock left[DET_MAX_TASKS][NR_LEVELS]; /* of those who had the level raised */
static det_clock interrupts[DET_MAX_TASKS];	 /* handlers that came to an end there */
static uint32_t levels_out;			 /* contexts that others of their CPU keep out */
static bool dirty; /* the execution before made contexts, or had shared CPUs */

/* ---- who may run ---- */

void det_contexts_look(unsigned int cpu)
{
	uint32_t mask, out = 0;
	int highest = -1, second = -1, who = -1;

	for (mask = of_cpu[cpu]; mask; mask &= mask - 1) {
		int id = __builtin_ctz(mask), level = det.tasks[id].level;

		if (det.tso && tso_is_storing(id))
			level = DET_NO_IRQS;
		if (level > highest) {
			second = highest;
			highest = level;
			who = id;
		} else if (level > second) {
			second = level;
		}
	}
	for (mask = of_cpu[cpu]; mask; mask &= mask - 1) {
		int id = __builtin_ctz(mask);

		if ((id == who ? second : highest) > det.tasks[id].context)
			out |= 1u << id;
	}
	levels_out = (levels_out & ~(uint32_t)of_cpu[cpu]) | out;
	det.kept_out = levels_out | det.bound_out;
}

void det_bound_set(uint32_t out)
{
	det.bound_out = out;
	det.kept_out = levels_out | out;
}

bool det_all_over(void)
{
	uint32_t i;

	for (i = 0; i < det.nr_tasks; i++) {
		const struct det_task *t = &det.tasks[i];

		if (t->done)
			continue;
		if (det.runnable & (1u << i))
			return false;
		if (t->context ? t->started : !t->idle)
			return false;
	}
	return true;
}

/* ---- a CPU goes over to another context ---- */

static const struct det_kernel *kernel(void)
{
	static const struct det_kernel nothing;

	return det.program->kernel ? det.program->kernel : &nothing;
}

/* What the kernel side does then are no events. */
#define TELL(task, call, ...)                               \
	do {                                                \
		struct det_task *cur = det.cur;             \
                                                            \
		if (kernel()->call) {                       \
			det.hook_cpu = (int8_t)(task)->cpu; \
			det.cur = NULL;                     \
			kernel()->call(__VA_ARGS__);        \
			det.cur = cur;                      \
			det.hook_cpu = 0;                   \
		}                                           \
	} while (0)

void det_cpu_turn(struct det_task *to)
{
	int from = on_cpu[to->cpu];

	if (to->context != DET_TASK || from == to->id)
		return;
	on_cpu[to->cpu] = (int8_t)to->id;
	if (det.race == DET_RACE_KCSAN)
		clock_join(&to->clk, &interrupts[to->cpu]);
	TELL(to, switch_context, from < 0 ? NULL : &det.tasks[from].sim, &to->sim);
}

static void level_from_sim(struct det_task *t)
{
	const struct sim_task *s = &t->sim;

	if (t->done)
		t->level = DET_PREEMPTIBLE;
	else if (s->irqs_off || s->in_hardirq)
		t->level = DET_NO_IRQS;
	else if (!det.program->rt && (s->bh_depth || s->in_softirq))
		t->level = DET_NO_SOFTIRQS;
	else
		t->level = s->preempt_depth || s->atomic_depth ? DET_NO_TASKS : DET_PREEMPTIBLE;
}

/* Until now nobody told what the contexts are at. */
static void first_shared(void)
{
	uint32_t i;

	/* Those made since as well: a worker may have been alone on its CPU. */
	for (i = 0; i < det.nr_tasks; i++) {
		struct det_task *t = &det.tasks[i];

		if (!det.cur)
			break; /* set-up: nothing runs yet */
		level_from_sim(t);
		if (t->context == DET_TASK && (t->done || t->op.kind != DET_OP_START))
			on_cpu[t->cpu] = (int8_t)i;
	}
	det_cpus_shared = true;
}

void det_context_add(const struct det_task *t)
{
	uint32_t bit = 1u << t->cpu;

	dirty = true;
	of_cpu[t->cpu] |= 1u << t->id;
	if (!(of_cpu[t->cpu] & (of_cpu[t->cpu] - 1)) || (det_shared_cpus & bit))
		return;
	if (!det_cpus_shared)
		first_shared();
	det_shared_cpus |= bit;
	/* An exhaustive search begins anew with what was no event before. */
	if (det.cur && (det.learn || det.probing) && !(known_shared & bit)) {
		known_shared |= bit;
		det.learned = true;
	}
}

void det_contexts_init(void)
{
	uint32_t i;

	known_shared = 0;
	memset(static_of_cpu, 0, sizeof(static_of_cpu));
	for (i = 0; i < det.nr_static; i++) {
		const struct det_task *t = &det.tasks[i];

		if (static_of_cpu[t->cpu])
			known_shared |= 1u << t->cpu;
		static_of_cpu[t->cpu] |= 1u << i;
	}
	dirty = true;
}

void det_contexts_begin(void)
{
	det.kept_out = det.bound_out = levels_out = 0;
	if (__builtin_expect(!(dirty | known_shared), 1))
		return;
	dirty = false;
	det_shared_cpus = known_shared;
	det_cpus_shared = known_shared;
	memcpy(of_cpu, static_of_cpu, sizeof(of_cpu));
	memset(on_cpu, -1, sizeof(on_cpu));
	memset(left, 0, sizeof(left));
	memset(interrupts, 0, sizeof(interrupts));
}

/* ---- levels ---- */

void det_context_announce(struct det_task *t, enum det_kind kind, const void *what,
			  const void *caller)
{
	if (det.tso)
		tso_settle(t);
	t->spin_pc = 0;
	t->op = (struct det_op){ .kind = kind,
				 .pc = (uint32_t)(uintptr_t)caller,
				 .addr = (uintptr_t)what };
}

/* A context holds the levels from its own on; what is below them does not keep it out. */
static void change_level(struct det_task *t, int to)
{
	int need = t->context + 1, k;

	for (k = t->level + 1; k <= to; k++)
		if (k >= need)
			clock_join(&t->clk, &left[t->cpu][k]);
	if (to < t->level) {
		for (k = t->level; k > to; k--)
			if (k >= need)
				clock_join(&left[t->cpu][k], &t->clk);
		t->clk.n[t->id]++;
	}
	t->level = (uint8_t)to;
	det_contexts_look(t->cpu);
}

static int base_level(const struct det_task *t)
{
	return t->context == DET_TASK ? DET_PREEMPTIBLE : t->context + 1;
}

void det_cpu_level(enum det_level level, const void *caller)
{
	struct det_task *t = det.cur;
	int to = level;

	if (!t)
		return;
	if (to < base_level(t))
		to = base_level(t);
	if (to == t->level)
		return;
	if (!(det_shared_cpus & (1u << t->cpu))) {
		t->level = (uint8_t)to;
		return;
	}
	det_context_announce(t, DET_OP_LEVEL, NULL, caller);
	t->op.to = (uint8_t)to;
	det_schedule(t);
	change_level(t, to);
}

/* ---- handlers ---- */

static void handler_sim(struct det_task *t)
{
	t->sim.in_hardirq = t->context == DET_HARDIRQ;
	t->sim.irqs_off = t->context == DET_HARDIRQ;
	t->sim.in_softirq = t->context == DET_SOFTIRQ;
	t->sim.bh_depth = t->context == DET_SOFTIRQ;
}

/*
 * KCSAN does not watch an access while interrupts come in (KCSAN_INTERRUPT_WATCHER is off by
 * default, lib/Kconfig.kcsan): a handler is no race there with what it interrupts, or with what its
 * CPU goes on with.
 */
static void with_interrupted(struct det_task *t, bool begins)
{
	uint32_t mask = of_cpu[t->cpu];

	if (det.race != DET_RACE_KCSAN)
		return;
	if (begins)
		clock_join(&t->clk, &interrupts[t->cpu]);
	else
		clock_join(&interrupts[t->cpu], &t->clk);
	for (mask &= ~(1u << t->id); mask; mask &= mask - 1) {
		struct det_task *below = &det.tasks[__builtin_ctz(mask)];

		if (below->context ? !below->started : on_cpu[t->cpu] != below->id)
			continue;
		if (begins) {
			clock_join(&t->clk, &below->clk);
			below->clk.n[below->id]++;
		} else {
			clock_join(&below->clk, &t->clk);
		}
	}
	if (!begins)
		t->clk.n[t->id]++;
}

static void handler_begins(struct det_task *t)
{
	t->pending = false;
	t->started = true;
	handler_sim(t);
	clock_join(&t->clk, &t->raised);
	with_interrupted(t, true);
	change_level(t, base_level(t));
	TELL(t, enter, t->context, &t->sim);
}

static void handler_ends(struct det_task *t)
{
	det_context_announce(t, DET_OP_END, NULL, NULL);
	det_schedule(t);
	TELL(t, exit, t->context, &t->sim);
	with_interrupted(t, false);
	t->started = false;
	change_level(t, DET_PREEMPTIBLE);
}

static void handle(struct det_task *t)
{
	for (;;) {
		handler_begins(t);
		if (t->fn)
			t->fn(t->arg);
		else
			det.program->irq(t->id - det.program->nr_actors);
		handler_ends(t);
		if (t->injected)
			return;
		det_context_announce(t, DET_OP_BEGIN, t, NULL);
		if (!t->pending)
			det_disable(t->id);
		det_schedule(t);
	}
}

/* Putting right what it left undone may take steps of its own: these are events. */
void det_task_ends(struct sim_task *task)
{
	if (det.program->kernel && det.program->kernel->exit)
		det.program->kernel->exit(DET_TASK, task);
}

void det_context_run(struct det_task *t)
{
	if (t->context != DET_TASK) {
		handle(t);
		return;
	}
	if (t->fn)
		t->fn(t->arg);
	else
		det.program->actor(t->id);
	det_task_ends(&t->sim);
	if (__builtin_expect(det_shared_cpus, 0))
		det_cpu_level(DET_PREEMPTIBLE, NULL); /* where it forgot to */
}

struct det_op det_op_placed(const struct det_op *op, const struct det_task *t)
{
	struct det_op p = *op;

	p.cpu = t->cpu;
	p.need = (uint8_t)(t->context + 1);
	p.level = t->level;
	if (op->kind == DET_OP_BEGIN)
		p.to = (uint8_t)base_level(t);
	else if (op->kind == DET_OP_END)
		p.to = DET_PREEMPTIBLE;
	else if (op->kind != DET_OP_LEVEL)
		p.to = t->level;
	return p;
}

void det_context_over(struct det_task *t)
{
	t->level = DET_PREEMPTIBLE;
	det_contexts_look(t->cpu);
}

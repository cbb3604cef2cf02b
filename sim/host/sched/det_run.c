// SPDX-License-Identifier: GPL-2.0-only
/*
 * One execution: set up, actors until each has ended, final check. The choice of the next task is
 * made on the stack of the one that ran last, so that a step costs one switch, or none.
 */
#include <stdio.h>
#include <string.h>

#include <sim/lockdep.h>

#include "det.h"
#include "tso.h"

#define LONG_EXECUTION 1000 /* steps; assumed more than those of a scenario whose loops end */

struct det_world det = { .watched_from = UINT32_MAX };
enum det_end det_how_ended;

uint64_t det_random(void)
{
	__uint128_t m;

	/* wyrand: one multiplication, passes BigCrush (Wang Yi, public domain) */
	det.rng += 0xa0761d6478bd642fULL;
	m = (__uint128_t)det.rng * (det.rng ^ 0xe7037ed1a0b428dbULL);
	return (uint64_t)(m >> 64) ^ (uint64_t)m;
}

static inline int pick_at_random(void)
{
	uint32_t mask = det_can_run(), left, n, skip;

	if (!(mask & (mask - 1)))
		return __builtin_ctz(mask);
	if ((mask & -mask) + (1u << (31 - __builtin_clz(mask))) == mask)
		return det_random() >> 63 ? 31 - __builtin_clz(mask) : __builtin_ctz(mask);
	for (n = 0, left = mask; left; left &= left - 1)
		n++;
	skip = (uint32_t)(((det_random() >> 32) * n) >> 32);
	while (skip--)
		mask &= mask - 1;
	return __builtin_ctz(mask);
}

static int random_choose(void)
{
	return pick_at_random();
}

const struct det_policy_ops det_random_ops = { .choose = random_choose };

int det_lowest_or_current(void)
{
	uint32_t can = det_can_run();

	if (det.cur && (can & (1u << det.cur->id)))
		return det.cur->id;
	return __builtin_ctz(can);
}

const struct det_policy_ops det_run_ops = { .choose = det_lowest_or_current };

static __attribute__((noinline, noreturn)) void back_to_main(enum det_end how)
{
	void *unused;

	det_how_ended = how;
	det.cur = NULL;
	sim_self = &det.main;
	det_per_cpu_select(0);
	det_fiber_switch(&unused, det.main_sp);
	__builtin_unreachable();
}

void det_abandon(enum det_end why)
{
	back_to_main(why);
}

/* May the running context go on, and must it? */
static __attribute__((noinline)) bool bound_look(void)
{
	uint32_t me, others;

	det_bound_set(0);
	if (!det.cur)
		return false;
	me = 1u << det.cur->id;
	others = det_can_run() & ((1u << DET_MAX_TASKS) - 1) & ~me;
	if (!(det_can_run() & me))
		return false;
	if (others && det.preemptions == det.options->preemptions) {
		det_bound_set(others);
		det.held_back = true;
	}
	return true;
}

/* From here on it is looked whether it only goes round. */
static __attribute__((noinline)) void long_execution(void)
{
	if (det.nr_steps >= det.max_steps)
		back_to_main(DET_CUT);
	det.stop_at = det.max_steps;
	det.record = true;
	spin_watch();
}

/* Who is next? Store buffers are emptied here, by whoever runs. -1: nobody can, or all have ended.
 */
static inline int next_task(void)
{
	bool goes_on = false;
	int next;

	for (;;) {
		if (__builtin_expect(det.bounded, 0))
			goes_on = bound_look();
		if (__builtin_expect(!det_can_run(), 0))
			return -1;
		if (__builtin_expect(det.nr_steps >= det.stop_at, 0))
			long_execution();
		if (det.policy == DET_RANDOM)
			next = pick_at_random();
		else
			next = det_policies[det.policy]->choose();
		if (__builtin_expect(next < 0, 0))
			back_to_main(det.policy == DET_REPLAY ? DET_DIVERGED : DET_BLOCKED);
		det.schedule[det.nr_steps++] = next;
		if (__builtin_expect(goes_on, 0))
			det.preemptions += next < DET_MAX_TASKS && next != det.cur->id;
		if (__builtin_expect(next < DET_MAX_TASKS, 1))
			return next;
		tso_flush(next - DET_MAX_TASKS);
	}
}

static inline void enter(struct det_task *n)
{
	det.cur = n;
	sim_self = &n->sim;
	det_per_cpu_select(n->cpu);
	if (__builtin_expect(det_shared_cpus, 0))
		det_cpu_turn(n);
}

/* A write is kept with the value that it finds. */
static __attribute__((noinline)) void record(const struct det_task *t)
{
	struct det_op *op = &det.ops[det.nr_steps - 1];

	*op = det_op_placed(&t->op, t);
	if (__builtin_expect(det.watched_from != UINT32_MAX, 0) && op->kind != DET_OP_READ)
		spin_watch();
	if ((op->kind == DET_OP_WRITE || op->kind == DET_OP_RMW) && op->size <= sizeof(op->value)) {
		op->value = 0;
		memcpy(&op->value, (const void *)op->addr, op->size);
	}
}

void det_schedule(struct det_task *t)
{
	int next;

	if (__builtin_expect(det.tso, 0))
		tso_announce(t);
	if (__builtin_expect(det.awaiting, 0))
		det_look_at_awaited();
	next = next_task();
	if (__builtin_expect(next < 0, 0))
		back_to_main(det_all_over() ? DET_ENDED : DET_DEADLOCK);
	if (next != t->id) {
		enter(&det.tasks[next]);
		det_fiber_switch(&t->sp, det.tasks[next].sp);
	}
	if (det.record)
		record(t);
}

/* A task's first frame. */
void det_task_main(void) __attribute__((noreturn, used));
void det_task_main(void)
{
	struct det_task *t = det.cur;
	void *unused;
	int next;

	if (det.record)
		record(t);
	det_context_run(t);
	t = det.cur;
	if (det.tso)
		tso_settle(t);
	t->done = true;
	t->op.kind = DET_OP_START;
	det_disable(t->id);
	if (__builtin_expect(det_shared_cpus, 0))
		det_context_over(t);
	if (det.awaiting)
		det_look_at_awaited();
	next = next_task();
	if (next < 0)
		back_to_main(det_all_over() ? DET_ENDED : DET_DEADLOCK);
	enter(&det.tasks[next]);
	det_fiber_switch(&unused, det.tasks[next].sp);
	__builtin_unreachable();
}

void det_context_ready(struct det_task *t)
{
	t->done = false;
	t->started = false;
	t->idle = false;
	t->level = DET_PREEMPTIBLE;
	t->acquires = false;
	t->kcsan_off = 0;
	t->kcsan_next = 0;
	t->compares = 0;
	t->in_loop = false;
	t->spin_pc = 0;
	t->goes_round = false;
	t->op = (struct det_op){ .kind = t->context ? DET_OP_BEGIN : DET_OP_START };
	t->has_rel = false;
	t->fresh_rel = false;
	t->acq = (det_clock){ 0 };
	det_fiber_prepare(t);
}

static void static_context_ready(uint32_t i)
{
	struct det_task *t = &det.tasks[i];

	t->clk = (det_clock){ 0 };
	t->clk.n[i] = 1;
	t->pending = t->context;
	t->sim.fail_nth = i < det.program->nr_actors ? det.options->fail_nth : 0;
	t->sim.fault_points = 0;
	t->sim.fault_hit = false;
	det_context_ready(t);
	/* An execution that came to its end left these as they were. */
	if (__builtin_expect(t->sim.nr_locks | t->sim.atomic_depth | t->sim.nr_srcu |
				     t->sim.rcu_depth | t->sim.irqs_off | t->sim.lockdep_depth |
				     t->sim.preempt_depth | t->sim.bh_depth | t->sim.in_eqs |
				     t->sim.migrate_depth | t->sim.bh_locked,
			     0)) {
		t->sim.nr_locks = t->sim.atomic_depth = t->sim.nr_srcu = 0;
		t->sim.rcu_depth = t->sim.irqs_off = t->sim.lockdep_depth = 0;
		t->sim.preempt_depth = t->sim.bh_depth = t->sim.in_eqs = 0;
		t->sim.migrate_depth = t->sim.bh_locked = 0;
	}
}

enum det_end det_execute(void)
{
	uint32_t i;
	int next;

	det.exec_tag++;
	det.cur = NULL;
	sim_self = &det.main;
	det.nr_steps = 0;
	det.bug = false;
	det.held_back = false;
	det.stop_at = det.max_steps / 2 < LONG_EXECUTION ? det.max_steps / 2 : LONG_EXECUTION;
	det.preemptions = 0;
	det.nr_tasks = det.nr_static;
	det.runnable = (1u << det.nr_static) - 1;
	for (i = 0; i < det.nr_static; i++)
		static_context_ready(i);
	if (det.tso)
		tso_reset();
	det_contexts_begin();
	det_per_cpu_select(0);
	sim_lockdep_next_round();
	if (det.program->setup) {
		det.program->setup();
		det_task_ends(&det.main);
	}

	next = next_task();
	if (next < 0)
		det_how_ended = DET_DEADLOCK;
	else {
		enter(&det.tasks[next]);
		det_fiber_switch(&det.main_sp, det.tasks[next].sp);
	}
	if (__builtin_expect(det.watched_from != UINT32_MAX, 0)) {
		spin_watch_stop();
		det.record = det.recording;
	}
	if (det_how_ended == DET_ENDED && det.program->final) {
		det.program->final();
		det_task_ends(&det.main);
	}
	return det_how_ended;
}

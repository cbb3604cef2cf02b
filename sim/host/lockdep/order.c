// SPDX-License-Identifier: GPL-2.0-only
/*
 * Order, recursion and wait types.
 */
#include "order.h"

/* What a handler takes, no held lock of the task that it interrupts is before. */
static bool same_context(const struct sim_lock_hold *a, const struct sim_lock_hold *b)
{
	return a->in_hardirq == b->in_hardirq;
}

static bool is_unchecked(const struct sim_lock_hold *hold)
{
	return lock_classes[hold->class_id].unchecked;
}

static void print_pair(FILE *out, const struct sim_lock_hold *prev,
		       const struct sim_lock_hold *next)
{
	fprintf(out, "%s/%d is trying to acquire lock:\n", sim_self->comm, sim_self->pid);
	print_hold(out, next);
	fprintf(out, "\nbut task is already holding lock:\n");
	print_hold(out, prev);
}

static void splat_recursion(const struct sim_lock_hold *prev, const struct sim_lock_hold *next)
{
	const struct sim_task *t = sim_self;
	FILE *out = splat_begin(PROBLEM_RECURSION, next->class_id, (uintptr_t)next->caller,
				next->caller);

	if (!out)
		return;

	fprintf(out, "WARNING: possible recursive locking detected\n"
		     "--------------------------------------------\n");
	print_pair(out, prev, next);
	fprintf(out, "\n");
	print_scenario(out, "Possible unsafe locking scenario:", 1,
		       (struct scenario_step[]){ { 0, NULL, prev->class_id },
						 { 0, NULL, next->class_id } },
		       2);
	fprintf(out, " May be due to missing lock nesting notation\n\n");
	print_held(out, t);
	splat_end(out);
}

static bool holds(const struct sim_task *t, const void *instance)
{
	int i;

	for (i = 0; i < nr_held(t); i++)
		if (t->held[i].instance == instance)
			return true;
	return false;
}

bool order_is_nested(const struct sim_lock_hold *next, const void *nest)
{
	const struct sim_task *t = sim_self;
	int i;

	for (i = 0; i < nr_held(t); i++) {
		const struct sim_lock_hold *prev = &t->held[i];

		if (prev->class_id != next->class_id || is_unchecked(next))
			continue;
		if (!(next->read == 2 && prev->read) && !(nest && holds(t, nest)))
			splat_recursion(prev, next);
		return true;
	}
	return false;
}

struct wanted {
	unsigned int class_id;
	bool exclusive;
};

static bool closes_cycle(unsigned int class_id, bool weak, void *arg)
{
	const struct wanted *prev = arg;

	return class_id == prev->class_id && (prev->exclusive || !weak);
}

static void print_cycle_scenario(FILE *out, const struct sim_lock_hold *prev,
				 const struct sim_lock_hold *next, const struct path *path)
{
	unsigned int middle = lock_edges[path->edge[path->nr - 1]].from;

	if (middle != next->class_id) {
		fprintf(out, "Chain exists of:\n  ");
		print_name(out, next->class_id);
		fprintf(out, " --> ");
		print_name(out, middle);
		fprintf(out, " --> ");
		print_name(out, prev->class_id);
		fprintf(out, "\n\n");
	}
	print_scenario(out, "Possible unsafe locking scenario:", 2,
		       (struct scenario_step[]){ { 0, NULL, prev->class_id },
						 { 1, NULL, middle },
						 { 1, NULL, prev->class_id },
						 { 0, NULL, next->class_id } },
		       4);
}

static void splat_cycle(const struct sim_lock_hold *prev, const struct sim_lock_hold *next,
			const struct path *path)
{
	const struct sim_task *t = sim_self;
	FILE *out = splat_begin(PROBLEM_CYCLE, prev->class_id, next->class_id, next->caller);
	int i;

	if (!out)
		return;

	fprintf(out, "WARNING: possible circular locking dependency detected\n"
		     "------------------------------------------------------\n");
	print_pair(out, prev, next);
	fprintf(out, "\nwhich lock already depends on the new lock.\n\n"
		     "the existing dependency chain (in reverse order) is:\n");
	for (i = path->nr - 1; i >= 0; i--) {
		const struct edge *e = &lock_edges[path->edge[i]];

		fprintf(out, "\n-> #%d ", i + 1);
		print_class(out, e->to);
		print_site(out, ":\n       ", e->site);
		print_site(out, "       with the one below taken at: ", e->held_site);
	}
	fprintf(out, "\n-> #0 ");
	print_class(out, next->class_id);
	print_site(out, ":\n       ", next->caller);
	fprintf(out, "\n");
	print_cycle_scenario(out, prev, next, path);
	print_held(out, t);
	splat_end(out);
}

static uint8_t dep_of(const struct sim_lock_hold *prev, const struct sim_lock_hold *next)
{
	if (prev->read)
		return next->read == 2 ? DEP_SR : DEP_SN;
	return next->read == 2 ? DEP_ER : DEP_EN;
}

static void add_one(const struct sim_lock_hold *prev, const struct sim_lock_hold *next)
{
	struct wanted wanted = { prev->class_id, !prev->read };
	uint8_t dep = dep_of(prev, next);
	struct path path;
	bool bad;

	if (edge_known(prev->class_id, next->class_id, dep))
		return;

	bad = graph_find(FORWARD, next->class_id, next->read == 2, closes_cycle, &wanted, &path);
	if (bad)
		splat_cycle(prev, next, &path);
	else
		bad = !usage_check_edge(prev, next);
	edge_add(prev->class_id, next->class_id, dep, bad, prev->caller, next->caller);
}

void order_add(const struct sim_lock_hold *next)
{
	const struct sim_task *t = sim_self;
	int i;

	/* What was held before the last lock that could wait has its dependencies through that one.
	 */
	for (i = nr_held(t) - 1; i >= 0; i--) {
		const struct sim_lock_hold *prev = &t->held[i];

		if (!same_context(prev, next))
			break;
		if (is_unchecked(prev))
			continue;
		add_one(prev, next);
		if (!prev->trylock)
			break;
	}
}

static void splat_wait(const struct sim_lock_hold *prev, const struct sim_lock_hold *next)
{
	const struct sim_task *t = sim_self;
	int allowed = t->in_hardirq ? SIM_WAIT_SPIN : lock_classes[next->class_id].wait_max;
	FILE *out =
		splat_begin(PROBLEM_WAIT, prev ? prev->class_id : 0, next->class_id, next->caller);

	if (!out)
		return;

	fprintf(out,
		"[ BUG: Invalid wait context ]\n"
		"-----------------------------\n"
		"%s/%d is trying to lock:\n",
		t->comm, t->pid);
	print_hold(out, next);
	fprintf(out,
		"other info that might help us debug this:\n"
		"context-{%d:%d}\n",
		allowed, allowed);
	print_held(out, t);
	splat_end(out);
}

void order_check_wait(const struct sim_lock_hold *next)
{
	const struct lock_class *class = &lock_classes[next->class_id];
	const struct sim_task *t = sim_self;
	int i, outer = class->wait_outer ? class->wait_outer : class->wait_inner;

	if (!class->wait_inner || next->trylock)
		return;

	for (i = nr_held(t) - 1; i >= 0; i--) {
		int allowed = lock_classes[t->held[i].class_id].wait_inner;

		if (!same_context(&t->held[i], next))
			break;
		if (allowed && outer > allowed) {
			splat_wait(&t->held[i], next);
			return;
		}
	}
	if (t->in_hardirq && outer > SIM_WAIT_SPIN)
		splat_wait(NULL, next);
}

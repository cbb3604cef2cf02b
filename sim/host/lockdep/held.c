// SPDX-License-Identifier: GPL-2.0-only
/*
 * The validator's calls, and the locks that each task holds.
 */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct sim_lock_hold hold_of(const struct sim_lock_use *use)
{
	const struct sim_task *t = sim_self;

	return (struct sim_lock_hold){
		.instance = use->instance,
		.caller = use->caller,
		.class_id = class_of(use),
		.read = use->read,
		.trylock = use->trylock,
		.irqs_off = t->in_hardirq ? 2 : !!t->irqs_off,
		.srcu = !use->check,
	};
}

static void splat_key(const struct sim_lock_use *use)
{
	FILE *out = splat_begin(PROBLEM_KEY, (uintptr_t)use->caller, 0, use->caller);

	if (!out)
		return;
	fprintf(out,
		"INFO: trying to register non-static key.\n"
		"%s/%d takes a lock that was never initialised",
		sim_self->comm, sim_self->pid);
	splat_end(out);
}

static void splat_full(const struct sim_lock_use *use)
{
	FILE *out = splat_begin(PROBLEM_FULL, 0, 0, use->caller);

	if (!out)
		return;
	fprintf(out,
		"BUG: MAX_LOCKDEP_KEYS too low!\n"
		"irqsim keeps %d lock classes and does not check further ones",
		MAX_CLASSES - 1);
	splat_end(out);
}

static void check(const struct sim_lock_use *use, const struct sim_lock_hold *next, bool is_sync)
{
	if (!use->name)
		splat_key(use);
	if (next->class_id == NO_CLASS) {
		splat_full(use);
		return;
	}

	usage_mark_enabled();
	order_check_wait(next);
	if (!use->check)
		return;
	usage_mark_new(next, is_sync);
	if (!use->trylock && !order_is_nested(next, use->nest))
		order_add(next);
}

static void splat_depth(const struct sim_lock_use *use)
{
	FILE *out = splat_begin(PROBLEM_DEPTH, 0, 0, use->caller);

	if (!out)
		return;
	fprintf(out, "BUG: MAX_LOCK_DEPTH too low!\n");
	print_held(out, sim_self);
	splat_end(out);
}

void sim_lock_acquire(const struct sim_lock_use *use)
{
	struct sim_task *t = sim_self;
	struct sim_lock_hold next;

	pthread_mutex_lock(&mutex);
	next = hold_of(use);
	check(use, &next, false);
	if (t->lockdep_depth < SIM_LOCKS_HELD_MAX)
		t->held[t->lockdep_depth] = next;
	else
		splat_depth(use);
	t->lockdep_depth++;
	pthread_mutex_unlock(&mutex);
	splat_flush();
}

void sim_lock_sync(const struct sim_lock_use *use)
{
	struct sim_lock_hold next;

	pthread_mutex_lock(&mutex);
	next = hold_of(use);
	check(use, &next, true);
	pthread_mutex_unlock(&mutex);
	splat_flush();
}

static int find_held(const struct sim_task *t, const void *instance)
{
	int i = t->lockdep_depth < SIM_LOCKS_HELD_MAX ? t->lockdep_depth : SIM_LOCKS_HELD_MAX;

	while (--i >= 0)
		if (t->held[i].instance == instance)
			break;
	return i;
}

static void splat_unlock(const void *caller)
{
	FILE *out = splat_begin(PROBLEM_UNLOCK, (uintptr_t)caller, 0, caller);

	if (!out)
		return;
	fprintf(out,
		"WARNING: bad unlock balance detected!\n"
		"-------------------------------------\n"
		"%s/%d is trying to release a lock",
		sim_self->comm, sim_self->pid);
	print_site(out, " at: ", caller);
	fprintf(out, "but there are no more locks to release!\n\n");
	print_held(out, sim_self);
	splat_end(out);
}

void sim_lock_release(const void *instance, const void *caller)
{
	struct sim_task *t = sim_self;
	int i = find_held(t, instance);

	pthread_mutex_lock(&mutex);
	usage_mark_enabled();
	if (i < 0 && t->lockdep_depth <= SIM_LOCKS_HELD_MAX) {
		splat_unlock(caller);
	} else {
		t->lockdep_depth--;
		for (; i >= 0 && i < t->lockdep_depth && i < SIM_LOCKS_HELD_MAX - 1; i++)
			t->held[i] = t->held[i + 1];
	}
	pthread_mutex_unlock(&mutex);
	splat_flush();
}

bool sim_lock_is_held(const void *instance, int read)
{
	const struct sim_task *t = sim_self;
	int i = find_held(t, instance);

	/* What is held beyond the stack is not known: no complaint shall come from that. */
	if (i < 0)
		return t->lockdep_depth > SIM_LOCKS_HELD_MAX;
	return read < 0 || !t->held[i].read == !read;
}

void sim_lockdep_held_text(char *buf, size_t size)
{
	FILE *out = fmemopen(buf, size, "w");

	if (!size)
		return;
	buf[0] = '\0';
	if (!out)
		return;
	pthread_mutex_lock(&mutex);
	print_held(out, sim_self);
	pthread_mutex_unlock(&mutex);
	fclose(out);
	buf[size - 1] = '\0';
}

void sim_lockdep_reset(void)
{
	pthread_mutex_lock(&mutex);
	classes_reset();
	graph_reset();
	splat_reset();
	pthread_mutex_unlock(&mutex);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The validator's calls, and the locks that each task holds.
 */
#include <pthread.h>

#include "order.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
	if (!lockdep_alone)
		pthread_mutex_lock(&mutex);
}

static void leave(void)
{
	if (!lockdep_alone)
		pthread_mutex_unlock(&mutex);
}

static struct sim_lock_hold hold_of(const struct sim_lock_use *use)
{
	const struct sim_task *t = sim_self;
	struct sim_lock_hold hold = {
		.instance = use->instance,
		.caller = use->caller,
		.class_id = class_of(use),
		.read = use->read,
		.trylock = use->trylock,
		.in_hardirq = !!t->in_hardirq,
		.safe_from = safe_from(t),
	};

	hold.chain = chain_with(t, &hold);
	return hold;
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

/* RCU reports itself, and SRCU watches everywhere: locks proper. */
static void check_eqs(const struct sim_lock_use *use, const struct sim_lock_hold *next)
{
	const struct sim_task *t = sim_self;
	FILE *out;

	if (!t->in_eqs || (use->wait_outer ? use->wait_outer : use->wait_inner) < SIM_WAIT_SPIN)
		return;
	out = splat_begin_rcu(PROBLEM_EQS, next->caller);
	if (!out)
		return;
	fprintf(out,
		"WARNING: suspicious RCU usage\n"
		"-----------------------------\n"
		"%s/%d takes a lock in an extended quiescent state:\n",
		t->comm, t->pid);
	print_hold(out, next);
	fprintf(out, "\nother info that might help us debug this:\n\n"
		     "RCU used illegally from extended quiescent state!\n");
	print_held(out, t);
	splat_end(out);
}

static void check(const struct sim_lock_use *use, const struct sim_lock_hold *next, bool is_sync)
{
	/* A nest lock's state is not in the hash, and who only waits makes no chain. */
	bool hashed = !is_sync && !use->nest, known = hashed && chain_is_known(next->chain);
	unsigned int before = splats();

	if (!use->name)
		splat_key(use);
	if (next->class_id == NO_CLASS) {
		splat_full(use);
		return;
	}

	usage_mark_enabled();
	check_eqs(use, next);
	if (!known)
		order_check_wait(next);
	if (use->check)
		usage_mark_new(next, is_sync);
	if (!known && use->check && !use->trylock && !order_is_nested(next, use->nest))
		order_add(next);
	if (hashed && !known && splats() == before)
		chain_add(next->chain);
}

/* New usages of a class that depends on nothing, and that no handler takes, clash with nothing. */
static bool add_usages(struct lock_class *class, unsigned int usages, const void *caller)
{
	if (class->after || class->before || (class->usage | usages) & USAGE_IN)
		return false;
	class->usage |= usages;
	for (; usages; usages &= usages - 1)
		class->usage_site[__builtin_ctz(usages)] = caller;
	return true;
}

/* What most acquisitions are: of a class that its map remembers, in a way that teaches nothing. */
bool sim_lock_acquire_known(void *remembered, const void *key, const void *instance, uint8_t read,
			    const void *caller)
{
	struct lock_class *class = remembered;
	struct sim_task *t = sim_self;
	int depth = t->lockdep_depth;
	struct sim_lock_hold *hold;
	unsigned int usages = read ? BOTH(ENABLED_IRQ_READ) : BOTH(ENABLED_IRQ);
	bool plain = !(t->irqs_off | t->in_hardirq | t->in_softirq | t->bh_depth);

	if (!class || class->key != (key ? key : instance) || class->subclass || class->unchecked ||
	    t->in_eqs || depth >= SIM_LOCKS_HELD_MAX)
		return false;
	if (class->round != lockdep_round) {
		class->round = lockdep_round;
		class->after = class->before = class->usage = 0;
	}
	if (!plain)
		usages = usages_of(t, read, false);
	usages &= ~class->usage;
	if (usages && !add_usages(class, usages, caller))
		return false;

	hold = &t->held[depth];
	hold->instance = instance;
	hold->caller = caller;
	hold->class_id = class - lock_classes;
	hold->read = read;
	hold->trylock = false;
	hold->in_hardirq = !!t->in_hardirq;
	hold->safe_from = plain ? 0 : safe_from(t);
	hold->chain = chain_with(t, hold);
	if (depth && !chain_is_known(hold->chain))
		return false;
	t->lockdep_depth = depth + 1;
	return true;
}

void sim_lock_irqs_on(void)
{
	enter();
	usage_mark_enabled();
	leave();
	splat_flush();
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

	enter();
	next = hold_of(use);
	check(use, &next, false);
	if (use->remember && use->name && next.class_id != NO_CLASS)
		*use->remember = &lock_classes[next.class_id];
	if (t->lockdep_depth < SIM_LOCKS_HELD_MAX)
		t->held[t->lockdep_depth] = next;
	else
		splat_depth(use);
	t->lockdep_depth++;
	leave();
	splat_flush();
}

void sim_lock_sync(const struct sim_lock_use *use)
{
	struct sim_lock_hold next;

	enter();
	next = hold_of(use);
	check(use, &next, true);
	leave();
	splat_flush();
}

static int find_held(const struct sim_task *t, const void *instance)
{
	int i = nr_held(t);

	while (--i >= 0)
		if (t->held[i].instance == instance)
			break;
	return i;
}

static void splat_unlock(const char *name, const void *caller)
{
	FILE *out = splat_begin(PROBLEM_UNLOCK, (uintptr_t)caller, 0, caller);

	if (!out)
		return;
	fprintf(out,
		"WARNING: bad unlock balance detected!\n"
		"-------------------------------------\n"
		"%s/%d is trying to release lock%s%s%s",
		sim_self->comm, sim_self->pid, name ? " (" : "", name ? name : "", name ? ")" : "");
	print_site(out, " at: ", caller);
	fprintf(out, "but there are no more locks to release!\n\n");
	print_held(out, sim_self);
	splat_end(out);
}

void sim_lock_bad_unlock(const char *name, const void *caller)
{
	enter();
	splat_unlock(name, caller);
	leave();
	splat_flush();
}

/* The lock that was held as the @i-th is not: what follows is a chain without it. */
static void take_out(struct sim_task *t, int i)
{
	t->lockdep_depth--;
	for (; i < t->lockdep_depth && i < SIM_LOCKS_HELD_MAX - 1; i++) {
		int depth = t->lockdep_depth;

		t->held[i] = t->held[i + 1];
		t->lockdep_depth = i;
		t->held[i].chain = chain_with(t, &t->held[i]);
		t->lockdep_depth = depth;
	}
}

static void release(const void *instance, const void *caller)
{
	struct sim_task *t = sim_self;
	int i = find_held(t, instance);

	enter();
	usage_mark_enabled();
	if (i >= 0)
		take_out(t, i);
	else if (t->lockdep_depth > SIM_LOCKS_HELD_MAX)
		t->lockdep_depth--;
	else
		splat_unlock(NULL, caller);
	leave();
	splat_flush();
}

void sim_lock_release(const void *instance, const void *caller)
{
	struct sim_task *t = sim_self;
	int last = t->lockdep_depth - 1;

	if (lockdep_alone && last >= 0 && last < SIM_LOCKS_HELD_MAX &&
	    t->held[last].instance == instance)
		t->lockdep_depth = last;
	else
		release(instance, caller);
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

void sim_lock_check_freed(const void *p, size_t size, const void *caller)
{
	const struct sim_task *t = sim_self;
	FILE *out;
	int i;

	for (i = 0; i < nr_held(t); i++)
		if ((uintptr_t)t->held[i].instance - (uintptr_t)p < size)
			break;
	if (i == nr_held(t))
		return;

	enter();
	out = splat_begin(PROBLEM_FREED, t->held[i].class_id, (uintptr_t)caller, caller);
	if (out) {
		fprintf(out,
			"WARNING: held lock freed!\n"
			"-------------------------\n"
			"%s/%d is freeing memory of %zu bytes, with a lock still held there!\n",
			t->comm, t->pid, size);
		print_hold(out, &t->held[i]);
		print_held(out, t);
		splat_end(out);
	}
	leave();
	splat_flush();
}

void sim_lockdep_held_text(char *buf, size_t size)
{
	FILE *out;

	if (!size)
		return;
	buf[0] = '\0';
	out = fmemopen(buf, size, "w");
	if (!out)
		return;
	enter();
	print_held(out, sim_self);
	leave();
	fclose(out);
	buf[size - 1] = '\0';
}

static void forget(void)
{
	graph_reset();
	splat_reset();
}

void sim_lockdep_reset(void)
{
	enter();
	classes_reset();
	chains_reset();
	forget();
	leave();
}

void sim_lockdep_alone(bool alone)
{
	lockdep_alone = alone;
	sim_lockdep_reset();
}

void sim_lockdep_next_round(void)
{
	lockdep_round++;
	forget();
}

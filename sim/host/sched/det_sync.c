// SPDX-License-Identifier: GPL-2.0-only
/*
 * What simulated kernel primitives wait for: locks, read sections and grace periods, values. A task
 * that has to wait is not among those that the policy chooses from; it never spins.
 */
#include <string.h>

#include "det.h"
#include "sync.h"
#include "tso.h"

#define NR_OBJS 4096 /* power of two; locks and domains that one execution uses */

static struct sync_obj objs[NR_OBJS];
static uint32_t nr_objs;
const struct det_timing *det_timing;

static __attribute__((noinline)) struct sync_obj *obj_new(struct sync_obj *o, uintptr_t addr)
{
	if (++nr_objs > NR_OBJS / 2) {
		det_bug("limit", 0, 0, "irqsim: more than %d locks in one execution", NR_OBJS / 2);
		det_abandon(DET_BUG);
	}
	memset(o, 0, offsetof(struct sync_obj, gp_clk));
	o->addr = addr;
	o->tag = det.exec_tag;
	o->owner = -1;
	return o;
}

struct sync_obj *sync_obj(uintptr_t addr)
{
	uint32_t i = (uint32_t)((addr * 0x9e3779b97f4a7c15ULL) >> 52) & (NR_OBJS - 1);

	for (;; i = (i + 1) & (NR_OBJS - 1)) {
		if (objs[i].tag != det.exec_tag)
			return obj_new(&objs[i], addr);
		if (objs[i].addr == addr)
			return &objs[i];
	}
}

void det_sync_reset(void)
{
	nr_objs = 0;
	det.awaiting = 0;
}

static bool lock_is_free(const struct sync_obj *o, bool shared)
{
	return o->owner < 0 && (shared || !o->sharers);
}

/* A reader that queues lets the writer go first that waits for those who have it. */
static bool is_held_back(const struct sync_obj *o, const struct det_task *t)
{
	return (t->op.flags & DET_QUEUES) && o->sharers && o->want;
}

static void hold_back(struct sync_obj *o)
{
	uint32_t mask;

	if (!o->sharers || !o->want)
		return;
	for (mask = o->want_shared; mask; mask &= mask - 1)
		if (det.tasks[__builtin_ctz(mask)].op.flags & DET_QUEUES)
			det_disable(__builtin_ctz(mask));
}

static bool await_over(const struct det_op *op)
{
	uint64_t value = 0;

	memcpy(&value, (const void *)op->addr, op->size);
	return value != op->value;
}

/* Can @t do its pending operation now? */
static bool op_possible(const struct det_task *t)
{
	if (det.tso && tso_must_wait(t))
		return false;
	switch (t->op.kind) {
	case DET_OP_LOCK:
		return lock_is_free(sync_obj(t->op.addr), false);
	case DET_OP_RDLOCK:
		return lock_is_free(sync_obj(t->op.addr), true) &&
		       !is_held_back(sync_obj(t->op.addr), t);
	case DET_OP_GP_END:
		return !sync_obj(t->op.addr)->waits[t->id];
	case DET_OP_AWAIT:
		return await_over(&t->op);
	case DET_OP_BEGIN:
		return t->pending;
	default:
		return !t->done;
	}
}

/* Something changed for the tasks of @mask: those that can go on can be chosen again. */
void sync_look_again(uint32_t mask)
{
	if (!det.tso) {
		det_enable(mask);
		return;
	}
	for (; mask; mask &= mask - 1) {
		unsigned int id = __builtin_ctz(mask);

		if (op_possible(&det.tasks[id]))
			det_enable(1u << id);
		else
			det_disable(id);
	}
}

void det_look_at_awaited(void)
{
	uint32_t mask;

	for (mask = det.awaiting; mask; mask &= mask - 1) {
		unsigned int id = __builtin_ctz(mask);

		if (op_possible(&det.tasks[id]))
			det_enable(1u << id);
		else
			det_disable(id);
	}
}

static void announce(struct det_task *t, enum det_kind kind, const volatile void *obj,
		     const void *caller)
{
	t->spin_pc = 0;
	if (__builtin_expect(det.tso, 0))
		tso_settle(t);
	t->op.kind = kind;
	t->op.flags = 0;
	t->op.mask = 0;
	t->op.pc = (uint32_t)(uintptr_t)caller;
	t->op.addr = (uintptr_t)obj;
	t->op.size = 0;
}

static void self_deadlock(const struct det_task *t, const void *caller)
{
	det_bug("deadlock", (uint32_t)(uintptr_t)caller, 0,
		"BUG: lock recursion on CPU#%d, %s/%d: it waits for a lock that it holds",
		t->sim.cpu, t->sim.comm, t->sim.pid);
	det_abandon(DET_BUG);
}

/* @o was just taken by @t: those who wait for it cannot have it. */
static void took(struct sync_obj *o, struct det_task *t, bool shared)
{
	if (shared) {
		o->sharers |= 1u << t->id;
		o->nr_shared[t->id]++;
		det.runnable &= ~(uint32_t)o->want;
		hold_back(o);
		clock_join(&t->clk, &o->clk);
	} else {
		o->owner = t->id;
		det.runnable &= ~(uint32_t)(o->want | o->want_shared);
		clock_join(&t->clk, &o->clk);
		clock_join(&t->clk, &o->readers_clk);
	}
}

void det_lock(const volatile void *lock, enum det_lock_mode mode, const void *caller)
{
	struct det_task *t = det.cur;
	struct sync_obj *o;
	bool shared = mode != DET_EXCLUSIVE;

	if (__builtin_expect(!t, 0)) {
		if (det_timing)
			det_timing->lock(lock, mode);
		return;
	}
	o = sync_obj((uintptr_t)lock);
	if (__builtin_expect(o->owner == t->id || (!shared && (o->sharers & (1u << t->id))), 0))
		self_deadlock(t, caller);
	announce(t, shared ? DET_OP_RDLOCK : DET_OP_LOCK, lock, caller);
	if (mode == DET_SHARED_FAIR)
		t->op.flags = DET_QUEUES;
	if (shared)
		o->want_shared |= 1u << t->id;
	else
		o->want |= 1u << t->id;
	if (!lock_is_free(o, shared))
		det_disable(t->id);
	if (__builtin_expect(o->want_shared, 0))
		hold_back(o);
	det_schedule(t);
	o->want &= ~(1u << t->id);
	o->want_shared &= ~(1u << t->id);
	took(o, t, shared);
}

bool det_trylock(const volatile void *lock, enum det_lock_mode mode, const void *caller)
{
	struct det_task *t = det.cur;
	struct sync_obj *o;
	bool shared = mode == DET_SHARED;

	if (__builtin_expect(!t, 0))
		return !det_timing || det_timing->trylock(lock, mode);
	announce(t, shared ? DET_OP_RDTRYLOCK : DET_OP_TRYLOCK, lock, caller);
	det_schedule(t);
	o = sync_obj((uintptr_t)lock);
	if (!lock_is_free(o, shared))
		return false;
	if (det.record)
		det.ops[det.nr_steps - 1].value = 1;
	took(o, t, shared);
	return true;
}

bool det_unlock(const volatile void *lock, enum det_lock_mode mode, const void *caller)
{
	struct det_task *t = det.cur;
	struct sync_obj *o;

	if (__builtin_expect(!t, 0)) {
		if (det_timing)
			det_timing->unlock(lock, mode);
		return true;
	}
	o = sync_obj((uintptr_t)lock);
	if (mode == DET_SHARED ? !(o->sharers & (1u << t->id)) : o->owner != t->id)
		return false;
	announce(t, mode == DET_SHARED ? DET_OP_RDUNLOCK : DET_OP_UNLOCK, lock, caller);
	det_schedule(t);
	if (mode == DET_SHARED) {
		clock_join(&o->readers_clk, &t->clk);
		if (!--o->nr_shared[t->id])
			o->sharers &= ~(1u << t->id);
		if (!o->sharers)
			sync_look_again(o->want | o->want_shared);
	} else {
		o->clk = t->clk;
		o->owner = -1;
		sync_look_again(o->want | o->want_shared);
	}
	t->clk.n[t->id]++;
	return true;
}

bool det_rwlocks_are_fair(void)
{
	return !det.options || !det.options->unfair_rwlocks;
}

bool det_lock_is_mine(const volatile void *lock)
{
	struct sync_obj *o;

	if (!det.cur)
		return true;
	o = sync_obj((uintptr_t)lock);
	return o->owner == det.cur->id || (o->sharers & (1u << det.cur->id));
}

void det_read_lock(const volatile void *domain, const void *caller)
{
	struct det_task *t = det.cur;
	struct sync_obj *o;

	if (__builtin_expect(!t, 0)) {
		if (det_timing)
			det_timing->read_lock(domain, true);
		return;
	}
	announce(t, DET_OP_READER_IN, domain, caller);
	det_schedule(t);
	o = sync_obj((uintptr_t)domain);
	o->nr_shared[t->id]++;
	clock_join(&t->clk, &o->clk);
}

/*
 * A section that @id entered ends in @t. Sections of one task nest or overlap; the last to end is
 * the one that a grace period of before the first waits for.
 */
static void leave(struct det_task *t, unsigned int id, const volatile void *domain,
		  const void *caller)
{
	struct sync_obj *o;
	uint32_t waiters, waited = 0;

	announce(t, DET_OP_READER_OUT, domain, caller);
	det_schedule(t);
	o = sync_obj((uintptr_t)domain);
	clock_join(&o->readers_clk, &t->clk);
	t->clk.n[t->id]++;
	if (!o->nr_shared[id] || --o->nr_shared[id])
		return;
	for (waiters = o->want; waiters; waiters &= waiters - 1) {
		unsigned int w = __builtin_ctz(waiters);

		if (!(o->waits[w] & (1u << id)))
			continue;
		waited |= 1u << w;
		clock_join(&o->gp_clk[w], &t->clk);
		o->waits[w] &= ~(1u << id);
		if (!o->waits[w] && det.tasks[w].op.kind == DET_OP_GP_END)
			sync_look_again(1u << w);
	}
	if (det.record)
		det.ops[det.nr_steps - 1].mask = waited;
}

void det_read_unlock(const volatile void *domain, const void *caller)
{
	struct det_task *t = det.cur;

	if (t)
		leave(t, t->id, domain, caller);
	else if (det_timing)
		det_timing->read_unlock(domain, true);
}

void det_rcu_read_lock(const volatile void *domain, const void *caller)
{
	if (__builtin_expect(!det.cur && det_timing, 0))
		det_timing->read_lock(domain, false);
	else
		det_read_lock(domain, caller);
}

void det_rcu_read_unlock(const volatile void *domain, const void *caller)
{
	if (__builtin_expect(!det.cur && det_timing, 0))
		det_timing->read_unlock(domain, false);
	else
		det_read_unlock(domain, caller);
}

void det_read_down(const volatile void *domain, const void *caller)
{
	struct det_task *t = det.cur;

	if (!t)
		return;
	det_read_lock(domain, caller);
	sync_obj((uintptr_t)domain)->nr_down[t->id]++;
}

bool det_read_up(const volatile void *domain, const void *caller)
{
	struct det_task *t = det.cur;
	struct sync_obj *o;
	int id;

	if (!t)
		return true;
	o = sync_obj((uintptr_t)domain);
	id = t->id;
	if (!o->nr_down[id])
		for (id = DET_MAX_TASKS - 1; id >= 0 && !o->nr_down[id]; id--)
			;
	if (id < 0)
		return false;
	o->nr_down[id]--;
	leave(t, (unsigned int)id, domain, caller);
	return true;
}

void det_gp_wait(const volatile void *domain, const void *caller)
{
	struct det_task *t = det.cur;
	struct sync_obj *o;
	unsigned int i;

	if (__builtin_expect(!t, 0)) {
		if (det_timing)
			det_timing->gp_wait(domain);
		return;
	}
	announce(t, DET_OP_GP_BEGIN, domain, caller);
	det_schedule(t);
	o = sync_obj((uintptr_t)domain);
	o->waits[t->id] = 0;
	for (i = 0; i < det.nr_tasks; i++)
		if (o->nr_shared[i] && i != t->id)
			o->waits[t->id] |= 1u << i;
	o->gp_clk[t->id] = o->readers_clk; /* sections that ended before */
	clock_join(&o->clk, &t->clk);	   /* and those that will begin after */
	t->clk.n[t->id]++;
	o->want |= 1u << t->id;

	announce(t, DET_OP_GP_END, domain, caller);
	if (o->waits[t->id])
		det_disable(t->id);
	det_schedule(t);
	o->want &= ~(1u << t->id);
	clock_join(&t->clk, &o->gp_clk[t->id]);
}

unsigned int det_readers(const volatile void *domain)
{
	const struct sync_obj *o = sync_obj((uintptr_t)domain);
	unsigned int i, n = 0;

	for (i = 0; i < det.nr_tasks; i++)
		n += o->nr_shared[i];
	return n;
}

/* @t->op is a read that is to wait; the race check is told when it is over. */
void det_await_value(struct det_task *t)
{
	det.awaiting |= 1u << t->id;
	det_schedule(t);
	det.awaiting &= ~(1u << t->id);
	race_commit(t, &t->op);
}

static void await(struct det_task *t, const volatile uint32_t *word, uint32_t value,
		  const void *caller)
{
	announce(t, DET_OP_AWAIT, word, caller);
	t->op.flags = DET_MARKED;
	t->op.size = sizeof(*word);
	t->op.value = value;
	det_await_value(t);
	race_acquire(t);
}

void det_await(const volatile uint32_t *word, uint32_t value, const void *caller)
{
	if (det.cur)
		await(det.cur, word, value, caller);
}

void det_idle(const volatile uint32_t *word, uint32_t value, const void *caller)
{
	struct det_task *t = det.cur;

	if (!t)
		return;
	t->idle = true;
	await(t, word, value, caller);
	t->idle = false;
}

uint32_t det_exchange(volatile uint32_t *word, uint32_t value, const void *caller)
{
	struct det_task *t = det.cur;
	uint32_t old;

	if (!t) {
		race_undo_note((uintptr_t)word, sizeof(*word));
		old = *word;
		*word = value;
		return old;
	}
	announce(t, DET_OP_RMW, word, caller);
	t->op.flags = DET_MARKED;
	t->op.size = sizeof(*word);
	det_schedule(t);
	race_release(t);
	race_commit(t, &t->op);
	old = *word;
	*word = value;
	return old;
}

void det_store(volatile uint32_t *word, uint32_t value, const void *caller)
{
	det_exchange(word, value, caller);
}

bool det_running(void)
{
	return det.cur;
}

unsigned int det_actor(void)
{
	return det.cur ? det.cur->id : 0;
}

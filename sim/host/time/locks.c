// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks in virtual time, as accesses to their lines. Spinlocks, rwlocks and mutexes alike are the
 * kernel's queued rwlock (kernel/locking/qrwlock.c): one atomic operation takes it where it is free
 * and, for readers, one gives it back; who has to wait queues, and spins on a line of its own, so
 * that waiting costs no traffic but when it ends. What a mutex's sleeper pays the scheduler is not
 * in it. SRCU: a CPU's own counter and a full barrier at each end; who waits reads all counters.
 */
#include <stdio.h>
#include <stdlib.h>

#include "time.h"

#define NR_OBJECTS 65536 /* power of two: locks and domains of one run */

struct object {
	uintptr_t addr;
	unsigned int readers;
	struct time_cpu *writer;
	struct time_cpu *first, *last; /* who waits */
	/* A domain: sections of each CPU, how many it has ended, who waits for that */
	unsigned int *nest, *ended;
};
static struct object *objects;

void time_locks_begin(void)
{
	objects = calloc(NR_OBJECTS, sizeof(*objects));
	if (!objects)
		abort();
}

void time_locks_end(void)
{
	int i;

	for (i = 0; i < NR_OBJECTS; i++) {
		free(objects[i].nest);
		free(objects[i].ended);
	}
	free(objects);
}

static struct object *object_at(const volatile void *p)
{
	uintptr_t addr = (uintptr_t)p;
	size_t i = (addr * 0x9e3779b97f4a7c15ULL) >> 40 & (NR_OBJECTS - 1), n;

	for (n = 0; n < NR_OBJECTS; n++, i = (i + 1) & (NR_OBJECTS - 1)) {
		if (objects[i].addr == addr)
			return &objects[i];
		if (!objects[i].addr) {
			objects[i].addr = addr;
			return &objects[i];
		}
	}
	fputs("irqsim: more locks in one run than expected\n", stderr);
	exit(2);
}

static void atomic_on(const struct object *o)
{
	time_access(o->addr, 4, true, true);
}

static bool is_free(const struct object *o, bool shared)
{
	return !o->writer && !o->first && (shared || !o->readers);
}

static void take(struct object *o, struct time_cpu *c, bool shared)
{
	if (shared)
		o->readers++;
	else
		o->writer = c;
}

static void queue(struct object *o, struct time_cpu *c)
{
	c->next = NULL;
	if (o->last)
		o->last->next = c;
	else
		o->first = c;
	o->last = c;
}

/* The first of the queue can have it now: it is told, and tells the next that may share it. */
static void hand_on(struct object *o, uint64_t at)
{
	struct time_cpu *c = o->first;

	if (!c || o->writer || (o->readers && !c->shared))
		return;
	o->first = c->next;
	if (!o->first)
		o->last = NULL;
	take(o, c, c->shared);
	time_wake(c, at);
}

static void lock(const volatile void *p, enum det_lock_mode mode)
{
	struct object *o = object_at(p);
	struct time_cpu *c = vtime.cur;
	bool shared = mode != DET_EXCLUSIVE;

	atomic_on(o);
	if (is_free(o, shared)) {
		take(o, c, shared);
		return;
	}
	/* A reader takes its count back; both queue, and the line is theirs again when it is their turn. */
	if (shared)
		atomic_on(o);
	if (is_free(o, shared)) {
		take(o, c, shared);
		return;
	}
	c->shared = shared;
	queue(o, c);
	time_sleep();
	atomic_on(o);
	if (shared)
		hand_on(o, c->clock);
}

static bool trylock(const volatile void *p, enum det_lock_mode mode)
{
	struct object *o = object_at(p);
	bool shared = mode != DET_EXCLUSIVE;

	atomic_on(o);
	if (!is_free(o, shared))
		return false;
	take(o, vtime.cur, shared);
	return true;
}

static void unlock(const volatile void *p, enum det_lock_mode mode)
{
	struct object *o = object_at(p);
	bool shared = mode != DET_EXCLUSIVE;

	time_access(o->addr, 4, true, shared);
	if (shared)
		o->readers--;
	else
		o->writer = NULL;
	hand_on(o, vtime.cur->clock);
}

/* ---- read sections ---- */

static struct object *domain_at(const volatile void *p)
{
	struct object *o = object_at(p);

	if (!o->nest) {
		o->nest = calloc(vtime.nr, sizeof(*o->nest));
		o->ended = calloc(vtime.nr, sizeof(*o->ended));
		if (!o->nest || !o->ended)
			abort();
	}
	return o;
}

static void count_own(bool barrier)
{
	time_turn();
	time_spend(vtime.cur, TIME_IN_HITS, vtime.ps[TIME_HIT]);
	if (!barrier)
		return;
	time_barrier();
	vtime.cur->fenced = false;
}

static void read_lock(const volatile void *p, bool barrier)
{
	struct object *o = domain_at(p);

	count_own(barrier);
	o->nest[vtime.cur->id]++;
}

static void read_unlock(const volatile void *p, bool barrier)
{
	struct object *o = domain_at(p);
	struct time_cpu *c, *next;

	count_own(barrier);
	if (--o->nest[vtime.cur->id])
		return;
	o->ended[vtime.cur->id]++;
	c = o->first;
	o->first = o->last = NULL;
	for (; c; c = next) {
		next = c->next;
		time_wake(c, vtime.cur->clock);
	}
}

static void gp_wait(const volatile void *p)
{
	struct object *o = domain_at(p);
	struct time_cpu *me = vtime.cur;
	unsigned int i, *began;

	time_turn();
	began = malloc(vtime.nr * sizeof(*began));
	if (!began)
		abort();
	for (i = 0; i < vtime.nr; i++) {
		began[i] = o->ended[i];
		time_spend(me, TIME_IN_TRANSFERS, vtime.ps[time_distance(me->id, i)]);
	}
	for (i = 0; i < vtime.nr; i++)
		while (i != me->id && o->nest[i] && o->ended[i] == began[i]) {
			queue(o, me);
			time_sleep();
		}
	free(began);
}

/* ---- what the callbacks of instrumented code end in ---- */

static void access_of(uintptr_t addr, uint32_t size, enum det_kind kind, uint8_t flags)
{
	/* Per-CPU variables: here all CPUs use the copy of one. */
	if (flags & DET_LOCAL)
		addr += (uintptr_t)vtime.cur->id << 48;
	time_access(addr, size, kind != DET_OP_READ, kind == DET_OP_RMW && !(flags & DET_LOCAL));
}

const struct det_timing time_timing = {
	.access = access_of,
	.barrier = time_barrier,
	.lock = lock,
	.trylock = trylock,
	.unlock = unlock,
	.read_lock = read_lock,
	.read_unlock = read_unlock,
	.gp_wait = gp_wait,
};

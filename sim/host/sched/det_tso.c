// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "sync.h"
#include "tso.h"

#define NR_SLOTS \
	64 /* assumed; hardware has 56 to 72 on recent x86. A full buffer makes its task wait */

struct store {
	uintptr_t addr;
	uint32_t size;
	uint64_t value;
	uint32_t pc;
};

static struct buffer {
	struct store slots[NR_SLOTS];
	unsigned int head, tail;    /* head <= tail, both counted without wrapping */
	bool storing;		    /* the code is about to store to @pending */
	bool peeking;		    /* memory shows this task's own view at @peek */
	struct store pending, peek; /* value: what memory really holds there */
} buffers[DET_MAX_TASKS];

static uint64_t load(uintptr_t addr, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, (const void *)addr, size);
	return v;
}

static void store(uintptr_t addr, uint32_t size, uint64_t value)
{
	memcpy((void *)addr, &value, size);
}

void tso_reset(void)
{
	unsigned int i;

	for (i = 0; i < DET_MAX_TASKS; i++) {
		buffers[i].head = buffers[i].tail = 0;
		buffers[i].storing = buffers[i].peeking = false;
	}
}

void tso_settle(struct det_task *t)
{
	struct buffer *b = &buffers[t->id];
	uint64_t value;

	if (b->storing) {
		b->storing = false;
		value = load(b->pending.addr, b->pending.size);
		store(b->pending.addr, b->pending.size, b->pending.value);
		b->pending.value = value;
		b->slots[b->tail++ % NR_SLOTS] = b->pending;
		det_enable(1u << (t->id + DET_MAX_TASKS));
		if (det_shared_cpus)
			det_contexts_look(t->cpu);
	}
	if (b->peeking) {
		b->peeking = false;
		store(b->peek.addr, b->peek.size, b->peek.value);
	}
}

bool tso_is_storing(unsigned int id)
{
	return buffers[id].head != buffers[id].tail;
}

static bool overlap(const struct store *s, uintptr_t addr, uint32_t size)
{
	return s->addr < addr + size && addr < s->addr + s->size;
}

bool tso_has(const struct det_task *t, uintptr_t addr, uint32_t size)
{
	const struct buffer *b = &buffers[t->id];
	unsigned int i;

	for (i = b->head; i != b->tail; i++)
		if (overlap(&b->slots[i % NR_SLOTS], addr, size))
			return true;
	return false;
}

bool tso_must_wait(const struct det_task *t)
{
	const struct buffer *b = &buffers[t->id];

	switch (t->op.kind) {
	case DET_OP_READ:
		/* A read of more than a slot is not put together: it waits for memory to have it.
		 */
		return t->op.size > 8 && tso_has(t, t->op.addr, t->op.size);
	case DET_OP_START:
	case DET_OP_AWAIT:
	case DET_OP_LEVEL:
		return false;
	case DET_OP_WRITE:
		/* What does not fit a slot reaches memory at once, after all that came before it.
		 */
		if (t->op.flags & DET_DIRECT)
			return false;
		return t->op.size > 8 ? b->tail != b->head : b->tail - b->head == NR_SLOTS;
	default:
		return b->tail != b->head;
	}
}

void tso_announce(struct det_task *t)
{
	if (tso_must_wait(t))
		det_disable(t->id);
}

/*
 * Byte by byte over what memory holds, so that a load of a part or of two stores is right.
 */
static void show_own(const struct buffer *b, uintptr_t addr, uint32_t size)
{
	unsigned int i;
	uint32_t k;

	for (i = b->head; i != b->tail; i++) {
		const struct store *s = &b->slots[i % NR_SLOTS];

		for (k = 0; k < s->size; k++)
			if (s->addr + k - addr < size)
				*(uint8_t *)(s->addr + k) = (uint8_t)(s->value >> (8 * k));
	}
}

void tso_commit(struct det_task *t, const struct det_op *op)
{
	struct buffer *b = &buffers[t->id];
	struct store memory;

	if (op->size > 8 || (op->flags & DET_DIRECT) ||
	    (op->kind != DET_OP_WRITE && op->kind != DET_OP_READ))
		return;
	memory = (struct store){ op->addr, op->size, load(op->addr, op->size), op->pc };
	if (op->kind == DET_OP_WRITE) {
		b->storing = true;
		b->pending = memory;
	}
	if (!tso_has(t, op->addr, op->size))
		return;
	if (op->kind == DET_OP_READ) {
		b->peeking = true;
		b->peek = memory;
	}
	/* A store may be an add without lock, which loads first. */
	show_own(b, op->addr, op->size);
}

struct det_op tso_oldest(unsigned int id)
{
	const struct store *s = &buffers[id].slots[buffers[id].head % NR_SLOTS];

	return (struct det_op){ .kind = DET_OP_FLUSH,
				.cpu = det.tasks[id].cpu,
				.pc = s->pc,
				.addr = s->addr,
				.size = s->size,
				.value = load(s->addr, s->size) };
}

void tso_flush(unsigned int id)
{
	struct buffer *b = &buffers[id];
	const struct store *s = &b->slots[b->head++ % NR_SLOTS];

	if (det.record) {
		b->head--;
		det.ops[det.nr_steps - 1] = tso_oldest(id);
		b->head++;
	}
	store(s->addr, s->size, s->value);
	if (det.watched_from != UINT32_MAX)
		spin_watch();
	if (b->head == b->tail)
		det_disable(id + DET_MAX_TASKS);
	if (det_shared_cpus && b->head == b->tail)
		det_contexts_look(det.tasks[id].cpu);
	sync_look_again(1u << id);
	det_look_at_awaited();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Happens-before by vector clocks, and the accesses that have none between them. What publishes:
 * locks, release fences followed by a marked store (smp_store_release, smp_wmb, smp_mb), grace
 * periods. What takes: acquire fences after a marked load, loads and atomics that sim/headers marks
 * as acquire or fully ordered, and a marked load of a pointer, which
 * orders what is reached through it (an address dependency; here it orders everything after, so
 * that a race that only another address could show is not seen).
 *
 * The rules of `kcsan` are CONFIG_KCSAN_ASSUME_PLAIN_WRITES_ATOMIC's default: an aligned plain
 * store of at most a word counts as marked (Documentation/dev-tools/kcsan.rst). `strict` has no
 * such rule.
 */
#include <string.h>

#include "shadow.h"

#define NR_SYNC 65536
#define NR_MORE 65536
#define NR_UNDO 65536

static det_clock sync_clks[NR_SYNC];
static uint32_t nr_sync = 1;
static struct rec more[NR_MORE];
static uint32_t nr_more = 1;
static struct undo {
	uint64_t *addr;
	uint64_t old;
} undo[NR_UNDO];
static uint32_t nr_undo;

void race_init(void)
{
	race_shadow_init();
}

void race_undo(void)
{
	while (nr_undo) {
		nr_undo--;
		*undo[nr_undo].addr = undo[nr_undo].old;
	}
}

void race_reset(void)
{
	race_undo();
	nr_sync = 1;
	nr_more = 1;
}

static __attribute__((noinline)) void limit(const char *what)
{
	det_bug("limit", 0, 0, "irqsim: one execution uses too many %s", what);
	if (det.cur)
		det_abandon(DET_BUG);
}

static void undo_cell(struct cell *c, uintptr_t addr)
{
	c->undo_tag = det.exec_tag;
	if (nr_undo == NR_UNDO) {
		limit("static variables");
		return;
	}
	undo[nr_undo++] = (struct undo){ (uint64_t *)(addr & ~7UL), *(uint64_t *)(addr & ~7UL) };
}

void race_undo_note(uintptr_t addr, uint32_t size)
{
	uintptr_t a;

	if (!shadow_is_kept(addr))
		return;
	for (a = addr & ~7UL; a < addr + size; a += 8) {
		struct cell *c = shadow_cell(a < addr ? addr : a);

		if (c && c->undo_tag != det.exec_tag)
			undo_cell(c, a);
	}
}

void race_release(struct det_task *t)
{
	t->rel = t->clk;
	t->has_rel = true;
	t->fresh_rel = true;
}

/*
 * What a task does after a release fence is not published by it; but for the store that carries the
 * release: whoever sees its value is ordered after it too. True: a new interval begins after @op.
 */
static inline bool begin_interval(struct det_task *t, const struct det_op *op)
{
	bool carries =
		(op->flags & DET_MARKED) && op->kind != DET_OP_READ && op->kind != DET_OP_AWAIT;

	if (__builtin_expect(!t->fresh_rel, 1))
		return false;
	t->fresh_rel = false;
	if (!carries)
		t->clk.n[t->id]++;
	return carries;
}

void race_acquire(struct det_task *t)
{
	clock_join(&t->clk, &t->acq);
}

static inline bool harmless(uint8_t a, uint8_t b)
{
	return !((a | b) & REC_WRITE) || (a & b & (REC_MARKED | REC_ASSERT));
}

static struct rec *next_rec(struct cell *c, uint32_t i, uint32_t *over)
{
	if (i < CELL_RECORDS)
		return &c->recs[i];
	*over = i == CELL_RECORDS ? c->recs[CELL_RECORDS - 1].next : more[*over].next;
	return &more[*over];
}

static __attribute__((noinline)) struct rec *another_rec(struct cell *c)
{
	uint32_t at;

	if (nr_more == NR_MORE) {
		limit("overlapping accesses");
		return &more[0];
	}
	at = nr_more++;
	more[at].next = c->nr == CELL_RECORDS ? 0 : c->recs[CELL_RECORDS - 1].next;
	c->recs[CELL_RECORDS - 1].next = at;
	c->nr++;
	return &more[at];
}

/* One cell's part of an access: compare with what is there, and stay there in place of what it
 * covers. */
static inline __attribute__((always_inline)) void visit(struct det_task *t, struct cell *c,
							uintptr_t addr, uint32_t pc, uint64_t what)
{
	uint8_t mask = (uint8_t)(what >> 24), flags = (uint8_t)(what >> 32);
	struct rec *slot = NULL;
	uint32_t i, over = 0;

	if (c->tag != det.exec_tag) {
		c->tag = det.exec_tag;
		c->sync = 0;
		c->nr = 0;
	}
	for (i = 0; i < c->nr; i++) {
		struct rec *r = next_rec(c, i, &over);
		bool ordered = r->clk <= t->clk.n[r->task];

		if (!(r->mask & mask))
			continue;
		if (__builtin_expect(!ordered && !harmless(r->flags, flags), 0)) {
			struct rec now = { .pc = pc, .what = what };

			race_report(t, addr, &now, r);
		}
		/* Whatever races with the old one later races with this one as well. */
		if (!slot && !(r->mask & ~mask) && !((r->flags ^ flags) & REC_ASSERT) &&
		    (ordered || r->task == t->id) &&
		    (!(flags & REC_MARKED) || (r->flags & REC_MARKED)) &&
		    ((flags & REC_WRITE) || !(r->flags & REC_WRITE)))
			slot = r;
	}
	if (slot) {
		slot->pc = pc;
	} else if (__builtin_expect(c->nr < CELL_RECORDS, 1)) {
		slot = &c->recs[c->nr++];
		slot->place = pc;
	} else {
		slot = another_rec(c);
		slot->pc = pc;
	}
	slot->what = what;
}

static __attribute__((noinline)) uint32_t new_sync(void)
{
	if (nr_sync == NR_SYNC) {
		limit("published values");
		return 0;
	}
	sync_clks[nr_sync] = (det_clock){ 0 };
	return nr_sync++;
}

/* Marked accesses pass clocks on; a plain store takes a published clock away. */
static void pass_clock(struct det_task *t, struct cell *c, const struct det_op *op)
{
	uint64_t value;

	if (c->tag != det.exec_tag) {
		c->tag = det.exec_tag;
		c->sync = 0;
		c->nr = 0;
	}
	if (op->kind != DET_OP_WRITE && c->sync && (op->flags & DET_MARKED)) {
		clock_join(&t->acq, &sync_clks[c->sync]);
		if (op->flags & DET_FAILED)
			return;
		if (t->acquires)
			clock_join(&t->clk, &sync_clks[c->sync]);
		if (op->size == 8) {
			memcpy(&value, (const void *)op->addr, 8);
			if (shadow_points_to_object(value))
				clock_join(&t->clk, &sync_clks[c->sync]);
		}
	}
	if (op->kind == DET_OP_READ || op->kind == DET_OP_AWAIT || (op->flags & DET_FAILED))
		return;
	if ((op->flags & DET_MARKED) && t->has_rel) {
		if (!c->sync)
			c->sync = new_sync();
		if (op->kind == DET_OP_RMW)
			clock_join(&sync_clks[c->sync], &t->rel);
		else
			sync_clks[c->sync] = t->rel;
	} else if (op->kind != DET_OP_RMW && c->sync) {
		sync_clks[c->sync] = (det_clock){ 0 };
	}
}

static bool counts_as_marked(const struct det_op *op)
{
	if (op->flags & (DET_MARKED | DET_REGION))
		return true;
	return det.race == DET_RACE_KCSAN && op->kind == DET_OP_WRITE && op->size <= 8 &&
	       !(op->addr & (op->size - 1));
}

void race_commit(struct det_task *t, const struct det_op *op)
{
	uintptr_t addr = op->addr, end = addr + op->size;
	bool writes =
		op->kind != DET_OP_READ && op->kind != DET_OP_AWAIT && !(op->flags & DET_FAILED);
	struct cell *c = shadow_cell(addr);
	bool carries = begin_interval(t, op);
	uint8_t flags;

	if (!c)
		return;
	if (heap_holds(addr))
		heap_check(op);
	flags = (writes ? REC_WRITE : 0) | (counts_as_marked(op) ? REC_MARKED : 0) |
		(op->kind == DET_OP_FREE ? REC_FREE : 0) |
		(op->flags & (DET_MARKED | DET_REGION) ? 0 : REC_PLAIN) |
		(op->flags & (DET_ASSERT | DET_ASSERT_ALL) ? REC_ASSERT : 0) |
		(op->flags & DET_ASSERT_ALL ? REC_WRITE : 0);
	if (writes && c->undo_tag != det.exec_tag && shadow_is_kept(addr))
		race_undo_note(addr, op->size);

	for (; addr < end; addr = (addr | 7) + 1, c++) {
		uint32_t from = addr & 7, to = end - (addr & ~7UL) < 8 ? end - (addr & ~7UL) : 8;

		if ((op->flags & DET_MARKED) || (writes && c->tag == det.exec_tag && c->sync))
			pass_clock(t, c, op);
		if (det.race == DET_RACE_OFF || (op->flags & DET_ATOMIC))
			continue;
		visit(t, c, addr, op->pc,
		      rec_what(t->clk.n[t->id], t->id, (0xff << from) & (0xff >> (8 - to)), flags));
	}
	if (__builtin_expect(carries, 0))
		t->clk.n[t->id]++;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the deterministic world sees of each kernel operation: one event of the right kind and size,
 * and as much order as the operation gives, no more. Order is asked by what it decides: whether
 * plain data passed through the operation races, and whether store buffering shows around it.
 */
#include <string.h>

#include "../sim/host/sched/det.h"
#include "accesses/accesses.h"
#include "det_explore.h"

static uint64_t at_start, old;
static unsigned int seen[2];

static void setup(void)
{
	access_target[0] = access_target[1] = at_start;
	access_old = old;
}

static void alone(unsigned int n)
{
	(void)n;
	access_alone();
}

static void put_take(unsigned int n)
{
	if (n)
		access_take();
	else
		access_put();
}

static void publish_get(unsigned int n)
{
	if (n)
		access_get();
	else
		access_publish();
}

static void store_load(unsigned int n)
{
	seen[n] = access_store_load(n);
}

static void against_marked_store(unsigned int n)
{
	if (n)
		access_write_marked();
	else
		access_alone();
}

static uint64_t nothing_seen(void)
{
	return !seen[0] && !seen[1];
}

static struct det_result run(void (*actor)(unsigned int n), unsigned int nr, uint64_t start,
			     struct det_options o)
{
	struct det_program p = { .name = "access",
				 .nr_actors = nr,
				 .setup = setup,
				 .actor = actor,
				 .state = nothing_seen };
	struct det_result r;

	at_start = start;
	o.states = true;
	cr_assert_eq(det_explore(&p, &o, &r), 0, "%s", r.error);
	cr_assert_eq(r.cut, 0, "%s", accesses[access_current].name);
	return r;
}

/* In the one order in which the first task runs to its end before the second begins. */
static bool races(void (*actor)(unsigned int n), uint64_t start, uint64_t compared)
{
	struct det_result r;
	bool raced;

	old = compared;
	r = run(actor, 2, start,
		(struct det_options){
			.policy = DET_RUN, .race = DET_RACE_STRICT, .executions = 1 });
	raced = bug_of_kind(&r, "kcsan");

	det_result_free(&r);
	return raced;
}

static void expect_event(const struct access *a)
{
	static const enum det_kind kinds[] = { [ACCESS_READ] = DET_OP_READ,
					       [ACCESS_WRITE] = DET_OP_WRITE,
					       [ACCESS_RMW] = DET_OP_RMW };
	uintptr_t target = (uintptr_t)access_target;
	unsigned int i, nr = 0;
	struct det_result r =
		run(alone, 1, 1,
		    (struct det_options){ .policy = DET_RUN, .executions = 1, .trace = true });

	for (i = 0; i < det.nr_steps; i++) {
		const struct det_op *op = &det.ops[i];

		if (op->kind == DET_OP_START || op->addr + op->size <= target ||
		    op->addr >= target + sizeof(access_target))
			continue;
		nr++;
		cr_expect_eq(op->kind, kinds[a->kind], "%s: kind %d", a->name, op->kind);
		cr_expect_eq(op->size, a->size, "%s: %u bytes", a->name, op->size);
		cr_expect_eq(op->addr, target + a->offset, "%s: at byte %lu", a->name,
			     op->addr - target);
		cr_expect_eq(!!(op->flags & DET_MARKED), !!(a->is & MARKED), "%s: marked", a->name);
		cr_expect_eq(!!(op->flags & DET_ATOMIC), !!(a->is & IGNORED), "%s: ignored",
			     a->name);
	}
	cr_expect_eq(nr, a->kind != ACCESS_NONE, "%s: %u events", a->name, nr);
	det_result_free(&r);
}

static void expect_order(const struct access *a)
{
	struct det_result r;

	cr_expect_eq(!races(publish_get, 0, 1), !!(a->is & ACQUIRES), "%s: acquire", a->name);
	cr_expect_eq(!races(put_take, a->kind == ACCESS_READ, 0), !!(a->is & RELEASES),
		     "%s: release", a->name);
	r = run(store_load, 2, 1,
		(struct det_options){
			.policy = DET_DPOR, .memory = DET_TSO, .race = DET_RACE_OFF });
	cr_expect(r.complete, "%s", a->name);
	cr_expect_eq(r.nr_states == 2, !(a->is & EMPTIES), "%s: store buffer", a->name);
	det_result_free(&r);
}

/* Against somebody's WRITE_ONCE(): what is plain races, and what asserts */
static void expect_report(const struct access *a)
{
	if (a->kind == ACCESS_NONE || a->offset)
		return;
	cr_expect_eq(races(against_marked_store, 1, 1), !(a->is & (MARKED | IGNORED)), "%s",
		     a->name);
}

static void for_each(void (*fn)(const struct access *a))
{
	cr_assert_gt(nr_accesses, 280);
	for (access_current = 0; access_current < nr_accesses; access_current++)
		fn(&accesses[access_current]);
}

Test(det_accesses, one_event_each)
{
	for_each(expect_event);
}

Test(det_accesses, order)
{
	for_each(expect_order);
}

Test(det_accesses, reports)
{
	for_each(expect_report);
}

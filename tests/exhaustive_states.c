// SPDX-License-Identifier: GPL-2.0-only
/*
 * For every program that is small enough to try all of its interleavings: dpor ends in the same
 * final states as brute force. A state is what the program says of itself, and what is left in all
 * the memory that it wrote to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/host/sched/det.h"
#include "det_explore.h"

#define MOST	    30000 /* executions of brute force */
#define FIRST_SMALL 301	  /* number of the first mutant of small programs (mutants/README.md) */

static uint64_t (*own_state)(void);

static bool on_a_stack(uintptr_t addr)
{
	return addr - DET_STACKS < DET_MAX_TASKS * 2 * DET_STACK_SIZE;
}

struct word {
	uintptr_t addr;
	uint32_t size;
};

static int by_place(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x100000001b3ULL; /* FNV-1a, a word at a time */
	return hash ^ hash >> 29;
}

/* Each word that was stored to, once, with what it holds at the end. */
static uint64_t what_is_left(void)
{
	static struct word words[65536];
	uint64_t hash = own_state ? own_state() : 0, value;
	uint32_t i, n = 0;

	for (i = 0; i < det.nr_steps; i++) {
		const struct det_op *op = &det.ops[i];

		if ((op->kind == DET_OP_WRITE || op->kind == DET_OP_RMW ||
		     op->kind == DET_OP_FLUSH) &&
		    op->size <= sizeof(value) && !on_a_stack(op->addr))
			words[n++] = (struct word){ op->addr, op->size };
	}
	qsort(words, n, sizeof(*words), by_place);
	for (i = 0; i < n; i++) {
		if (i && !by_place(&words[i - 1], &words[i]))
			continue;
		value = 0;
		memcpy(&value, (const void *)words[i].addr, words[i].size);
		hash = mix(mix(hash, words[i].addr), value);
	}
	return hash;
}

static struct det_result states(const struct det_program *p, enum det_policy policy, uint64_t most)
{
	struct det_options o = {
		.policy = policy, .executions = most, .states = true, .trace = true
	};
	struct det_program copy = *p;
	struct det_result r;

	own_state = p->state;
	copy.state = what_is_left;
	cr_assert_eq(det_explore(&copy, &o, &r), 0, "%s: %s", p->name, r.error);
	return r;
}

/* False: too large for brute force. */
static bool same_states(const struct det_program *p)
{
	struct det_result all = states(p, DET_NAIVE, MOST), reduced;
	const char *of = p->strategy ? p->strategy : "-";
	bool small = all.complete;

	if (small) {
		reduced = states(p, DET_DPOR, 0);
		cr_expect(reduced.complete, "%s of %s", p->name, of);
		cr_expect_eq(all.nr_states, reduced.nr_states, "%s of %s: %u of %u states", p->name,
			     of, reduced.nr_states, all.nr_states);
		if (all.nr_states == reduced.nr_states)
			cr_expect(!memcmp(all.states, reduced.states,
					  all.nr_states * sizeof(*all.states)),
				  "%s of %s: other states", p->name, of);
		cr_expect_eq(!all.nr_bugs, !reduced.nr_bugs, "%s of %s: a bug for one only",
			     p->name, of);
		det_result_free(&reduced);
	}
	det_result_free(&all);
	return small;
}

Test(exhaustive_states, as_by_brute_force)
{
	unsigned int i, compared = 0, nr = 0;

	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i);

		/* A whole KVM is never small. */
		if (p->strategy && !det_program_is_mutant(p))
			continue;
		if (p->strategy && atoi(p->strategy) < FIRST_SMALL)
			continue;
		/* On PREEMPT_RT what shows what is other there; det_rt.c samples the rest. */
		if (p->rt && strncmp(p->name, "rt-", 3))
			continue;
		nr++;
		if (same_states(p))
			compared++;
	}
	printf("final states as by brute force: %u of %u programs\n", compared, nr);
	cr_expect_geq(compared, 40);
}

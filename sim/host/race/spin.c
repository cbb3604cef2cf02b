// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops that wait. When a task comes back to the same read in the very state in which it came
 * before (its registers, its stack) and has done nothing else meanwhile, then the value that it
 * read only led it back: it reads on until the value is another, and that is what it is made to
 * wait for. No guess is made: a loop that counts its turns changes its state, and goes on turning.
 *
 * A state that is known from an earlier execution is recognised before the first turn. That is
 * sound for the same reason, and keeps an exhaustive search from telling one turn from none.
 */
#include <string.h>

#include "../sched/det.h"
#include "../sched/tso.h"

#define MAX_KNOWN 256

static struct known {
	uint64_t hash;
	uint64_t value;
	uintptr_t addr;
	uint32_t pc;
	uint8_t task;
} known[MAX_KNOWN];
static uint32_t nr_known;
uint32_t spin_nr_sites;
extern uint64_t spin_regs[7];

void spin_init(void)
{
	nr_known = 0;
	spin_nr_sites = 0;
}

static uint64_t state_of(const struct det_task *t)
{
	uint64_t h = 0x9e3779b97f4a7c15ULL;
	const uint64_t *top = (const uint64_t *)(DET_STACKS + (t->id + 1) * 2 * DET_STACK_SIZE);
	const uint64_t *p;
	int i;

	for (i = 0; i < 7; i++)
		h = (h ^ spin_regs[i]) * 0xff51afd7ed558ccdULL;
	for (p = (const uint64_t *)spin_regs[6]; p < top; p++) {
		h = (h ^ *p) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	return h | 1; /* 0: not known */
}

#define WATCHED 0x80000000u /* of spin_nr_sites, which makes each marked read come here */

/*
 * Loops over several reads. In a long execution, a task that comes back to a state in which it was
 * before (registers, stack, place), while nobody did anything but read, does so for ever: it cannot
 * be chosen until somebody does something else.
 */
void spin_watch_stop(void)
{
	spin_nr_sites &= ~WATCHED;
	det.watched_from = UINT32_MAX;
}

void spin_watch(void)
{
	uint32_t i;

	spin_nr_sites |= WATCHED;
	det.watched_from = det.nr_steps;
	for (i = 0; i < det.nr_tasks; i++) {
		struct det_task *t = &det.tasks[i];

		if (t->goes_round)
			det_enable(1u << i);
		t->goes_round = false;
		t->round = 0;
	}
}

/* The state to come back to is a later one each time the way is twice as long: a way round of any
 * length is found. */
static void look_round(struct det_task *t, uintptr_t addr, uint32_t pc, uint64_t hash)
{
	uint32_t since = det.nr_steps - det.watched_from;
	uint64_t state = (hash ^ pc ^ addr << 20) | 1;

	if (t->round == state) {
		t->goes_round = true;
		det_disable(t->id);
	} else if (!t->round || !(since & (since - 1))) {
		t->round = state;
	}
}

static const struct known *find(const struct det_task *t, uintptr_t addr, uint32_t pc,
				uint64_t hash)
{
	uint32_t i;

	for (i = 0; i < nr_known; i++)
		if (known[i].hash == hash && known[i].pc == pc && known[i].addr == addr &&
		    known[i].task == t->id)
			return &known[i];
	return NULL;
}

static void wait(struct det_task *t, uintptr_t addr, uint32_t size, uint32_t pc, uint64_t value)
{
	if (det.tso)
		tso_settle(t);
	t->op = (struct det_op){ .kind = DET_OP_AWAIT,
				 .flags = DET_MARKED,
				 .pc = pc,
				 .addr = addr,
				 .size = size,
				 .value = value };
	t->goes_round = false;
	det_await_value(t);
	t->acquires = false;
	t->spin_pc = 0;
}

bool spin_wait(struct det_task *t, uintptr_t addr, uint32_t size, uint32_t pc)
{
	bool again = t->spin_pc == pc && t->spin_addr == addr;
	uint64_t hash, value;
	const struct known *k;

	if (det.tso && tso_has(t, addr, size))
		return false;
	hash = state_of(t);
	if (spin_nr_sites & WATCHED)
		look_round(t, addr, pc, hash);
	k = spin_nr_sites & ~WATCHED ? find(t, addr, pc, hash) : NULL;
	if (k) {
		wait(t, addr, size, pc, k->value);
		return true;
	}
	if (!again)
		return false;
	if (t->spin_hash != hash) {
		t->spin_hash = hash;
		return false;
	}
	value = t->spin_value;
	if (det.learn && nr_known < MAX_KNOWN) {
		known[nr_known++] = (struct known){ hash, value, addr, pc, t->id };
		spin_nr_sites++;
		det.learned = true;
	}
	wait(t, addr, size, pc, value);
	return true;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains of held locks that were checked in this round. One more acquisition that makes the same
 * chain can teach nothing (as lookup_chain_cache() of kernel/locking/lockdep.c has it); where the
 * table has no room the check is made again.
 */
#include <string.h>

#include "validator.h"

#define NR_CHAINS 4096 /* power of two */
#define PROBES	  8

static struct {
	uint64_t chain;
	uint32_t round;
} chains[NR_CHAINS];

uint64_t chain_with(const struct sim_task *t, const struct sim_lock_hold *next)
{
	int depth = t->lockdep_depth;
	uint64_t h = depth && depth <= SIM_LOCKS_HELD_MAX ? t->held[depth - 1].chain : 0;

	h ^= (uint64_t)next->class_id << 16 | next->read << 8 | next->trylock << 4 |
	     !!t->in_hardirq << 1 | !!t->in_softirq;
	h = (h + 0x9e3779b97f4a7c15ULL) * 0xbf58476d1ce4e5b9ULL; /* splitmix64 */
	return h ^ h >> 29;
}

bool chain_is_known(uint64_t chain)
{
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		unsigned int at = (chain + i) & (NR_CHAINS - 1);

		if (chains[at].round != lockdep_round)
			return false;
		if (chains[at].chain == chain)
			return true;
	}
	return false;
}

void chain_add(uint64_t chain)
{
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		unsigned int at = (chain + i) & (NR_CHAINS - 1);

		if (chains[at].round == lockdep_round)
			continue;
		chains[at].chain = chain;
		chains[at].round = lockdep_round;
		return;
	}
}

void chains_reset(void)
{
	memset(chains, 0, sizeof(chains));
}

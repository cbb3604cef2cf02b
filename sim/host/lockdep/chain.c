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

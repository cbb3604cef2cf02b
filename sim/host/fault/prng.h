/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small seeded generator: a Weyl sequence through the 64-bit finaliser of MurmurHash3, any seed
 * is as good as another.
 */
#ifndef SIM_FAULT_PRNG_H
#define SIM_FAULT_PRNG_H

#include <stdint.h>

struct sim_prng {
	uint64_t state;
};

static inline uint64_t sim_prng_next(struct sim_prng *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
	x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

/* 0 to @n - 1; the bias is below n / 2^32 */
static inline uint32_t sim_prng_below(struct sim_prng *r, uint32_t n)
{
	return (sim_prng_next(r) >> 32) * n >> 32;
}

#endif

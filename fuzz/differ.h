/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports of fuzz_routing: the calls up to the one at fault, the strategy, what was expected and
 * what was found. Each ends in abort(), so that libFuzzer keeps the input.
 */
#ifndef FUZZ_DIFFER_H
#define FUZZ_DIFFER_H

#include "strategy.h"

/* Which call of the program is being looked at. */
struct step {
	const struct expect *expect;
	const struct call *call;
	const struct kvm_irq_routing *table; /* SET_GSI_ROUTING's */
	unsigned int nr;		     /* counted from 1; 0: the end of the program */
	long want;
};

/* Remember the input that runs now. */
void differ_input(const uint8_t *data, size_t size, uint32_t max_sent);

void differ_print_call(const struct step *at);

__attribute__((noreturn, format(printf, 3, 4))) void differ(const struct step *at,
							    const struct strategy *s,
							    const char *fmt, ...);
__attribute__((noreturn)) void differ_result(const struct step *at, const struct strategy *s,
					     long got);
__attribute__((noreturn)) void differ_table(const struct step *at, const struct strategy *s,
					    const struct expect_table *want, int nr,
					    const struct port_route *routes, const int32_t *pins);
__attribute__((noreturn)) void differ_events(const struct step *at, const struct strategy *s,
					     const struct strategy *first);
/* @s NULL: nobody knows whose. */
__attribute__((noreturn)) void differ_leak(const struct step *at, const struct strategy *s);

#endif

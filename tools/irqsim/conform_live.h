/* SPDX-License-Identifier: GPL-2.0-only */
/* irqsim conform --live: random calls to a strategy and to this machine's own /dev/kvm. */
#ifndef IRQSIM_CONFORM_LIVE_H
#define IRQSIM_CONFORM_LIVE_H

#include <stdbool.h>
#include <stdint.h>

struct port;

/*
 * KTAP lines numbered from @number on, one for tables and capabilities, one for interrupts and
 * eventfds, each of @calls calls. How many of the two failed. Without a /dev/kvm both are skipped.
 */
unsigned int conform_live(const struct port *port, uint64_t seed, unsigned int calls,
			  unsigned int number);
#define CONFORM_LIVE_LINES 2

#endif

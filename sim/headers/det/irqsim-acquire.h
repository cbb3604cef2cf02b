/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mark of an acquire: the next marked read, or the read half of the next atomic operation, is
 * one. It comes before, so that no value has to be kept over a call.
 */
#ifndef IRQSIM_ACQUIRE_H
#define IRQSIM_ACQUIRE_H

#ifdef __SANITIZE_THREAD__
void irqsim_next_acquires(void); /* sim/host/race */
#else
#define irqsim_next_acquires() \
	do {                   \
	} while (0)
#endif

#define irqsim_acquired(expr)           \
	({                              \
		irqsim_next_acquires(); \
		expr;                   \
	})

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks for ThreadSanitizer, on threads that really run at once: what a read acquires can only
 * be taken after it, so there is a call behind each as well (tests/litmus_tsan.c).
 */
#ifndef IRQSIM_ACQUIRE_H
#define IRQSIM_ACQUIRE_H

#include <irqsim-marks.h>

#ifdef __SANITIZE_THREAD__
void irqsim_access_done(const char *unused);

/* expr's value or none; the call comes when it has been evaluated */
#define irqsim_done(expr)                                                         \
	({                                                                        \
		char __done __attribute__((unused, cleanup(irqsim_access_done))); \
                                                                                  \
		expr;                                                             \
	})
#else
#define irqsim_done(expr) expr
#endif

/* Whether it will fail cannot be known before it */
#define irqsim_next_compares irqsim_no_compares
#define irqsim_next_compares_with irqsim_no_compares
#define irqsim_cas(raw, ptr, ...)                                  \
	({                                                         \
		instrument_atomic_read_write(ptr, sizeof(*(ptr))); \
		irqsim_done(raw(ptr, __VA_ARGS__));                \
	})

#endif

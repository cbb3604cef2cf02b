/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks of the deterministic world (sim/host/race): also, that the next atomic operation
 * compares, and where it finds another value it only reads.
 */
#ifndef IRQSIM_ACQUIRE_H
#define IRQSIM_ACQUIRE_H

#include <irqsim-marks.h>

#ifdef __SANITIZE_THREAD__
void irqsim_next_compares(const volatile void *p, unsigned long size, unsigned long old);
void irqsim_next_compares_with(const volatile void *p, unsigned long size, const void *old);
#else
#define irqsim_next_compares irqsim_no_compares
#define irqsim_next_compares_with irqsim_no_compares
#endif

/* Here nobody comes between the mark and the access */
#define irqsim_done(expr) expr

#define irqsim_cas(raw, ptr, old, ...)                                               \
	({                                                                           \
		__auto_type __cas_old = (old);                                       \
                                                                                     \
		irqsim_next_compares(ptr, sizeof(*(ptr)), (unsigned long)__cas_old); \
		instrument_atomic_read_write(ptr, sizeof(*(ptr)));                   \
		raw(ptr, __cas_old, __VA_ARGS__);                                    \
	})

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks that come before an access, so that no value has to be kept over a call: the next marked
 * read, or the read half of the next atomic operation, is an acquire; the next atomic operation
 * compares, and where it finds another value it only reads.
 */
#ifndef IRQSIM_ACQUIRE_H
#define IRQSIM_ACQUIRE_H

#ifdef __SANITIZE_THREAD__
/* sim/host/race */
void irqsim_next_acquires(void);
char irqsim_loop_begins(void);
void irqsim_loop_ends(const char *unused);
void irqsim_next_compares(const volatile void *p, unsigned long size, unsigned long old);
void irqsim_next_compares_with(const volatile void *p, unsigned long size, const void *old);

/* The loads of such a loop are no steps of their own: nobody comes between them and its store. */
#define irqsim_loop(expr)                                                        \
	({                                                                       \
		char __loop __attribute__((unused, cleanup(irqsim_loop_ends))) = \
			irqsim_loop_begins();                                    \
                                                                                 \
		expr;                                                            \
	})
#else
#define irqsim_loop(expr) expr
#define irqsim_next_acquires() \
	do {                   \
	} while (0)
#define irqsim_next_compares(p, size, old) \
	do {                               \
	} while (0)
#define irqsim_next_compares_with(p, size, old) \
	do {                                    \
	} while (0)
#endif

#define irqsim_acquired(expr)           \
	({                              \
		irqsim_next_acquires(); \
		expr;                   \
	})

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

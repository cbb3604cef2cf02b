/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The marks of sim/headers/det for ThreadSanitizer, on threads that really run at once: what a read
 * acquires can only be taken after it, so there is a call behind each as well
 * (tests/litmus_tsan.c).
 */
#ifndef IRQSIM_ACQUIRE_H
#define IRQSIM_ACQUIRE_H

#ifdef __SANITIZE_THREAD__
void irqsim_next_acquires(void);
void irqsim_access_done(const char *unused);
char irqsim_loop_begins(void);
void irqsim_loop_ends(const char *unused);

/* expr's value or none; the call comes when it has been evaluated */
#define irqsim_done(expr)                                                         \
	({                                                                        \
		char __done __attribute__((unused, cleanup(irqsim_access_done))); \
                                                                                  \
		expr;                                                             \
	})

/* The loads of a loop around a compare-and-exchange are not what it acquires with */
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
#define irqsim_done(expr) expr
#endif

#define irqsim_acquired(expr)           \
	({                              \
		irqsim_next_acquires(); \
		expr;                   \
	})

/* Whether it will fail cannot be known before it */
#define irqsim_next_compares(p, size, old) \
	do {                               \
	} while (0)
#define irqsim_next_compares_with(p, size, old) \
	do {                                    \
	} while (0)
#define irqsim_cas(raw, ptr, ...)                                  \
	({                                                         \
		instrument_atomic_read_write(ptr, sizeof(*(ptr))); \
		irqsim_done(raw(ptr, __VA_ARGS__));                \
	})

#endif

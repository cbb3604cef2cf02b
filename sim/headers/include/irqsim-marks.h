/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks that come before an access, so that no value has to be kept over a call: the next marked
 * read, or the read half of the next atomic operation, is an acquire. What else each world is told
 * is in its irqsim-acquire.h.
 */
#ifndef IRQSIM_MARKS_H
#define IRQSIM_MARKS_H

#ifdef __SANITIZE_THREAD__
void irqsim_next_acquires(void);
char irqsim_loop_begins(void);
void irqsim_loop_ends(const char *unused);

/*
 * The loads of a loop around a compare-and-exchange are no steps of their own, nor what it acquires
 * with: nobody comes between them and its store.
 */
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
#endif

#define irqsim_acquired(expr)           \
	({                              \
		irqsim_next_acquires(); \
		expr;                   \
	})

#define irqsim_no_compares(p, size, old) \
	do {                             \
	} while (0)

#endif

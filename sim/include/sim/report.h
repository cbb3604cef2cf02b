/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Defect reports. A report has the layout of its kernel namesake and names functions and lines; it
 * is counted by kind, so that a run can be judged, and goes to stderr unless a test captures it.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdarg.h>
#include <stddef.h>

enum sim_report_kind {
	SIM_REPORT_WARN,  /* WARN_ON and friends */
	SIM_REPORT_BUG,	  /* BUG(): the run cannot go on */
	SIM_REPORT_KASAN, /* use after free, out of bounds, double or invalid free */
	SIM_REPORT_LEAK,
	SIM_REPORT_ATOMIC_SLEEP, /* sleeping function called from invalid context */
	SIM_REPORT_LOCKDEP, /* lock order, irq-unsafe lock, recursion, unlock of a lock not held */
	SIM_REPORT_RCU,	    /* suspicious RCU usage, SRCU misuse */
	SIM_REPORT_CONTEXT, /* irq, preempt or lock state not balanced at the end of a call */
	SIM_REPORT_ALLOC,   /* page allocation failure (a warning of the kernel's, not a defect) */
	SIM_REPORT_UNSUPPORTED, /* a symbol that the simulated kernel lacks was reached */
	SIM_NR_REPORT_KINDS
};

const char *sim_report_kind_name(enum sim_report_kind kind); /* "kasan", "lockdep" ... */

/*
 * sim_report - begin and end one report; @fmt's text is its first line ("BUG: KASAN: double-free in
 * kfree"), the location line and backtrace are added. SIM_REPORT_BUG does not return: it ends the
 * process with status 1 (abort() where sim_report_abort was set, for fuzzers).
 */
__attribute__((format(printf, 3, 4))) void sim_report(enum sim_report_kind kind, const void *caller,
						      const char *fmt, ...);

unsigned long sim_report_count(enum sim_report_kind kind);
unsigned long sim_report_defects(void); /* all kinds but SIM_REPORT_ALLOC */
void sim_report_reset(void);

/* Where reports go. NULL restores stderr. The text has no address that differs between runs. */
typedef void sim_report_sink(enum sim_report_kind kind, const char *text);
void sim_report_set_sink(sim_report_sink *sink);
void sim_report_set_abort(int on);

/* Asked first: true, and the report is its own. With it, SIM_REPORT_BUG may end elsewhere. */
typedef _Bool sim_report_taker(enum sim_report_kind kind, const void *caller, const char *fmt,
			       va_list args);
void sim_report_set_taker(sim_report_taker *taker);

/*
 * Would a report be one that the taker has and only counts? Then it did, and no text is needed.
 * For reports whose text costs something, from places that may be passed often.
 */
typedef _Bool sim_report_counter(enum sim_report_kind kind, const void *caller);
void sim_report_set_counter(sim_report_counter *counter);
_Bool sim_report_again(enum sim_report_kind kind, const void *caller);

/*
 * sim_symbol - "function+0x12/0x40 (file.c:123)" of a code address, as far as the executable's
 * debug information knows. Always terminates @buf. For reports, not for hot paths.
 */
void sim_symbol(const void *addr, char *buf, size_t size);

#endif

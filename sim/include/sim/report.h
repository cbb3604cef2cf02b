/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Defect reports. A report has the layout of its kernel namesake and names functions and lines; it
 * is counted by kind, so that a run can be judged, and goes to stderr unless a test captures it.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
 * debug information knows; "function (file.c:123)" where it was inlined. The function is the
 * innermost one of a .c file, so that both compilers give the same name. Always terminates @buf.
 * For reports, not for hot paths.
 */
void sim_symbol(const void *addr, char *buf, size_t size);
void sim_function(const void *addr, char *buf, size_t size); /* its name alone */

/*
 * sim_symbol_lines - " function...\n" for every function of a .c file that @addr is in, innermost
 * first: a frame of a call trace. Returns their number; 0 in irqsim's own host code.
 */
int sim_symbol_lines(const void *addr, char *buf, size_t size);

/* Where a stack that does not run will go on. */
struct sim_stack {
	uintptr_t pc, sp, bp;
	uintptr_t end; /* nothing of it is above; 0: not known */
};

/*
 * sim_call_trace - the calls that led to the running code (@stack NULL) or to where @stack goes on,
 * from the one that returns to @from (NULL: the innermost of kernel code) up to where irqsim called
 * kernel code; lines as of sim_symbol_lines(). Empty where @from is none of them.
 */
void sim_call_trace(const struct sim_stack *stack, const void *from, char *buf, size_t size);

/*
 * The local variable at @addr, and whose: "item.done on the stack of wait_here". Empty where there
 * is none.
 */
void sim_stack_variable(const struct sim_stack *stack, const void *addr, uint64_t size, char *buf,
			size_t len);

/*
 * sim_field - what lies at @offset of an object of @object bytes allocated by the call that
 * returned to @site: "thing.list[2].next", by the type of the variable that took it. Empty where
 * unknown.
 */
void sim_field(const void *site, uint64_t object, uint64_t offset, uint64_t size, char *buf,
	       size_t len);

/*
 * sim_variable - the static variable at @addr and the member of @size bytes there:
 * "buffers[3].head"; @pc is code that uses it, or NULL. Empty where there is none.
 */
void sim_variable(const void *addr, uint64_t size, const void *pc, char *buf, size_t len);

#endif

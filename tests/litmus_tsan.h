/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the runner of the litmus programs asks of ThreadSanitizer (litmus_tsan.c); nothing in other
 * builds.
 */
#ifndef TESTS_LITMUS_TSAN_H
#define TESTS_LITMUS_TSAN_H

#include <stdbool.h>

#ifdef LITMUS_TSAN
bool tsan_is_on(void);
/* @quiet: a report is expected, and its text not wanted */
void tsan_program_begins(bool quiet);
unsigned int tsan_reports(void); /* since then */
void tsan_round_begins(void);	 /* the calling thread's fences of earlier rounds are forgotten */
#else
static inline bool tsan_is_on(void)
{
	return false;
}

static inline void tsan_program_begins(bool quiet)
{
	(void)quiet;
}

static inline unsigned int tsan_reports(void)
{
	return 0;
}

static inline void tsan_round_begins(void)
{
}
#endif

#endif

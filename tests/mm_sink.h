/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Set-up of the memory tests: a fresh simulator whose reports are kept for the test to look at.
 */
#ifndef TESTS_MM_SINK_H
#define TESTS_MM_SINK_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <sim/fault.h>
#include <sim/mm.h>
#include <sim/ops.h>
#include <sim/report.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_TEST_ASAN 1
#endif
#endif
#ifdef SIM_TEST_ASAN
#define NO_ASAN __attribute__((no_sanitize("address")))
#else
#define NO_ASAN
#endif

#define HERE __builtin_return_address(0)

__attribute__((unused)) static char last_report[4096];
static enum sim_report_kind last_kind;

static void keep_report(enum sim_report_kind kind, const char *text)
{
	last_kind = kind;
	snprintf(last_report, sizeof(last_report), "%s", text);
}

static inline void fresh_memory(void)
{
	sim_init();
	sim_mm_reset();
	sim_report_reset();
	sim_report_set_sink(keep_report);
	last_report[0] = 0;
}

static inline uint64_t counted(enum sim_op op)
{
	uint64_t sum = 0;

	for (int s = 0; s < SIM_NR_SECTIONS; s++)
		sum += sim_counts.n[s][op];
	return sum;
}

/* Exactly one report of @kind came since fresh_memory(), and it says @text. */
#define assert_one_report(kind, text)                                                   \
	do {                                                                            \
		cr_assert_eq(sim_report_count(kind), 1);                                \
		cr_assert_eq(last_kind, kind);                                          \
		cr_assert_not_null(strstr(last_report, text), "no \"%s\" in: %s", text, \
				   last_report);                                        \
	} while (0)

#endif

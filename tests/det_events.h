/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of host code that makes its events itself: four words, and what is to be remembered.
 */
#ifndef TESTS_DET_EVENTS_H
#define TESTS_DET_EVENTS_H

#include <string.h>

#include "det_explore.h"

void __tsan_volatile_read4(void *p);
void __tsan_volatile_write4(void *p);
void __tsan_write4(void *p);
void __tsan_read4(void *p);

#define HERE                          \
	({                            \
		__label__ here;       \
	here:                         \
		(const void *)&&here; \
	})

static uint32_t word[4], seen;

static inline void set(uint32_t *p, uint32_t value)
{
	__tsan_volatile_write4(p);
	*p = value;
}

static inline uint32_t get(uint32_t *p)
{
	__tsan_volatile_read4(p);
	return *p;
}

static inline void clear(void)
{
	memset(word, 0, sizeof(word));
	seen = 0;
}

static inline struct det_result run(const struct det_program *p, struct det_options o)
{
	struct det_result r;

	o.states = true;
	cr_assert_eq(det_explore(p, &o, &r), 0, "%s", r.error);
	return r;
}

static inline uint64_t what_was_seen(void)
{
	return seen;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes that mark memory (include/linux/poison.h and lib/slub: 0x6b freed, 0x5a fresh, 0xcc red
 * zone), and the same knowledge for AddressSanitizer where it is built in.
 */
#ifndef SIM_MM_POISON_H
#define SIM_MM_POISON_H

#include <stdbool.h>
#include <stddef.h>

#include "ledger.h"

#define SIM_POISON_FREE	 0x6b
#define SIM_POISON_INUSE 0x5a
#define SIM_POISON_SLACK 0xcc

/* A build may also set SIM_ASAN itself and leave this folder without instrumentation, for speed. */
#if !defined(SIM_ASAN) && defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif !defined(SIM_ASAN) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif

#ifdef SIM_ASAN
#include <sanitizer/asan_interface.h>
#define sim_shadow_poison(p, n)	  __asan_poison_memory_region(p, n)
#define sim_shadow_unpoison(p, n) __asan_unpoison_memory_region(p, n)
#else
#define sim_shadow_poison(p, n)	  ((void)(p), (void)(n))
#define sim_shadow_unpoison(p, n) ((void)(p), (void)(n))
#endif

/* An object with what a report says of it. */
struct sim_named_object {
	const void *start;
	struct sim_object *obj;
	size_t size;  /* requested */
	size_t bytes; /* that it occupies */
	enum sim_frame_type kind;
};

/*
 * A fresh object of @size bytes in room for @bytes, all of it poisoned in the shadow: fill it
 * (zeroes where @zero), mark its slack.
 */
void sim_poison_alloc(void *p, size_t size, size_t bytes, bool zero);
/* A freed one: report an overwritten slack, fill. */
void sim_poison_free(const struct sim_named_object *o);
/* Report, with both call sites, if freed memory was written to. */
void sim_poison_verify(const struct sim_named_object *o);

static inline bool sim_poison_wanted(void)
{
#ifdef SIM_ASAN
	return true;
#else
	return sim_checks & SIM_MM_POISON;
#endif
}

/* ---- reports in KASAN's layout ---- */
void sim_report_bad_free(const char *what, const void *p, const void *caller,
			 const struct sim_named_object *o);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Litmus programs: a few threads of a few steps, and the outcomes that the kernel's memory model
 * (tools/memory-model/Documentation/explanation.txt) allows on a machine that is sequentially
 * consistent, and on x86, whose only liberty is that a store may wait in a buffer (Sewell et al.,
 * "x86-TSO", CACM 2010). The same kernel code runs in both worlds.
 *
 * An outcome is a digit for each register. Sets are texts: "00 01 11".
 *
 * Read from both sides of the border: plain C types only.
 */
#ifndef TESTS_LITMUS_H
#define TESTS_LITMUS_H

#include <stdint.h>

#define LITMUS_THREADS 4
#define LITMUS_REGS    4

enum litmus_race {
	LITMUS_CLEAN,
	LITMUS_RACE,	    /* a data race by both rules */
	LITMUS_RACE_STRICT, /* kcsan takes an aligned plain store of a word for a marked one */
};

struct litmus {
	const char *name; /* as in tools/memory-model/litmus-tests, where it is there */
	unsigned int nr_threads, nr_regs;
	void (*setup)(void);
	void (*threads[LITMUS_THREADS])(void);
	void (*final)(void); /* registers of what memory holds in the end */
	const char *sc;	     /* reached under sequential consistency; NULL: no promise, it races */
	const char *tso;     /* what store buffers add; NULL: nothing */
	const char *
		missed; /* of all these, what the deterministic world does not reach, for a known reason */
	enum litmus_race race;
	int beyond_tsan; /* a race that ThreadSanitizer seldom sees, or never */
};

/* Supplied by the runner: register @reg's value, 0 to 9. Each register is written by one thread. */
void litmus_out(unsigned int reg, unsigned int value);

/* Registration: nothing else lists a program. */
#define LITMUS(id, ...)                                        \
	static const struct litmus id = { __VA_ARGS__ };       \
	static const struct litmus *const litmus_register_##id \
		__attribute__((used, section("litmus_programs"))) = &(id)

extern const struct litmus *const __start_litmus_programs[];
extern const struct litmus *const __stop_litmus_programs[];

#endif

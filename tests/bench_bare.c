// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stddef.h>
#include <time.h>

#include "bench_bare.h"

void det_fiber_switch(void **save, void *load);

#define STACK	  16384
#define NR_FIBERS 3

static char stacks[NR_FIBERS][STACK] __attribute__((aligned(64)));
static void *sps[NR_FIBERS], *main_sp;
static unsigned int cur, runnable, ended;
static uint64_t rng = 88172645463325252ULL;
static void (*code)(unsigned int n);

/* What the programs share. */
static unsigned int want_write, want_read, readers;
static int writer, counter;
static int flags[NR_FIBERS], *current_thing, things[2];

double cpu_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static inline unsigned int any_of(unsigned int mask)
{
	unsigned int skip;

	if (!(mask & (mask - 1)))
		return __builtin_ctz(mask);
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	for (skip = ((rng >> 40) * __builtin_popcount(mask)) >> 24; skip; skip--)
		mask &= mask - 1;
	return __builtin_ctz(mask);
}

/* A step: a random choice, and perhaps a switch. */
static inline void step(void)
{
	unsigned int next = any_of(runnable);
	void **from = &sps[cur];

	if (next == cur)
		return;
	cur = next;
	det_fiber_switch(from, sps[next]);
}

static void fiber(void) __attribute__((noreturn));
static void fiber(void)
{
	void *unused;

	code(cur);
	ended |= 1u << cur;
	runnable &= ~ended;
	if (!runnable)
		det_fiber_switch(&unused, main_sp);
	cur = any_of(runnable);
	det_fiber_switch(&unused, sps[cur]);
	__builtin_unreachable();
}

static void write_lock(void)
{
	unsigned int me = 1u << cur;

	want_write |= me;
	if (writer || readers)
		runnable &= ~me;
	step();
	want_write &= ~me;
	writer = 1;
	runnable &= ~(want_write | want_read);
}

static void write_unlock(void)
{
	step();
	writer = 0;
	runnable |= want_write | want_read;
}

static void read_lock(void)
{
	unsigned int me = 1u << cur;

	want_read |= me;
	if (writer)
		runnable &= ~me;
	step();
	want_read &= ~me;
	readers++;
	runnable &= ~want_write;
}

static void read_unlock(void)
{
	step();
	if (!--readers)
		runnable |= want_write;
}

void bare_t1(unsigned int n)
{
	(void)n;
	write_lock();
	step();
	step();
	counter++;
	step();
	write_unlock();
}

static void refresh(void)
{
	step();
	step();
	things[1] = 2;
	write_lock();
	step();
	step();
	current_thing = &things[1];
	write_unlock();
	step();
}

void bare_t2(unsigned int n)
{
	if (!n) {
		refresh();
		return;
	}
	step();
	read_lock();
	step();
	step();
	counter += *current_thing;
	read_unlock();
}

static void wait_for_flags(void)
{
	unsigned int i;

	for (i = 1; i < NR_FIBERS; i++) {
		if (flags[i])
			runnable &= ~1u;
		step();
	}
}

void bare_t3(unsigned int n)
{
	if (!n) {
		step();
		step();
		things[1] = 2;
		step();
		current_thing = &things[1];
		wait_for_flags();
		step();
		return;
	}
	step();
	flags[n] = 1;
	step();
	counter += *current_thing;
	step();
	step();
	flags[n] = 0;
	runnable |= 1u & ~ended;
}

static void prepare(unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++) {
		void **sp = (void **)(stacks[n] + STACK);

		*--sp = NULL;
		*--sp = (void *)fiber;
		sps[n] = sp - 6;
		flags[n] = 0;
	}
	writer = 0;
	readers = want_write = want_read = ended = 0;
	current_thing = &things[0];
	runnable = (1u << nr) - 1;
}

double bare_rate(void (*body)(unsigned int n), unsigned int nr, unsigned long executions)
{
	double began = cpu_now();
	unsigned long i;

	code = body;
	for (i = 0; i < executions; i++) {
		prepare(nr);
		cur = any_of(runnable);
		det_fiber_switch(&main_sp, sps[cur]);
	}
	return executions / (cpu_now() - began);
}

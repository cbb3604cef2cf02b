// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executions a second of CPU time under policy random, with every check on, beside a bare loop of
 * fibers that makes the same switches for the same steps and checks nothing: what no explorer built
 * so can pass.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sim/det.h>

void det_fiber_switch(void **save, void *load);

#define STACK  16384
#define ROUNDS 5

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* ---- the bare loop: two fibers, a step is a random choice and perhaps a switch ---- */

static char stacks[2][STACK] __attribute__((aligned(64)));
static void *sps[2], *main_sp;
static unsigned int cur, runnable;
static uint64_t rng = 88172645463325252ULL;
static void (*body)(unsigned int n);
static int held, counter;
static int flag, *current_thing, things[3];

static inline void go(void)
{
	unsigned int next = cur;
	void **from = &sps[cur];

	if (runnable == 3) {
		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		next = (rng >> 40) & 1;
	} else {
		next = runnable >> 1;
	}
	if (next == cur)
		return;
	cur = next;
	det_fiber_switch(from, sps[next]);
}

static void fiber(void) __attribute__((noreturn));
static void fiber(void)
{
	void *unused;

	body(cur);
	runnable &= ~(1u << cur);
	if (!runnable)
		det_fiber_switch(&unused, main_sp);
	cur = !cur;
	det_fiber_switch(&unused, sps[cur]);
	__builtin_unreachable();
}

static unsigned int wanting;
static void lock(void)
{
	unsigned int me = cur;

	wanting |= 1u << me;
	if (held)
		runnable &= ~(1u << me);
	go();
	wanting &= ~(1u << me);
	held = 1;
	runnable &= ~wanting;
}

static unsigned int ended;
static void unlock(void)
{
	go();
	held = 0;
	runnable = 3 & ~ended;
}

static void step(void)
{
	go();
}

static void bare_t1(unsigned int n)
{
	lock();
	step();
	step();
	counter++;
	step();
	unlock();
	ended |= 1u << n;
}

static void bare_t2(unsigned int n)
{
	int i;

	for (i = 0; i < (n ? 1 : 2); i++)
		step();
	lock();
	for (i = 0; i < 2; i++)
		step();
	unlock();
	if (!n)
		step();
	ended |= 1u << n;
}

static void bare_t3(unsigned int n)
{
	if (n) {
		step();
		flag = 1;
		step();
		counter += *current_thing;
		step();
		step();
		flag = 0;
		runnable |= ended ? 0 : 1;
	} else {
		step();
		step();
		things[1] = 2;
		step();
		current_thing = &things[1];
		if (flag)
			runnable &= ~1u;
		step();
		step();
	}
	ended |= 1u << n;
}

static double bare(void (*what)(unsigned int), unsigned long executions)
{
	double began = now();
	unsigned long i;
	int n;

	body = what;
	for (i = 0; i < executions; i++) {
		for (n = 0; n < 2; n++) {
			void **sp = (void **)(stacks[n] + STACK);

			*--sp = NULL;
			*--sp = (void *)fiber;
			sps[n] = sp - 6;
		}
		held = flag = ended = wanting = 0;
		current_thing = &things[0];
		runnable = 3;
		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		cur = (rng >> 40) & 1;
		det_fiber_switch(&main_sp, sps[cur]);
	}
	return executions / (now() - began);
}

/* ---- */

static double checked(const char *name, uint64_t executions, uint64_t *events)
{
	struct det_options o = { .policy = DET_RANDOM, .executions = executions, .seed = 1 };
	struct det_result r;
	double rate;

	if (det_explore(det_program_find(name, NULL), &o, &r) || r.nr_bugs) {
		fprintf(stderr, "bench_explore: %s: %s\n", name,
			r.nr_bugs ? r.bugs[0].text : r.error);
		exit(1);
	}
	rate = r.executions / r.seconds;
	*events = r.events / r.executions;
	det_result_free(&r);
	return rate;
}

static int by_size(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1 : 1;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what, *name;
		void (*bare)(unsigned int);
		double target;
	} rows[] = {
		{ "T1", "lock-counter", bare_t1, 1 / 2.0 },
		{ "T2 R=1", "gpc-1", bare_t2, 1 / 3.0 },
		{ "T3 R=1", "flags-1", bare_t3, 1 / 3.0 },
	};
	unsigned long executions = argc > 1 ? strtoul(argv[1], NULL, 10) : 400000;
	double a[ROUNDS], b[ROUNDS];
	uint64_t events = 0;
	unsigned int i, k;

	printf("%-8s %12s %12s %8s %8s %7s\n", "", "bare, /s", "checked, /s", "ratio", "target",
	       "events");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (k = 0; k < ROUNDS; k++) {
			a[k] = bare(rows[i].bare, executions);
			b[k] = checked(rows[i].name, executions, &events);
		}
		qsort(a, ROUNDS, sizeof(*a), by_size);
		qsort(b, ROUNDS, sizeof(*b), by_size);
		printf("%-8s %12.0f %12.0f %8.2f %8.2f %7lu\n", rows[i].what, a[ROUNDS / 2],
		       b[ROUNDS / 2], b[ROUNDS / 2] / a[ROUNDS / 2], rows[i].target, events);
	}
	return 0;
}

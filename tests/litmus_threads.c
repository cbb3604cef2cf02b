// SPDX-License-Identifier: GPL-2.0-only
/*
 * litmus_threads [ROUNDS [NAME]]: the litmus programs on pthreads that really run at once, each so
 * many times over. An outcome that the model does not allow on x86 fails; one that it allows need
 * not come up. Verdicts as KTAP. Under ThreadSanitizer a program without a race must give no report
 * as well, and one with a race must give one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/sync.h>
#include <sim/task.h>

#include "litmus/litmus.h"
#include "litmus_tsan.h"

static struct {
	_Alignas(64) unsigned int value;
} regs[LITMUS_REGS];
static const struct litmus *running;
static struct {
	_Alignas(64) atomic_uint round; /* counts up: a round begins */
	atomic_bool sleeps;
} starts[LITMUS_THREADS];
static _Alignas(64) atomic_uint nr_done; /* threads that have ended it */
static bool over;

void litmus_out(unsigned int reg, unsigned int value)
{
	regs[reg].value = value > 9 ? 9 : value;
}

/*
 * A thread's own start, up to about a hundred nanoseconds late: otherwise the first is always first
 */
static void be_late(uint32_t *prng)
{
	unsigned int i;

	*prng = *prng * 1664525 + 1013904223; /* Numerical Recipes, 7.1 */
	for (i = *prng >> 26; i; i--)
		__asm__ volatile("");
}

static void start(unsigned int n)
{
	atomic_fetch_add(&starts[n].round, 1);
	if (atomic_load(&starts[n].sleeps))
		sim_wake_all((const uint32_t *)&starts[n].round);
}

/* Threads that a program does not need sleep. */
static void await_start(unsigned int n, unsigned int round)
{
	unsigned int turn;

	for (turn = 0; atomic_load(&starts[n].round) != round; turn++) {
		if (turn < 2000) {
			sim_spin_wait(turn / 16);
			continue;
		}
		atomic_store(&starts[n].sleeps, true);
		if (atomic_load(&starts[n].round) != round)
			sim_wait_on((const uint32_t *)&starts[n].round, round - 1);
		atomic_store(&starts[n].sleeps, false);
	}
}

static void *helper(void *arg)
{
	unsigned int n = (unsigned int)(uintptr_t)arg, my_round = 0;
	uint32_t prng = n;

	if (sim_thread_enter(n, "litmus"))
		abort();
	for (;;) {
		await_start(n, ++my_round);
		if (over)
			break;
		be_late(&prng);
		tsan_round_begins();
		running->threads[n]();
		atomic_fetch_add(&nr_done, 1);
	}
	sim_thread_exit();
	return NULL;
}

static void one_round(void)
{
	static uint32_t prng = 99;
	unsigned int n, turn = 0;

	memset(regs, 0, sizeof(regs));
	running->setup();
	atomic_store(&nr_done, 0);
	for (n = 1; n < running->nr_threads; n++)
		start(n);
	be_late(&prng);
	tsan_round_begins();
	running->threads[0]();
	while (atomic_load(&nr_done) != running->nr_threads - 1)
		sim_spin_wait(turn++ / 16);
	if (running->final)
		running->final();
}

static bool contains(const char *set, const char *outcome)
{
	size_t n = strlen(outcome);

	for (; set && strlen(set) >= n; set += n + (set[n] == ' '))
		if (!strncmp(set, outcome, n))
			return true;
	return false;
}

static bool allowed(const struct litmus *l, const char *outcome)
{
	return !l->sc || contains(l->sc, outcome) || contains(l->tso, outcome);
}

static bool run(const struct litmus *l, unsigned int rounds, char *why, size_t size)
{
	char outcome[LITMUS_REGS + 1] = "";
	unsigned int i, k;

	running = l;
	/* A race is seen only where the threads come close enough: it gets its time */
	if (tsan_is_on() && l->race != LITMUS_CLEAN && !l->beyond_tsan)
		rounds *= 20;
	tsan_program_begins(l->race != LITMUS_CLEAN);
	for (i = 0; i < rounds && !tsan_reports(); i++) {
		one_round();
		for (k = 0; k < l->nr_regs; k++)
			outcome[k] = '0' + regs[k].value;
		if (!allowed(l, outcome)) {
			snprintf(why, size, "outcome %s in round %u", outcome, i + 1);
			return false;
		}
	}
	if (tsan_is_on() && !l->beyond_tsan && !!tsan_reports() != (l->race != LITMUS_CLEAN)) {
		snprintf(why, size, "%s",
			 tsan_reports() ? "ThreadSanitizer reports a race"
					: "ThreadSanitizer reports no race");
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, nr = 0, failed = 0;
	const struct litmus *const *l;
	pthread_t threads[LITMUS_THREADS];
	uintptr_t n;
	char why[80];

	if (argc > 3 || (argc > 1 && (rounds < 1 || rounds > 10000000))) {
		fprintf(stderr, "litmus_threads: expected [ROUNDS [NAME]], ROUNDS 1 to 10000000\n");
		return 2;
	}
	rounds = rounds ?: 500;
	setvbuf(stdout, NULL, _IOLBF, 0);
	/*
	 * The programs allocate nothing: no simulated memory, for which ThreadSanitizer has no room
	 */
	if (sim_thread_enter(0, "litmus"))
		abort();
	for (n = 1; n < LITMUS_THREADS; n++)
		if (pthread_create(&threads[n], NULL, helper, (void *)n))
			abort();
	printf("KTAP version 1\n");
	for (l = __start_litmus_programs; l < __stop_litmus_programs; l++) {
		if (argc > 2 && strcmp((*l)->name, argv[2]))
			continue;
		if (run(*l, rounds, why, sizeof(why))) {
			printf("ok %u %s\n", ++nr, (*l)->name);
			continue;
		}
		printf("not ok %u %s # %s\n", ++nr, (*l)->name, why);
		failed++;
	}
	printf("1..%u\n", nr);
	over = true;
	for (n = 1; n < LITMUS_THREADS; n++)
		start(n);
	for (n = 1; n < LITMUS_THREADS; n++)
		pthread_join(threads[n], NULL);
	if (!nr)
		fprintf(stderr, "litmus_threads: no program \"%s\"\n", argv[2]);
	return !nr ? 2 : !!failed;
}

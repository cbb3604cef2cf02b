// SPDX-License-Identifier: GPL-2.0-only
/*
 * SRCU, one instruction at a time. A reader is stopped before each instruction of
 * sim_srcu_read_lock() in turn, by the processor's trap flag, while a grace period runs; then it
 * goes on and reads a pointer, and the next grace period has to wait for it. A reader that stops
 * between reading the index and counting itself is the case that the first of the two drains is
 * for.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <sim/sync.h>
#include <sim/task.h>

#define MAX_STEPS 500

/* The simulator's CPUs need something to have: kernel code, which brings it, is not linked here. */
__attribute__((section(".data..percpu"), used)) static long on_each_cpu;

static struct sim_srcu *domain;
static atomic_int step, stop_at;
static atomic_bool stopped, go_on, inside, may_leave, left;
static atomic_bool begun, done; /* of a grace period */

static void on_trap(int sig)
{
	(void)sig;
	if (atomic_fetch_add(&step, 1) + 1 != atomic_load(&stop_at))
		return;
	atomic_store(&stopped, true);
	while (!atomic_load(&go_on))
		usleep(50);
}

/* RSP steps over the red zone, which the pushed flags would overwrite. */
#define TRAPS(change)                                                                  \
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; " change " (%%rsp); popfq; " \
			 "lea 128(%%rsp), %%rsp" ::                                    \
				 : "memory", "cc")

static void *stepped_reader(void *arg)
{
	int idx;

	(void)arg;
	cr_assert_eq(sim_thread_enter(1, "stepped"), 0);
	TRAPS("orq $0x100,");
	idx = sim_srcu_read_lock(domain);
	TRAPS("andq $~0x100,");
	atomic_store(&inside, true);
	while (!atomic_load(&may_leave))
		usleep(50);
	sim_srcu_read_unlock(domain, idx);
	atomic_store(&left, true);
	sim_thread_exit();
	return NULL;
}

static void *grace_period(void *arg)
{
	(void)arg;
	cr_assert_eq(sim_thread_enter(2, "updater"), 0);
	atomic_store(&begun, true);
	sim_srcu_synchronize(domain);
	atomic_store(&done, true);
	sim_thread_exit();
	return NULL;
}

static bool comes_true(atomic_bool *flag, int ms)
{
	int i;

	for (i = 0; i < ms * 10 && !atomic_load(flag); i++)
		usleep(100);
	return atomic_load(flag);
}

static pthread_t begin(void *(*fn)(void *))
{
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, fn, NULL), 0);
	return thread;
}

static pthread_t begin_grace_period(void)
{
	pthread_t thread;

	atomic_store(&begun, false);
	atomic_store(&done, false);
	thread = begin(grace_period);
	cr_assert(comes_true(&begun, 10000));
	return thread;
}

/* Returns whether the reader got as far as instruction @n of read_lock. */
static bool try_step(int n)
{
	pthread_t reader, updater;
	bool reached;

	atomic_store(&step, 0);
	atomic_store(&stop_at, n);
	atomic_store(&stopped, false);
	atomic_store(&go_on, false);
	atomic_store(&inside, false);
	atomic_store(&may_leave, false);

	reader = begin(stepped_reader);
	while (!atomic_load(&stopped) && !atomic_load(&inside))
		usleep(50);
	reached = atomic_load(&stopped);

	/* One grace period while it is stopped: over soon, or the reader counts already. */
	updater = begin_grace_period();
	if (comes_true(&done, 2)) {
		pthread_join(updater, NULL);
		atomic_store(&go_on, true);
		cr_assert(comes_true(&inside, 10000));
		updater = begin_grace_period();
		cr_assert_not(comes_true(&done, 3),
			      "a reader stopped at instruction %d was not waited for", n);
	}
	atomic_store(&go_on, true);
	cr_assert(comes_true(&inside, 10000));
	atomic_store(&may_leave, true);
	pthread_join(updater, NULL);
	pthread_join(reader, NULL);
	cr_assert(atomic_load(&done));
	cr_assert_eq(sim_srcu_readers(domain), 0);

	return reached;
}

Test(srcu_step, stopped_at_every_instruction, .timeout = 60)
{
	struct sigaction action = { .sa_handler = on_trap };
	int n;

	sim_init();
	sigaction(SIGTRAP, &action, NULL);
	domain = sim_srcu_new();
	cr_assert_not_null(domain);
	for (n = 1; n < MAX_STEPS && try_step(n); n++)
		;
	/* read_lock is a call, a few accesses and a return: fewer, and nothing was stepped through
	 */
	cr_assert_gt(n, 10);
	cr_assert_lt(n, MAX_STEPS);
	sim_srcu_delete(domain);
}

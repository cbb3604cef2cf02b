// SPDX-License-Identifier: GPL-2.0-only
/*
 * Store buffering (SB) between a reader and who counts readers: a read section that does not see
 * what was written before the count is seen by the count. It is the barrier at the end of
 * sim_srcu_read_lock() that forbids the other outcome, which x86 shows without it.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>

#include <sim/sync.h>
#include <sim/task.h>

#define ROUNDS 200000

/* The simulator's CPUs need something to have: kernel code, which brings it, is not linked here. */
__attribute__((section(".data..percpu"), used)) static long on_each_cpu;

static struct sim_srcu *domain;
static _Alignas(64) atomic_int turn; /* twice a round */
static _Alignas(64) atomic_int arrived;
static _Alignas(64) atomic_int y;
static _Alignas(64) int seen_y[ROUNDS];
static unsigned char seen_reader[ROUNDS];

static void meet(int *my_turn)
{
	unsigned int spins = 0;
	int t = ++*my_turn;

	if (atomic_fetch_add(&arrived, 1) == 1) {
		atomic_store(&arrived, 0);
		atomic_store(&turn, t);
		return;
	}
	while (atomic_load_explicit(&turn, memory_order_acquire) < t)
		sim_spin_wait(spins++ / 64);
}

static void *reader(void *arg)
{
	int i, idx, my_turn = 0;

	(void)arg;
	cr_assert_eq(sim_thread_enter(1, "reader"), 0);
	for (i = 0; i < ROUNDS; i++) {
		meet(&my_turn);
		idx = sim_srcu_read_lock(domain);
		seen_y[i] = atomic_load_explicit(&y, memory_order_relaxed) == i + 1;
		meet(&my_turn);
		sim_srcu_read_unlock(domain, idx);
	}
	sim_thread_exit();
	return NULL;
}

Test(srcu_litmus, store_buffering, .timeout = 60)
{
	int i, forbidden = 0, my_turn = 0;
	pthread_t thread;

	sim_init();
	domain = sim_srcu_new();
	cr_assert_not_null(domain);
	cr_assert_eq(pthread_create(&thread, NULL, reader, NULL), 0);
	for (i = 0; i < ROUNDS; i++) {
		meet(&my_turn);
		atomic_store(&y, i + 1); /* sequentially consistent: a full barrier follows */
		seen_reader[i] = sim_srcu_readers(domain) != 0;
		meet(&my_turn);
	}
	pthread_join(thread, NULL);
	for (i = 0; i < ROUNDS; i++)
		forbidden += !seen_y[i] && !seen_reader[i];
	cr_assert_eq(forbidden, 0, "%d of %d rounds", forbidden, ROUNDS);
	sim_srcu_delete(domain);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * After sim_mm_reset() equal calls return equal addresses, whatever went before.
 */
#include <pthread.h>
#include <stdint.h>

#include "mm_sink.h"

TestSuite(mm_reset, .init = fresh_memory);

#define CALLS 4000
static void *first[CALLS], *again[CALLS];

/* A mixture with frees in between; what is left stays allocated. */
static void play(void **got, uint32_t seed)
{
	for (int i = 0; i < CALLS; i++) {
		uint32_t r = (seed = seed * 1664525 + 1013904223) >> 8;

		if (i > 20 && r % 3 == 0)
			sim_kvfree(got[i - 20], HERE), got[i - 20] = NULL;
		if (r % 50 == 0)
			got[i] = sim_vmalloc(r % 30000 + 1, SIM_GFP_KERNEL, HERE);
		else if (r % 7 == 0)
			got[i] = sim_kvmalloc(r % 100000, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE);
		else
			got[i] = sim_kmalloc(r % 1000, SIM_GFP_KERNEL | SIM_GFP_NOWARN, HERE);
	}
}

static void same_twice(unsigned int checks, double age)
{
	sim_mm_set_checks(checks);
	for (int round = 0; round < 4; round++) {
		sim_mm_reset();
		if (age > 0)
			sim_mm_age(age, 2, 9);
		play(round ? again : first, 42);
		if (round)
			cr_assert_arr_eq(first, again, sizeof(first), "round %d", round);
		sim_mm_reset();
		play(again, round + 1); /* something else in between */
	}
	cr_assert_eq(sim_report_defects(), 0);
}

Test(mm_reset, equal_addresses_with_checks)
{
	same_twice(SIM_MM_CHECKS_ALL, 0);
}

Test(mm_reset, equal_addresses_without_checks)
{
	same_twice(0, 0);
}

Test(mm_reset, equal_addresses_in_aged_memory)
{
	same_twice(SIM_MM_CHECKS_ALL, 0.9);
}

Test(mm_reset, forgets_everything)
{
	struct sim_mm_stats s;

	play(first, 1);
	sim_mm_reset();
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 0);
	cr_assert_eq(s.live_bytes, 0);
	cr_assert_eq(sim_mm_leak_report(NULL), 0);
	cr_assert_eq(sim_mm_free_pages(), sim_mm_total_pages());
	cr_assert_eq(sim_mm_unusable_index(SIM_MAX_ORDER), 0);
}

#define THREADS 4

static void *hammer(void *arg)
{
	static __thread void *got[CALLS];
	long cpu = (long)arg;

	cr_assert_eq(sim_thread_enter(cpu, "hammer"), 0);
	for (int round = 0; round < 5; round++) {
		play(got, cpu * 100 + round);
		for (int i = 0; i < CALLS; i++)
			sim_kvfree(got[i], HERE), got[i] = NULL;
	}
	sim_thread_exit();
	return NULL;
}

static void threads_share_the_memory(unsigned int checks)
{
	pthread_t t[THREADS];
	struct sim_mm_stats s;

	sim_mm_set_checks(checks);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, hammer, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	sim_mm_stats(&s);
	cr_assert_eq(s.live_objects, 0);
	cr_assert_eq(s.live_bytes, 0);
	cr_assert_eq(sim_mm_leak_report(NULL), 0);
	cr_assert_eq(sim_report_defects(), 0, "%s", last_report);
}

Test(mm_reset, threads_share_the_memory_with_checks)
{
	threads_share_the_memory(SIM_MM_CHECKS_ALL);
}

Test(mm_reset, threads_share_the_memory_without_checks)
{
	threads_share_the_memory(0);
}

Test(mm_reset, equal_addresses_from_compaction)
{
	void *got[2][16];

	for (int round = 0; round < 2; round++) {
		sim_mm_reset();
		cr_assert_eq(sim_mm_age(1.0, 1, 21), 0);
		for (int i = 0; i < 16; i++)
			got[round][i] = sim_alloc_pages(2, SIM_GFP_KERNEL, HERE);
	}
	cr_assert_gt(counted(SIM_OP_COMPACT), 0);
	cr_assert_arr_eq(got[0], got[1], sizeof(got[0]));
}

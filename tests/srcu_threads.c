// SPDX-License-Identifier: GPL-2.0-only
/*
 * SRCU and RCU of the threads world, on pthreads that really run at once.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include <sim/sync.h>
#include <sim/task.h>

#define NR_READERS 3
#define NR_UPDATES 10000
#define NR_OBJECTS 4

/* The simulator's CPUs need something to have: kernel code, which brings it, is not linked here. */
__attribute__((section(".data..percpu"), used)) static long on_each_cpu;

static void set_up(void)
{
	sim_init();
}

TestSuite(srcu_threads, .init = set_up, .timeout = 60);

struct object {
	atomic_int alive;
	char line[60];
};

struct world {
	struct sim_srcu *domain; /* NULL: RCU */
	struct object objects[NR_OBJECTS];
	struct object *_Atomic published;
	atomic_bool done;
	atomic_ulong reads, dead_seen;
	int first_cpu;
	struct {
		_Alignas(64) atomic_int word;
	} crowded[8];
};

static int enter(struct world *w)
{
	if (w->domain)
		return sim_srcu_read_lock(w->domain);
	sim_rcu_read_lock();
	return 0;
}

static void leave(struct world *w, int idx)
{
	if (w->domain)
		sim_srcu_read_unlock(w->domain, idx);
	else
		sim_rcu_read_unlock();
}

/*
 * No ordering but what read_lock and unlock give: relaxed everywhere else. Stores to lines that all
 * readers write fill the store buffer, so that a count without its barrier shows late.
 */
static void read_once(struct world *w)
{
	struct object *o;
	int idx, i;

	for (i = 0; i < 8; i++)
		atomic_store_explicit(&w->crowded[i].word, i, memory_order_relaxed);
	idx = enter(w);
	o = atomic_load_explicit(&w->published, memory_order_relaxed);
	for (i = 0; i < 300; i++)
		if (!atomic_load_explicit(&o->alive, memory_order_relaxed))
			atomic_fetch_add(&w->dead_seen, 1);
	leave(w, idx);
	atomic_fetch_add_explicit(&w->reads, 1, memory_order_relaxed);
}

struct seat {
	struct world *world;
	int cpu;
};

static void *reader(void *arg)
{
	struct seat *s = arg;

	cr_assert_eq(sim_thread_enter(s->cpu, "reader"), 0);
	while (!atomic_load_explicit(&s->world->done, memory_order_relaxed))
		read_once(s->world);
	sim_thread_exit();
	return NULL;
}

static void update_once(struct world *w, int i)
{
	struct object *new = &w->objects[i % NR_OBJECTS], *old;

	atomic_store_explicit(&new->alive, 1, memory_order_relaxed);
	old = atomic_exchange_explicit(&w->published, new, memory_order_release);
	if (w->domain)
		sim_srcu_synchronize(w->domain);
	else
		sim_rcu_synchronize();
	atomic_store_explicit(&old->alive, 0, memory_order_relaxed);
}

static void start(struct world *w, pthread_t *threads, struct seat *seats, int nr)
{
	int i;

	atomic_store(&w->objects[0].alive, 1);
	atomic_store(&w->published, &w->objects[0]);
	for (i = 0; i < nr; i++) {
		seats[i] = (struct seat){ w, w->first_cpu + i };
		cr_assert_eq(pthread_create(&threads[i], NULL, reader, &seats[i]), 0);
	}
}

static void stop(struct world *w, pthread_t *threads, int nr)
{
	int i;

	atomic_store(&w->done, true);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static void stress(struct world *w)
{
	struct seat seats[NR_READERS];
	pthread_t threads[NR_READERS];
	int i;

	start(w, threads, seats, NR_READERS);
	while (atomic_load(&w->reads) < 1000)
		usleep(100);
	for (i = 1; i <= NR_UPDATES; i++)
		update_once(w, i);
	stop(w, threads, NR_READERS);

	cr_assert_eq(atomic_load(&w->dead_seen), 0, "%lu reads of freed objects in %lu",
		     atomic_load(&w->dead_seen), atomic_load(&w->reads));
}

Test(srcu_threads, srcu_reader_never_sees_a_freed_object)
{
	static struct world w = { .first_cpu = 1 };

	w.domain = sim_srcu_new();
	cr_assert_not_null(w.domain);
	stress(&w);
	cr_assert_eq(sim_srcu_readers(w.domain), 0);
	sim_srcu_delete(w.domain);
}

Test(srcu_threads, rcu_reader_never_sees_a_freed_object)
{
	static struct world w = { .first_cpu = 1 };

	stress(&w);
}

/* ---- one grace period at a time, step by step ---- */

struct waiter {
	struct sim_srcu *domain;
	int cpu;
	atomic_bool begun, done;
};

static void *wait_for_grace_period(void *arg)
{
	struct waiter *w = arg;

	cr_assert_eq(sim_thread_enter(w->cpu, "waiter"), 0);
	atomic_store(&w->begun, true);
	sim_srcu_synchronize(w->domain);
	atomic_store(&w->done, true);
	sim_thread_exit();
	return NULL;
}

static void await(atomic_bool *flag)
{
	while (!atomic_load(flag))
		usleep(100);
}

Test(srcu_threads, grace_period_waits_for_an_old_reader)
{
	struct waiter w = { .domain = sim_srcu_new(), .cpu = 1 };
	int idx = sim_srcu_read_lock(w.domain);
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, wait_for_grace_period, &w), 0);
	await(&w.begun);
	usleep(20000);
	cr_assert_not(atomic_load(&w.done));
	sim_srcu_read_unlock(w.domain, idx);
	pthread_join(thread, NULL);
	cr_assert(atomic_load(&w.done));
	sim_srcu_delete(w.domain);
}

/* Either index: after a grace period that flips it, the next reader takes the other. */
Test(srcu_threads, grace_period_waits_on_both_indices)
{
	struct waiter w = { .domain = sim_srcu_new(), .cpu = 1 };
	int seen = 0, i, idx;
	pthread_t thread;

	for (i = 0; i < 4; i++) {
		atomic_store(&w.begun, false);
		atomic_store(&w.done, false);
		idx = sim_srcu_read_lock(w.domain);
		seen |= 1 << idx;
		cr_assert_eq(pthread_create(&thread, NULL, wait_for_grace_period, &w), 0);
		await(&w.begun);
		usleep(5000);
		cr_assert_not(atomic_load(&w.done), "turn %d", i);
		sim_srcu_read_unlock(w.domain, idx);
		pthread_join(thread, NULL);
	}
	cr_assert_eq(seen, 3, "only one index was used");
	sim_srcu_delete(w.domain);
}

/* Readers that follow each other without a gap: each new one began after the grace period did. */
Test(srcu_threads, later_readers_do_not_hold_a_grace_period_up)
{
	struct waiter w = { .domain = sim_srcu_new(), .cpu = 1 };
	int old = sim_srcu_read_lock(w.domain), new, i;
	pthread_t thread;

	cr_assert_eq(pthread_create(&thread, NULL, wait_for_grace_period, &w), 0);
	await(&w.begun);
	usleep(5000);
	for (i = 0; i < 100 && !atomic_load(&w.done); i++) {
		new = sim_srcu_read_lock(w.domain);
		sim_srcu_read_unlock(w.domain, old);
		old = new;
		usleep(1000);
	}
	cr_assert(atomic_load(&w.done), "still waiting after %d readers", i);
	sim_srcu_read_unlock(w.domain, old);
	pthread_join(thread, NULL);
	sim_srcu_delete(w.domain);
}

Test(srcu_threads, domains_are_independent)
{
	struct sim_srcu *a = sim_srcu_new(), *b = sim_srcu_new();
	int idx = sim_srcu_read_lock(a), i;

	for (i = 0; i < 100; i++)
		sim_srcu_synchronize(b);
	cr_assert_eq(sim_srcu_readers(a), 1);
	cr_assert_eq(sim_srcu_readers(b), 0);
	sim_srcu_read_unlock(a, idx);
	sim_srcu_synchronize(a);
	sim_srcu_delete(a);
	sim_srcu_delete(b);
}

static void *stress_thread(void *arg)
{
	struct world *w = arg;
	int i;

	cr_assert_eq(sim_thread_enter(w->first_cpu + 1, "updater"), 0);
	for (i = 1; i <= NR_UPDATES / 4; i++)
		update_once(w, i);
	sim_thread_exit();
	return NULL;
}

Test(srcu_threads, two_domains_under_stress)
{
	static struct world w[2] = { { .first_cpu = 1 }, { .first_cpu = 3 } };
	pthread_t readers[2], updaters[2];
	struct seat seats[2];
	int i;

	for (i = 0; i < 2; i++) {
		w[i].domain = sim_srcu_new();
		start(&w[i], &readers[i], &seats[i], 1);
		cr_assert_eq(pthread_create(&updaters[i], NULL, stress_thread, &w[i]), 0);
	}
	for (i = 0; i < 2; i++) {
		pthread_join(updaters[i], NULL);
		stop(&w[i], &readers[i], 1);
		cr_assert_eq(atomic_load(&w[i].dead_seen), 0);
		cr_assert_eq(sim_srcu_readers(w[i].domain), 0);
		sim_srcu_delete(w[i].domain);
	}
}

static void *unlock_elsewhere(void *arg)
{
	struct waiter *w = arg;

	cr_assert_eq(sim_thread_enter(w->cpu, "other"), 0);
	sim_srcu_read_unlock(w->domain, atomic_load(&w->begun));
	sim_thread_exit();
	return NULL;
}

Test(srcu_threads, another_cpu_may_unlock)
{
	struct waiter w = { .domain = sim_srcu_new(), .cpu = 5 };
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++) {
		atomic_store(&w.begun, sim_srcu_read_lock(w.domain));
		cr_assert_eq(pthread_create(&thread, NULL, unlock_elsewhere, &w), 0);
		pthread_join(thread, NULL);
		cr_assert_eq(sim_srcu_readers(w.domain), 0);
		sim_srcu_synchronize(w.domain);
	}
	sim_srcu_delete(w.domain);
}

/* ---- callbacks ---- */

static atomic_int nr_called;

static void called(void *head)
{
	(void)head;
	atomic_fetch_add(&nr_called, 1);
}

static void *queue_callbacks(void *arg)
{
	static void *heads[3][1000][2];
	int cpu = (int)(intptr_t)arg, i;

	cr_assert_eq(sim_thread_enter(cpu, "caller"), 0);
	for (i = 0; i < 1000; i++) {
		sim_rcu_call(heads[cpu - 1][i], called);
		if (i % 100 == 0)
			sim_rcu_run_callbacks();
	}
	sim_rcu_run_callbacks();
	sim_thread_exit();
	return NULL;
}

Test(srcu_threads, every_callback_runs_once)
{
	pthread_t threads[3];
	intptr_t i;

	for (i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, queue_callbacks, (void *)(i + 1)),
			     0);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	sim_rcu_run_callbacks();
	cr_assert_eq(atomic_load(&nr_called), 3000);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Updates and readers at the same time, on real threads: a reader keeps what it found for as long
 * as its section lasts, and the update does not return before.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "routing_vm.h"

#define GSIS 200

struct slow_reader {
	struct vm *vm;
	uint32_t tag;			/* of the table that it is to find */
	atomic_int inside, leave, left; /* its section */
	unsigned long wrong;
};

static unsigned long check_table(struct vm *vm, const void *table, uint32_t tag)
{
	struct port_route r[PORT_ROUTES_PER_GSI];
	unsigned long wrong = 0;
	uint32_t gsi;

	for (gsi = 0; gsi < GSIS; gsi++)
		wrong += vm->ops->table_gsi(table, gsi, r) != 1 || r[0].gsi != gsi ||
			 r[0].type != KVM_IRQ_ROUTING_MSI || r[0].words[2] != tag;
	return wrong;
}

static void *slow_reader(void *arg)
{
	struct slow_reader *r = arg;
	const void *table;
	int idx;

	sim_thread_enter(1, "reader");
	idx = r->vm->ops->reader_enter(r->vm->fd);
	table = r->vm->ops->reader_table(r->vm->fd);
	r->wrong += check_table(r->vm, table, r->tag);
	atomic_store(&r->inside, 1);
	while (!atomic_load(&r->leave)) {
		r->wrong += check_table(r->vm, table, r->tag);
		usleep(100);
	}
	r->wrong += check_table(r->vm, table, r->tag);
	atomic_store(&r->left, 1);
	r->vm->ops->reader_leave(r->vm->fd, idx);
	sim_thread_exit();

	return NULL;
}

/* Lets the reader go once the update has been published, and it had time to go wrong. */
static void *letter_go(void *arg)
{
	struct slow_reader *r = arg;

	usleep(50000);
	atomic_store(&r->leave, 1);
	return NULL;
}

static void start(struct slow_reader *r, pthread_t *reader, pthread_t *letter)
{
	pthread_create(reader, NULL, slow_reader, r);
	while (!atomic_load(&r->inside))
		usleep(100);
	pthread_create(letter, NULL, letter_go, r);
}

Test(routing_readers, a_slow_reader_keeps_its_table, .timeout = 60)
{
	const struct port *port;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct table *a = msi_table(GSIS, 1), *b = msi_table(GSIS, 2);
		struct slow_reader r = { .vm = &vm, .tag = 1 };
		pthread_t reader, letter;

		cr_assert_eq(vm_set(&vm, b), 0);
		cr_assert_eq(vm_set(&vm, a), 0);
		start(&r, &reader, &letter);
		cr_expect_eq(vm_set(&vm, b), 0);
		cr_expect(atomic_load(&r.left), "%s: returned while a reader used the old table",
			  port->name);
		pthread_join(reader, NULL);
		pthread_join(letter, NULL);
		cr_expect_eq(r.wrong, 0, "%s: the reader's table changed under it: %lu routes",
			     port->name, r.wrong);
		expect_table(&vm, b);
		vm_end(&vm);
		free(a);
		free(b);
	}
}

struct updater {
	struct vm *vm;
	const struct table *table;
	atomic_int done;
	int cpu;
	long ret;
};

static void *update_once(void *arg)
{
	struct updater *u = arg;

	sim_thread_enter(u->cpu, "updater");
	u->ret = vm_set(u->vm, u->table);
	atomic_store(&u->done, 1);
	sim_thread_exit();
	return NULL;
}

static uint32_t data_of_gsi0(struct vm *vm)
{
	struct port_route r[PORT_ROUTES_PER_GSI];

	return vm->ops->map_gsi(vm->fd, 0, r) == 1 ? r[0].words[2] : 0;
}

/*
 * A reader uses table 1. One update publishes table 2 and waits for the reader. Another passes
 * table 2 as well: it must not return before the reader is gone either, although nothing is left to
 * change.
 */
Test(routing_readers, an_equal_table_still_waits_for_older_ones, .timeout = 60)
{
	const struct port *port;

	for_each_port(port) {
		struct vm vm = vm_make(port, SPLIT_CHIP);
		struct table *a = msi_table(GSIS, 1), *b = msi_table(GSIS, 2);
		struct slow_reader r = { .vm = &vm, .tag = 1 };
		struct updater u = { .vm = &vm, .table = b, .cpu = 2 };
		pthread_t reader, letter, updater;

		cr_assert_eq(vm_set(&vm, a), 0);
		start(&r, &reader, &letter);
		pthread_create(&updater, NULL, update_once, &u);
		while (data_of_gsi0(&vm) != 2)
			usleep(100);
		cr_expect_eq(vm_set(&vm, b), 0);
		cr_expect(atomic_load(&r.left), "%s: returned while a reader used an older table",
			  port->name);
		pthread_join(updater, NULL);
		pthread_join(reader, NULL);
		pthread_join(letter, NULL);
		cr_expect_eq(u.ret, 0);
		cr_expect_eq(r.wrong, 0);
		vm_end(&vm);
		free(a);
		free(b);
	}
}

/* ---- updates against updates ---- */

#define UPDATERS 2

struct racer {
	struct vm *vm;
	int cpu;
	atomic_ulong *mixed;
	atomic_int *stop;
	atomic_ulong updates;
};

/* All routes of a table carry the tag of whoever set it: a table with two tags was written by two.
 */
static void look(struct racer *r)
{
	struct port_route route[PORT_ROUTES_PER_GSI];
	const void *table;
	uint32_t tag = 0, gsi;
	int idx;

	idx = r->vm->ops->reader_enter(r->vm->fd);
	table = r->vm->ops->reader_table(r->vm->fd);
	for (gsi = 0; gsi < 16; gsi++) {
		if (r->vm->ops->table_gsi(table, gsi, route) != 1 || route[0].gsi != gsi ||
		    (gsi && route[0].words[2] != tag))
			atomic_fetch_add(r->mixed, 1);
		tag = route[0].words[2];
	}
	r->vm->ops->reader_leave(r->vm->fd, idx);
}

static void *race(void *arg)
{
	struct racer *r = arg;
	struct table *t = msi_table(16, 0);
	uint32_t gsi;

	sim_thread_enter(r->cpu, "racer");
	while (!atomic_load(r->stop)) {
		for (gsi = 0; gsi < 16; gsi++)
			t->entries[gsi].u.msi.data =
				(r->cpu << 28) | (atomic_load(&r->updates) & 0xffff);
		if (vm_set(r->vm, t))
			atomic_fetch_add(r->mixed, 1);
		look(r);
		atomic_fetch_add(&r->updates, 1);
		if (atomic_load(r->mixed) || sim_report_defects())
			break;
	}
	atomic_store(r->stop, 1);
	sim_thread_exit();
	free(t);
	return NULL;
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* How long to try; long enough for a mutant to be caught, short where none is expected. */
static double seconds_to_race(void)
{
	const char *seconds = getenv("IRQSIM_RACE_SECONDS");

	return seconds ? atof(seconds) : 0.2;
}

#define MOST_SECONDS 50

/* On a busy machine a thread may not run for longer than the race is to last. */
static int all_had_a_turn(struct racer *racers)
{
	int i;

	for (i = 0; i < UPDATERS; i++)
		if (atomic_load(&racers[i].updates) < 100)
			return 0;
	return 1;
}

static void run_race(const struct port *port)
{
	struct vm vm = vm_make(port, SPLIT_CHIP);
	struct racer racers[UPDATERS];
	pthread_t threads[UPDATERS];
	atomic_ulong mixed = 0;
	atomic_int stop = 0;
	struct timespec begin;
	struct table *first = msi_table(16, 0);
	int i;

	cr_assert_eq(vm_set(&vm, first), 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < UPDATERS; i++) {
		racers[i] =
			(struct racer){ .vm = &vm, .cpu = i + 1, .mixed = &mixed, .stop = &stop };
		pthread_create(&threads[i], NULL, race, &racers[i]);
	}
	while (!atomic_load(&stop) && seconds_since(&begin) < MOST_SECONDS &&
	       (seconds_since(&begin) < seconds_to_race() || !all_had_a_turn(racers)))
		usleep(10000);
	atomic_store(&stop, 1);
	for (i = 0; i < UPDATERS; i++)
		pthread_join(threads[i], NULL);
	cr_expect_eq(mixed, 0, "%s: a table had routes of two updates, or none", port->name);
	for (i = 0; i < UPDATERS; i++)
		cr_expect_gt(atomic_load(&racers[i].updates), 0);
	vm_end(&vm);
	free(first);
}

Test(routing_readers, two_updaters_never_share_memory, .timeout = 60)
{
	const struct port *port;

	for_each_port(port)
		run_race(port);
}

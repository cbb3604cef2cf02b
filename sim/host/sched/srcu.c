// SPDX-License-Identifier: GPL-2.0-only
/*
 * SRCU domains on liburcu's atomics. Each CPU counts entries and exits of both indices in a cache
 * line of its own; a grace period drains the idle index, flips, and drains the other, so that a
 * reader that read the index just before a flip is waited for by the next phase.
 *
 * Domains that are deleted are kept for the next sim_srcu_new(): their counters are balanced, so
 * they need no clearing, and a VM costs no allocation here.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <urcu/arch.h>
#include <urcu/uatomic.h>

#include <sim/sync.h>
#include <sim/task.h>

#include "threads.h"
#include "tsan.h"

struct srcu_cpu {
	unsigned long locks[2];
	unsigned long unlocks[2];
} __attribute__((aligned(64)));

struct sim_srcu {
	unsigned long idx;	  /* its low bit: the index that new readers take */
	pthread_mutex_t gp_mutex; /* one grace period at a time */
	struct sim_srcu *next_idle, *next_made;
	struct srcu_cpu cpus[SIM_NR_CPUS];
};

static struct sim_srcu *idle;
static struct sim_srcu *made; /* ever: LeakSanitizer does not look into simulated memory for them */
static pthread_mutex_t idle_mutex = PTHREAD_MUTEX_INITIALIZER;

struct sim_srcu *sim_srcu_new(void)
{
	struct sim_srcu *s;

	pthread_mutex_lock(&idle_mutex);
	s = idle;
	if (s)
		idle = s->next_idle;
	pthread_mutex_unlock(&idle_mutex);
	if (s)
		return s;

	s = aligned_alloc(64, sizeof(*s));
	if (!s)
		return NULL;
	*s = (struct sim_srcu){ .gp_mutex = PTHREAD_MUTEX_INITIALIZER };
	pthread_mutex_lock(&idle_mutex);
	s->next_made = made;
	made = s;
	pthread_mutex_unlock(&idle_mutex);

	return s;
}

void sim_srcu_delete(struct sim_srcu *s)
{
	pthread_mutex_lock(&idle_mutex);
	s->next_idle = idle;
	idle = s;
	pthread_mutex_unlock(&idle_mutex);
}

/*
 * Only this CPU's task writes its counters. The exchange is there for the full barrier that it
 * implies (uatomic-api: before and after), which is cheaper on x86 than a fence of its own; it
 * pairs with those of sim_srcu_synchronize() and is_drained().
 */
static void count(unsigned long *counter)
{
	uatomic_xchg(counter, *counter + 1);
}

int sim_srcu_read_lock(struct sim_srcu *s)
{
	int idx = uatomic_read(&s->idx) & 1;

	count(&s->cpus[sim_self->cpu].locks[idx]);
	happens_after(&s->idx);

	return idx;
}

void sim_srcu_read_unlock(struct sim_srcu *s, int idx)
{
	happens_before(&s->cpus);
	count(&s->cpus[sim_self->cpu].unlocks[idx]);
}

/* What all CPUs counted at @idx: their entries, or their exits. */
static unsigned long sum(const struct sim_srcu *s, int idx, bool exits)
{
	unsigned long total = 0;
	int cpu, n = sim_nr_cpus_used();

	for (cpu = 0; cpu < n; cpu++) {
		const struct srcu_cpu *c = &s->cpus[cpu];

		/* A new task marks its CPU before it can be in a section, which is before the sum
		 * that has to see it. */
		if (!sim_cpu_was_used(cpu))
			continue;
		total += uatomic_read(exits ? &c->unlocks[idx] : &c->locks[idx]);
	}
	return total;
}

/*
 * Exits first: a section counted as left has been counted as entered
 * (srcu_readers_active_idx_check() in kernel/rcu/srcutree.c).
 */
static int is_drained(struct sim_srcu *s, int idx)
{
	unsigned long unlocks = sum(s, idx, true);

	cmm_smp_mb();
	return sum(s, idx, false) == unlocks;
}

static void drain(struct sim_srcu *s, int idx)
{
	unsigned int turn = 0;

	while (!is_drained(s, idx))
		sim_spin_wait(turn++);
}

uint64_t sim_srcu_readers(struct sim_srcu *s)
{
	return sum(s, 0, false) + sum(s, 1, false) - sum(s, 0, true) - sum(s, 1, true);
}

void sim_srcu_synchronize(struct sim_srcu *s)
{
	int idx;

	/* On one CPU the only reader there could be is the caller itself, and it is not. */
	if (sim_nr_cpus_used() == 1 && !sim_srcu_readers(s))
		return;

	happens_before(&s->idx);
	cmm_smp_mb();
	pthread_mutex_lock(&s->gp_mutex);
	idx = uatomic_read(&s->idx) & 1;
	drain(s, !idx);
	uatomic_set(&s->idx, s->idx + 1);
	cmm_smp_mb();
	drain(s, idx);
	pthread_mutex_unlock(&s->gp_mutex);
	cmm_smp_mb();
	happens_after(&s->cpus);
}

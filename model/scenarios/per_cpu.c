// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each task has its CPU's variables, whoever runs in between.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "programs.h"

static DEFINE_PER_CPU(int, mine);
static int turns;

static void keep(unsigned int n)
{
	preempt_disable();
	this_cpu_write(mine, n + 1);
	WRITE_ONCE(turns, n);
	DET_CHECK(this_cpu_read(mine) == n + 1);
	DET_CHECK(!preemptible());
	this_cpu_write(mine, 0);
	preempt_enable();
	READ_ONCE(turns);
	DET_CHECK(!this_cpu_read(mine));
}

PROGRAM(per_cpu, "per-cpu", "each task keeps its CPU's variable", 3, .actor = keep);

/* ---- another CPU's variable ---- */

struct tally {
	u32 lost;
	u32 count;
};

static DEFINE_PER_CPU(struct tally, tallies);

static void clear_others(unsigned int n)
{
	struct tally *t;

	if (n) {
		preempt_disable();
		t = this_cpu_ptr(&tallies);
		t->count = t->count + 1;
		preempt_enable();
	} else {
		per_cpu(tallies, 1).count = 0;
	}
}

static uint64_t second_tally(void)
{
	return per_cpu_ptr(&tallies, 1)->count;
}

PROGRAM(per_cpu_remote, "per-cpu-remote", "a CPU clears the counter that another increments", 2,
	.actor = clear_others, .state = second_tally, .expects = "kcsan");

static void add_to_all(unsigned int n)
{
	WRITE_ONCE(per_cpu(tallies, n).count, n + 1);
	WRITE_ONCE(per_cpu(tallies, 5 + n).count, n + 3);
	this_cpu_add(tallies.lost, n + 5);
}

static void each_added(void)
{
	DET_CHECK(per_cpu(tallies, 0).count == 1 && per_cpu(tallies, 1).count == 2);
	DET_CHECK(per_cpu(tallies, 5).count == 3 && per_cpu(tallies, 6).count == 4);
	DET_CHECK(per_cpu(tallies, 0).lost == 5 && per_cpu(tallies, 1).lost == 6);
	DET_CHECK(!per_cpu(tallies, 2).count && !per_cpu(tallies, 2).lost);
}

static void all_are_zero(void)
{
	int cpu;

	for (cpu = 0; cpu < 8; cpu++)
		DET_CHECK(!per_cpu(tallies, cpu).count && !per_cpu(tallies, cpu).lost);
}

PROGRAM(per_cpu_apart, "per-cpu-apart", "writes to the variables of several CPUs", 2,
	.setup = all_are_zero, .actor = add_to_all, .final = each_added);

static void beyond(unsigned int n)
{
	per_cpu(mine, 64 + n) = 1;
}

PROGRAM(per_cpu_beyond, "per-cpu-beyond", "a CPU that there is not", 1, .actor = beyond,
	.expects = "bug");

/* ---- a counter of a task and of an interrupt that comes on top of it ---- */

static DEFINE_PER_CPU(u32, hits);

static void hit(unsigned int n)
{
	this_cpu_inc(hits);
}

static void hit_return(unsigned int n)
{
	this_cpu_add_return(hits, 1);
}

static void hit_cmpxchg(unsigned int n)
{
	u32 old = this_cpu_read(hits);

	while (!this_cpu_try_cmpxchg(hits, &old, old + 1))
		;
}

static void hit_unprotected(unsigned int n)
{
	preempt_disable();
	__this_cpu_inc(hits);
	preempt_enable();
}

static void hit_plainly(unsigned int n)
{
	u32 *x;

	preempt_disable();
	x = this_cpu_ptr(&hits);
	*x = *x + 1;
	preempt_enable();
}

static void hit_twice(void)
{
	DET_CHECK(per_cpu(hits, 0) == 2);
	DET_CHECK(!per_cpu(hits, 1));
}

static uint64_t nr_hits(void)
{
	return per_cpu(hits, 0);
}

#define HITS(id, title, about, ...)                                                \
	PROGRAM(id, title, about, 1, .nr_irqs = 1, .irq = hit, .final = hit_twice, \
		.state = nr_hits, .actor = __VA_ARGS__)

HITS(per_cpu_irq, "per-cpu-irq", "a task and its CPU's interrupt count with this_cpu_inc()", hit);
HITS(per_cpu_irq_return, "per-cpu-irq-return", "the task with this_cpu_add_return()", hit_return);
HITS(per_cpu_irq_cmpxchg, "per-cpu-irq-cmpxchg", "the task with this_cpu_try_cmpxchg()",
     hit_cmpxchg);
HITS(per_cpu_irq_raw, "per-cpu-irq-raw", "the task with __this_cpu_inc(), interrupts on",
     hit_unprotected);
HITS(per_cpu_irq_plain, "per-cpu-irq-plain", "the task through a pointer: an update is lost",
     hit_plainly, .expects = "check");

/* ---- no operation of these waits for the store buffer ---- */

static DEFINE_PER_CPU(u32, wanted);
static u32 other_wants[2];

static void want_by_write(unsigned int n)
{
	this_cpu_write(wanted, 1);
	other_wants[n] = READ_ONCE(per_cpu(wanted, 1 - n));
}

static void want_by_add(unsigned int n)
{
	DET_CHECK(this_cpu_add_return(wanted, 1) == 1);
	other_wants[n] = READ_ONCE(per_cpu(wanted, 1 - n));
}

static void want_by_xchg(unsigned int n)
{
	DET_CHECK(!this_cpu_xchg(wanted, 1));
	other_wants[n] = READ_ONCE(per_cpu(wanted, 1 - n));
}

static void want_and_wait(unsigned int n)
{
	this_cpu_write(wanted, 1);
	smp_mb();
	other_wants[n] = READ_ONCE(per_cpu(wanted, 1 - n));
}

static uint64_t who_wants(void)
{
	return other_wants[0] + 2 * other_wants[1];
}

#define WANTS(id, title, how)                                                                  \
	PROGRAM(id, title, "each stores to its own and looks at the other's", 2, .actor = how, \
		.state = who_wants)

WANTS(per_cpu_sb_write, "per-cpu-sb-write", want_by_write);
WANTS(per_cpu_sb_add, "per-cpu-sb-add", want_by_add);
WANTS(per_cpu_sb_xchg, "per-cpu-sb-xchg", want_by_xchg);
WANTS(per_cpu_sb_mb, "per-cpu-sb-mb", want_and_wait);

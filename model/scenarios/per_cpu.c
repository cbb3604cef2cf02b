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

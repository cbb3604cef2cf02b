// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a fault point fails: the order of checks of should_fail_ex() in lib/fault-inject.c, behind
 * the filters of mm/failslab.c and mm/fail_page_alloc.c.
 */
#include <pthread.h>
#include <string.h>

#include <sim/fault.h>
#include <sim/mm.h>
#include <sim/task.h>

#include "point.h"
#include "prng.h"

static struct {
	struct sim_fault_attr attr;
	unsigned long count; /* eligible calls, for the interval */
} points[SIM_NR_FAULT_KINDS];
bool sim_fault_armed;
static struct sim_prng rng;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void sim_fault_set(enum sim_fault_kind kind, const struct sim_fault_attr *attr)
{
	pthread_mutex_lock(&lock);
	points[kind].attr = *attr;
	points[kind].count = 0;
	sim_fault_armed = false;
	for (int i = 0; i < SIM_NR_FAULT_KINDS; i++)
		sim_fault_armed |= points[i].attr.probability > 0;
	pthread_mutex_unlock(&lock);
}

void sim_fault_clear(void)
{
	pthread_mutex_lock(&lock);
	memset(points, 0, sizeof(points));
	sim_fault_armed = false;
	pthread_mutex_unlock(&lock);
	sim_fail_nth_set(0);
}

void sim_fault_seed(uint64_t seed)
{
	pthread_mutex_lock(&lock);
	rng.state = seed;
	pthread_mutex_unlock(&lock);
}

void sim_fail_nth_set(unsigned long n)
{
	sim_self->fail_nth = n;
	sim_self->fault_points = 0;
	sim_self->fault_hit = false;
}

bool sim_fail_nth_hit(void)
{
	return sim_self->fault_hit;
}

static bool enabled = true;

void sim_fault_enable(bool on)
{
	enabled = on;
}

static bool attr_fails(enum sim_fault_kind kind, size_t size)
{
	struct sim_fault_attr *a = &points[kind].attr;

	if (!a->probability || !a->times)
		return false;
	if (a->space > (long)size) {
		a->space -= size;
		return false;
	}
	if (a->interval > 1 && ++points[kind].count % a->interval)
		return false;
	if (a->probability <= sim_prng_below(&rng, 100))
		return false;
	if (a->times > 0)
		a->times--;
	return true;
}

bool sim_should_fail(enum sim_fault_kind kind, size_t size, unsigned int order, unsigned int gfp)
{
	const struct sim_fault_attr *a = &points[kind].attr;
	struct sim_task *self = sim_self;
	bool fail;

	if (gfp & SIM_GFP_NOFAIL)
		return false;
	if (kind == SIM_FAIL_PAGE_ALLOC && order < a->min_order)
		return false;
	if (a->ignore_gfp_wait && (gfp & SIM_GFP_BLOCK))
		return false;
	self->fault_points++;
	/* The kernel's fail_nth takes the place of the attributes while it counts. */
	if (self->fail_nth) {
		if (self->fault_points < self->fail_nth)
			return false;
		self->fail_nth = 0;
		self->fault_hit = true;
		return true;
	}
	if (!a->probability || !enabled)
		return false;
	pthread_mutex_lock(&lock);
	fail = attr_fails(kind, kind == SIM_FAIL_PAGE_ALLOC ? 1UL << order : size);
	pthread_mutex_unlock(&lock);
	return fail;
}

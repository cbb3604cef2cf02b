// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run in virtual time: each CPU is a fiber, and gives way at an access where another has a smaller
 * clock, so accesses happen in the order of time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../fault/prng.h"
#include "time.h"

#define STACK_SIZE 0x40000UL /* a report's look into debug information needs 200 KiB */
#define SAVED	   6	     /* registers, as det_fiber_switch() has them */

struct time_world vtime;
static void *main_sp;
static char *stacks;
static const struct time_program *running;
static struct sim_task *main_task;

/* Durations of operations: 128 steps to each power of two, so none is off by more than 1 %. */
#define STEPS 128
static uint64_t lasted[64 * STEPS];
static uint64_t counted, all_ops;

const char *time_cost_name(enum time_cost cost)
{
	static const char *const names[TIME_NR_COSTS] = { "hit",
							  "locked",
							  "shared_miss",
							  "transfer_cluster",
							  "transfer_socket",
							  "transfer_remote",
							  "outside" };

	return names[cost];
}

const char *time_where_name(enum time_where where)
{
	static const char *const names[TIME_NR_WHERE] = { "outside",   "hits",	 "atomics",
							  "transfers", "queues", "locks" };

	return names[where];
}

extern const struct time_program *const __start_irqsim_time[] __attribute__((weak));
extern const struct time_program *const __stop_irqsim_time[] __attribute__((weak));

const struct time_program *time_program_find(const char *name, const char *strategy, bool rt)
{
	const struct time_program *const *p;

	for (p = __start_irqsim_time; p < __stop_irqsim_time; p++)
		if ((*p)->rt == rt && !strcmp((*p)->name, name) &&
		    !strcmp((*p)->strategy, strategy))
			return *p;
	return NULL;
}

/* ---- places: CPUs are numbered as Linux does, all cores before their second threads ---- */

static unsigned int nr_cores(void)
{
	const struct time_machine *m = vtime.options->machine;
	/* As many CPUs again are in guest mode. */
	unsigned int sockets = (2 * vtime.nr + m->socket_threads - 1) / m->socket_threads;

	return sockets * m->socket_cores;
}

enum time_cost time_distance(unsigned int a, unsigned int b)
{
	const struct time_machine *m = vtime.options->machine;
	unsigned int cores = nr_cores();

	a %= cores;
	b %= cores;
	if (a / m->socket_cores != b / m->socket_cores)
		return TIME_REMOTE;
	return a % m->socket_cores / m->cluster_cores == b % m->socket_cores / m->cluster_cores
		       ? TIME_CLUSTER
		       : TIME_SOCKET;
}

/* ---- who runs ---- */

static void switch_to(void **save, struct time_cpu *next)
{
	vtime.cur = next;
	sim_self = next ? &next->sim : main_task;
	det_fiber_switch(save, next ? next->sp : main_sp);
}

void time_turn(void)
{
	struct time_cpu *c = vtime.cur, *next = time_heap_exchange(c);

	if (next)
		switch_to(&c->sp, next);
}

void time_sleep(void)
{
	struct time_cpu *c = vtime.cur;
	uint64_t since = c->clock;

	switch_to(&c->sp, time_heap_pop());
	if (c->clock > vtime.begin)
		c->where[TIME_IN_LOCKS] += c->clock - since;
}

void time_wake(struct time_cpu *c, uint64_t at)
{
	if (c->clock < at)
		c->clock = at;
	time_heap_push(c);
}

/* ---- operations ---- */

static unsigned int step_of(uint64_t ns)
{
	unsigned int power = ns < STEPS ? 0 : 57 - (unsigned int)__builtin_clzll(ns);

	return power * STEPS + (unsigned int)(ns >> power);
}

static uint64_t longest_in(unsigned int step)
{
	unsigned int power = step / STEPS ? step / STEPS - 1 : 0;

	return ((uint64_t)(step - power * STEPS) << power) + ((1ULL << power) - 1);
}

static void count(const struct time_cpu *c, uint64_t began)
{
	all_ops++;
	if (c->clock <= vtime.begin || c->clock > vtime.end)
		return;
	counted++;
	lasted[step_of((c->clock - began) / 1000)]++;
}

static __attribute__((noreturn, used)) void life(void)
{
	struct time_cpu *c = vtime.cur;
	void *unused;

	while (c->clock < vtime.end) {
		uint64_t began = c->clock;

		time_spend(c, TIME_IN_OUTSIDE, vtime.ps[TIME_OUTSIDE]);
		running->op(c->id);
		count(c, began);
	}
	switch_to(&unused, time_heap_pop());
	__builtin_unreachable();
}

static void cpu_ready(struct time_cpu *c, unsigned int id, uint64_t clock)
{
	void **sp = (void **)(stacks + (id + 1) * STACK_SIZE);
	int i;

	*c = (struct time_cpu){ .id = id, .clock = clock };
	c->sim.pid = 100 + (int)id;
	snprintf(c->sim.comm, sizeof(c->sim.comm), "cpu-%u", id);
	*--sp = NULL;
	*--sp = (void *)life;
	for (i = 0; i < SAVED; i++)
		*--sp = NULL;
	c->sp = sp;
	time_heap_push(c);
}

static bool world_begin(const struct time_options *o)
{
	int i;

	vtime = (struct time_world){ .nr = o->cpus, .options = o };
	vtime.begin = (uint64_t)llround(o->duration_us * 1e6 / 5);
	vtime.end = vtime.begin + (uint64_t)llround(o->duration_us * 1e6);
	for (i = 0; i < TIME_NR_COSTS; i++)
		vtime.ps[i] = (uint64_t)llround(o->machine->ns[i] * 1e3);
	memset(lasted, 0, sizeof(lasted));
	counted = all_ops = 0;
	stacks = mmap(NULL, o->cpus * STACK_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED)
		return false;
	vtime.cpus = calloc(o->cpus, sizeof(*vtime.cpus));
	if (!vtime.cpus) {
		munmap(stacks, o->cpus * STACK_SIZE);
		return false;
	}
	time_heap_init(o->cpus);
	time_lines_begin(o->cpus);
	time_locks_begin();
	return true;
}

static void world_end(void)
{
	time_locks_end();
	time_lines_end();
	free(vtime.cpus);
	munmap(stacks, vtime.nr * STACK_SIZE);
}

static uint64_t percentile_99(void)
{
	uint64_t left = counted - counted / 100;
	unsigned int i;

	for (i = 0; i < 64 * STEPS; i++) {
		if (lasted[i] >= left)
			return longest_in(i);
		left -= lasted[i];
	}
	return 0;
}

/* ---- memory of programs that need more than the world's heap has ---- */

static void *area;
static size_t area_size;

void *time_memory(size_t size)
{
	area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	area_size = size;
	return area == MAP_FAILED ? area = NULL : area;
}

static void memory_end(void)
{
	if (area)
		munmap(area, area_size);
	area = NULL;
}

static void fill(struct time_result *r)
{
	double all_ps = 0, ns = vtime.options->duration_us * 1e3;
	unsigned int i, w;

	for (i = 0; i < vtime.nr; i++)
		for (w = 0; w < TIME_NR_WHERE; w++) {
			r->where[w] += (double)vtime.cpus[i].where[w];
			all_ps += (double)vtime.cpus[i].where[w];
		}
	for (w = 0; w < TIME_NR_WHERE; w++)
		r->where[w] /= all_ps;
	r->ops = counted;
	r->per_second = (double)counted / ns * 1e9;
	r->mean_ns = counted ? ns * vtime.nr / (double)counted : 0;
	r->p99_ns = (double)percentile_99();
	r->heap_steps = vtime.heap_steps;
	r->line_lookups = vtime.line_lookups;
	r->all_ops = all_ops;
	time_hottest(r, running, all_ps);
}

static void go(const struct time_options *o)
{
	struct sim_prng seed = { o->seed };
	unsigned int i;

	/* Nobody begins at the same time. */
	for (i = 0; i < o->cpus; i++)
		cpu_ready(&vtime.cpus[i], i, sim_prng_next(&seed) % (vtime.ps[TIME_OUTSIDE] + 1));
	main_task = sim_self;
	det_timing = &time_timing;
	switch_to(&main_sp, time_heap_pop());
	det_timing = NULL;
}

int time_run(const struct time_program *program, const struct time_options *o,
	     struct time_result *r)
{
	const char *wrong;

	*r = (struct time_result){ 0 };
	det_world_init();
	det_world_reset();
	running = program;
	wrong = program->setup(o->cpus, o->layout);
	if (wrong) {
		snprintf(r->error, sizeof(r->error), "%s", wrong);
		return -1;
	}
	if (!world_begin(o)) {
		snprintf(r->error, sizeof(r->error), "expected memory for %u CPUs", o->cpus);
		program->exit();
		memory_end();
		return -1;
	}
	go(o);
	fill(r);
	world_end();
	program->exit();
	memory_end();
	det_world_reset();
	return 0;
}

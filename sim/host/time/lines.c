// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of cache lines. A CPU has a line if it saw its last version; a write makes a new one
 * that the writer alone has (MESI's M; a line that others read since is S). What it does not have
 * comes from the last writer, or from whoever shares it, and one line makes one way at a time: who
 * asks first is served first.
 *
 * A core keeps a line for the operation that fetched it and for the loads behind it, which were
 * under way together: so reads of the line that was fetched last find it, until the next atomic
 * operation, barrier or fetch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "time.h"

#define LINE_SHIFT 6

struct time_cache_line {
	uintptr_t nr;		  /* address >> LINE_SHIFT */
	uint32_t version;	  /* changed by writes that take it from others */
	uint32_t sharers;	  /* CPUs that have this version */
	int owner;		  /* the last writer, or the first reader; -1: nobody yet */
	bool dirty;		  /* nobody read it since it was written */
	enum time_cost spread;	  /* how far from the owner the sharers are, at most */
	uint64_t free_at;	  /* when it has arrived where it was sent last */
	uint64_t transfers, cost; /* in the counted time */
	uint32_t *seen;		  /* each CPU's version; NULL: only the owner had it */
};

static struct time_cache_line **table;
static size_t nr_slots, nr_lines;
static unsigned int nr_cpus;

static void *memory(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p) {
		fputs("irqsim: expected memory for cache lines\n", stderr);
		exit(2);
	}
	return p;
}

void time_lines_begin(unsigned int nr)
{
	nr_cpus = nr;
	nr_slots = 1 << 12;
	nr_lines = 0;
	table = memory(nr_slots, sizeof(*table));
}

void time_lines_end(void)
{
	size_t i;

	for (i = 0; i < nr_slots; i++)
		if (table[i]) {
			free(table[i]->seen);
			free(table[i]);
		}
	free(table);
	table = NULL;
}

static size_t slot_of(uintptr_t nr)
{
	size_t i = (nr * 0x9e3779b97f4a7c15ULL) >> 20 & (nr_slots - 1);

	while (table[i] && table[i]->nr != nr)
		i = (i + 1) & (nr_slots - 1);
	return i;
}

static void grow(void)
{
	struct time_cache_line **old = table;
	size_t n = nr_slots, i;

	nr_slots *= 2;
	table = memory(nr_slots, sizeof(*table));
	for (i = 0; i < n; i++)
		if (old[i])
			table[slot_of(old[i]->nr)] = old[i];
	free(old);
}

static struct time_cache_line *line_at(uintptr_t nr)
{
	size_t i = slot_of(nr);
	struct time_cache_line *l = table[i];

	vtime.line_lookups++;
	if (l)
		return l;
	if (2 * ++nr_lines > nr_slots) {
		grow();
		i = slot_of(nr);
	}
	l = memory(1, sizeof(*l));
	*l = (struct time_cache_line){ .nr = nr, .owner = -1, .version = 1 };
	table[i] = l;
	return l;
}

static bool has(const struct time_cache_line *l, unsigned int cpu)
{
	return l->seen ? l->seen[cpu] == l->version : l->owner == (int)cpu;
}

/* Another CPU than the owner comes to it. */
static void becomes_shared(struct time_cache_line *l)
{
	if (l->seen)
		return;
	l->seen = memory(nr_cpus, sizeof(*l->seen));
	l->seen[l->owner] = l->version;
}

static enum time_cost further(enum time_cost a, enum time_cost b)
{
	return a > b ? a : b;
}

/* What it costs to get the line: its way, not the wait for its turn. */
static enum time_cost way_of(const struct time_cache_line *l, unsigned int cpu, bool write)
{
	enum time_cost way = time_distance(cpu, (unsigned int)l->owner);

	if (write)
		return further(way, l->spread);
	return l->dirty ? way : TIME_SHARED_MISS;
}

static void arrives(struct time_cache_line *l, struct time_cpu *c, bool write)
{
	enum time_cost way = way_of(l, c->id, write);
	uint64_t asked = c->clock, turn = l->free_at > asked ? l->free_at : asked;

	time_spend(c, TIME_IN_QUEUES, turn - asked);
	time_spend(c, TIME_IN_TRANSFERS, vtime.ps[way]);
	if (c->clock > vtime.begin) {
		l->transfers++;
		l->cost += c->clock - asked;
	}
	l->free_at = c->clock;
	becomes_shared(l);
	if (write) {
		l->version++;
		l->sharers = 0;
		l->spread = TIME_CLUSTER;
		l->owner = (int)c->id;
	} else {
		l->spread = further(l->spread, time_distance(c->id, (unsigned int)l->owner));
	}
	l->seen[c->id] = l->version;
	l->sharers++;
	c->window = l;
}

static void touch(struct time_cpu *c, uintptr_t nr, bool write, bool atomic)
{
	struct time_cache_line *l = line_at(nr);
	bool fetched = false, fenced = c->fenced;

	c->fenced = false;
	if (l->owner < 0) {
		/* From memory, in set-up's time. */
		l->owner = (int)c->id;
		l->sharers = 1;
		l->spread = TIME_CLUSTER;
	} else if (write ? !has(l, c->id) || l->sharers > 1 : !has(l, c->id) && c->window != l) {
		arrives(l, c, write);
		fetched = true;
	}
	if (write)
		l->dirty = true;
	else if (fetched)
		l->dirty = false;
	time_spend(c, TIME_IN_HITS, vtime.ps[TIME_HIT]);
	if (!atomic)
		return;
	/* The barrier that instrumentation says before one is the operation itself. */
	if (!fenced)
		time_spend(c, TIME_IN_ATOMICS, vtime.ps[TIME_LOCKED]);
	/* Nobody gets the line before the operation is over. */
	if (l->free_at < c->clock)
		l->free_at = c->clock;
	if (!fetched)
		c->window = NULL;
}

void time_access(uintptr_t addr, uint32_t size, bool write, bool atomic)
{
	uintptr_t nr = addr >> LINE_SHIFT, last = (addr + (size ? size - 1 : 0)) >> LINE_SHIFT;

	for (; nr <= last; nr++) {
		time_turn();
		touch(vtime.cur, nr, write, atomic);
	}
}

void time_barrier(void)
{
	time_spend(vtime.cur, TIME_IN_ATOMICS, vtime.ps[TIME_LOCKED]);
	vtime.cur->window = NULL;
	vtime.cur->fenced = true;
}

static int hotter(const void *a, const void *b)
{
	const struct time_cache_line *x = *(struct time_cache_line *const *)a;
	const struct time_cache_line *y = *(struct time_cache_line *const *)b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

void time_hottest(struct time_result *r, const struct time_program *p, double all_ps)
{
	struct time_cache_line **all = memory(nr_lines + 1, sizeof(struct time_cache_line *));
	size_t i, n = 0;

	for (i = 0; i < nr_slots; i++)
		if (table[i] && table[i]->cost)
			all[n++] = table[i];
	qsort(all, n, sizeof(struct time_cache_line *), hotter);
	for (i = 0; i < n && i < TIME_HOTTEST; i++) {
		struct time_line *out = &r->hottest[i];

		p->name_line(all[i]->nr << LINE_SHIFT, out->name, sizeof(out->name));
		out->share = (double)all[i]->cost / all_ps;
		out->transfers = all[i]->transfers;
	}
	r->nr_hottest = (unsigned int)i;
	free(all);
}

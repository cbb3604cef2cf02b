// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order graph. A path means a possible deadlock only if it is strong: where it comes to a class
 * by a recursive read (R), it has to leave it from an exclusive hold (E), since a recursive reader
 * does not wait for shared holders. So a breadth-first search over (class, came weakly) pairs.
 */
#include <string.h>

#include "validator.h"

#define NR_STATES (2 * MAX_CLASSES)

struct edge lock_edges[MAX_EDGES];
static unsigned int nr_edges = 1; /* 0 ends a list */

static unsigned int queue[NR_STATES];
static unsigned int reached[NR_STATES]; /* the search that reached it last */
static unsigned int came_from[NR_STATES];
static unsigned int came_by[NR_STATES]; /* edge; 0: it is the root */
static unsigned int search;

static unsigned int state_of(unsigned int class_id, bool weak)
{
	return 2 * class_id + weak;
}

/*
 * The kinds of @deps that go on from a state, and whether they leave the next one weak. Backwards,
 * the same joint is met from its other side.
 */
static uint8_t usable(enum direction dir, uint8_t deps, bool weak)
{
	if (!weak)
		return deps;
	return deps & (dir == FORWARD ? DEP_EN | DEP_ER : DEP_EN | DEP_SN);
}

static bool leaves_weak(enum direction dir, uint8_t deps)
{
	return !(deps & (dir == FORWARD ? DEP_EN | DEP_SN : DEP_EN | DEP_ER));
}

static void trace_back(unsigned int state, struct path *path)
{
	unsigned int s;
	int i, nr = 0;

	path->end = state / 2;
	for (s = state; came_by[s]; s = came_from[s])
		nr++;
	path->root = s / 2;
	path->nr = nr < 64 ? nr : 64;
	for (s = state, i = nr - 1; came_by[s]; s = came_from[s], i--)
		if (i < 64)
			path->edge[i] = came_by[s];
}

static void reach(unsigned int state, unsigned int from, unsigned int by, unsigned int *tail)
{
	if (reached[state] == search)
		return;

	reached[state] = search;
	came_from[state] = from;
	came_by[state] = by;
	queue[(*tail)++] = state;
}

static void expand(enum direction dir, unsigned int state, unsigned int *tail)
{
	const struct lock_class *class = &lock_classes[state / 2];
	unsigned int e = dir == FORWARD ? class->after : class->before;

	while (e) {
		const struct edge *edge = &lock_edges[e];
		unsigned int to = dir == FORWARD ? edge->to : edge->from;
		uint8_t deps = usable(dir, edge->deps, state & 1);

		if (deps && !edge->bad)
			reach(state_of(to, leaves_weak(dir, deps)), state, e, tail);
		e = dir == FORWARD ? edge->next_after : edge->next_before;
	}
}

bool graph_find(enum direction dir, unsigned int root, bool weak,
		bool (*match)(unsigned int class_id, bool weak, void *arg), void *arg,
		struct path *path)
{
	unsigned int head = 0, tail = 0, state;

	search++;
	reach(state_of(root, weak), 0, 0, &tail);
	while (head < tail) {
		state = queue[head++];
		if (match(state / 2, state & 1, arg)) {
			trace_back(state, path);
			return true;
		}
		expand(dir, state, &tail);
	}
	return false;
}

static struct edge *find_edge(unsigned int from, unsigned int to)
{
	unsigned int e;

	for (e = lock_classes[from].after; e; e = lock_edges[e].next_after)
		if (lock_edges[e].to == to)
			return &lock_edges[e];
	return NULL;
}

bool edge_known(unsigned int from, unsigned int to, uint8_t dep)
{
	const struct edge *edge = find_edge(from, to);

	return edge && (edge->bad || edge->deps & dep);
}

void edge_add(unsigned int from, unsigned int to, uint8_t dep, bool bad, const void *held_site,
	      const void *site)
{
	struct edge *edge = find_edge(from, to);
	FILE *out;

	if (edge) {
		edge->deps |= dep;
		edge->bad |= bad;
		return;
	}
	if (nr_edges == MAX_EDGES) {
		out = splat_begin(PROBLEM_FULL, 1, 0, site);
		if (out)
			fprintf(out,
				"BUG: MAX_LOCKDEP_ENTRIES too low!\n"
				"irqsim keeps %d lock dependencies and learns no more",
				MAX_EDGES - 1);
		splat_end(out);
		return;
	}
	lock_edges[nr_edges] = (struct edge){
		.from = from,
		.to = to,
		.next_after = lock_classes[from].after,
		.next_before = lock_classes[to].before,
		.deps = dep,
		.bad = bad,
		.held_site = held_site,
		.site = site,
	};
	lock_classes[from].after = nr_edges;
	lock_classes[to].before = nr_edges;
	nr_edges++;
}

void graph_reset(void)
{
	nr_edges = 1;
}

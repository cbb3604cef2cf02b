// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPUs that can go on, as a binary heap by clock; by number where clocks are equal.
 */
#include <stdlib.h>

#include "time.h"

static struct time_cpu **heap;
static unsigned int nr_heap;

void time_heap_init(unsigned int nr)
{
	free(heap);
	heap = calloc(nr, sizeof(*heap));
	if (!heap)
		abort();
	nr_heap = 0;
}

static bool before(const struct time_cpu *a, const struct time_cpu *b)
{
	return a->clock < b->clock || (a->clock == b->clock && a->id < b->id);
}

static void sift_down(struct time_cpu *c)
{
	unsigned int i = 0, child;

	while ((child = 2 * i + 1) < nr_heap) {
		vtime.heap_steps++;
		if (child + 1 < nr_heap && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], c))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = c;
}

void time_heap_push(struct time_cpu *c)
{
	unsigned int i = nr_heap++, up;

	for (; i && before(c, heap[up = (i - 1) / 2]); i = up) {
		vtime.heap_steps++;
		heap[i] = heap[up];
	}
	heap[i] = c;
}

struct time_cpu *time_heap_pop(void)
{
	struct time_cpu *first;

	if (!nr_heap)
		return NULL;
	first = heap[0];
	if (--nr_heap)
		sift_down(heap[nr_heap]);
	return first;
}

struct time_cpu *time_heap_exchange(struct time_cpu *c)
{
	struct time_cpu *first;

	vtime.heap_steps++;
	if (!nr_heap || before(c, heap[0]))
		return NULL;
	first = heap[0];
	sift_down(c);
	return first;
}

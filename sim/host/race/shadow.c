// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <sys/mman.h>

#include "shadow.h"

struct cell *heap_cells, *static_cells, *stack_cells, *percpu_cells;

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes / 8 * sizeof(struct cell), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		err(1, "shadow of %zu bytes", bytes);
	return p;
}

void race_shadow_init(void)
{
	heap_cells = reserve(HEAP_SIZE);
	stack_cells = reserve(STACKS_SIZE);
	percpu_cells = reserve(PERCPU_AREAS);
	static_cells = reserve(((uintptr_t)_end - (uintptr_t)__data_start + 64) & ~7UL);
}

bool shadow_points_to_object(uint64_t value)
{
	return value - DET_HEAP < HEAP_SIZE || shadow_is_kept(value);
}

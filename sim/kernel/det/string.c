// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/string.h in the deterministic world: memset and the copies are one access to the whole
 * range each, under both compilers (-fno-builtin-* makes them calls).
 */
#include <linux/types.h>

#include <sim/det.h>

#include "../supply.h"

void irqsim_mem_read(const void *p, size_t size, void *pc);
void irqsim_mem_write(void *p, size_t size, void *pc);

SUPPLY(void *, memset, void *p, int c, size_t size)
{
	void *at = p;

	irqsim_mem_write(p, size, CALLER);
	asm volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(c) : "memory");
	return p;
}

static void forward(void *to, const void *from, size_t size)
{
	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

/*
 * The two events of a copy. With store buffers, what a task reads of its own stores is there until
 * its next event: a small copy, which alone can be in a buffer, is kept in @small over that.
 */
static const void *copy_events(void *to, const void *from, size_t size, u64 *small, void *caller)
{
	irqsim_mem_read(from, size, caller);
	if (size <= sizeof(*small)) {
		forward(small, from, size);
		from = small;
	}
	irqsim_mem_write(to, size, caller);
	return from;
}

SUPPLY(void *, memcpy, void *to, const void *from, size_t size)
{
	u64 small;

	forward(to, copy_events(to, from, size, &small, CALLER), size);
	return to;
}

SUPPLY(void *, memmove, void *to, const void *from, size_t size)
{
	u64 small;

	from = copy_events(to, from, size, &small, CALLER);
	if ((unsigned long)to - (unsigned long)from >= size) {
		forward(to, from, size);
	} else {
		void *at = to + size - 1;
		const void *last = from + size - 1;

		asm volatile("std; rep movsb; cld" : "+D"(at), "+S"(last), "+c"(size) : : "memory");
	}
	return to;
}

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

SUPPLY(void *, memcpy, void *to, const void *from, size_t size)
{
	irqsim_mem_read(from, size, CALLER);
	irqsim_mem_write(to, size, CALLER);
	forward(to, from, size);
	return to;
}

SUPPLY(void *, memmove, void *to, const void *from, size_t size)
{
	irqsim_mem_read(from, size, CALLER);
	irqsim_mem_write(to, size, CALLER);
	if ((unsigned long)to - (unsigned long)from >= size) {
		forward(to, from, size);
	} else {
		void *at = to + size - 1;
		const void *last = from + size - 1;

		asm volatile("std; rep movsb; cld" : "+D"(at), "+S"(last), "+c"(size) : : "memory");
	}
	return to;
}

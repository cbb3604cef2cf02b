// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a data race looks like in words, in the layout of KCSAN.
 */
#include <stdio.h>
#include <string.h>

#include <sim/report.h>

#include "shadow.h"

static const char *access_name(uint8_t flags)
{
	if (flags & REC_FREE)
		return "free";
	if (flags & REC_MARKED)
		return flags & REC_WRITE ? "write (marked)" : "read (marked)";
	return flags & REC_WRITE ? "write" : "read";
}

static void function_of(uint32_t pc, char *buf, size_t size)
{
	sim_symbol((const char *)(uintptr_t)pc - 1, buf, size);
}

void race_report(const struct det_task *t, uintptr_t addr, const struct rec *now,
		 const struct rec *old)
{
	char a[160], b[160], object[192], fa[64], fb[64];

	if (det_bug_again("kcsan", now->pc, old->pc))
		return;
	function_of(now->pc, a, sizeof(a));
	function_of(old->pc, b, sizeof(b));
	snprintf(fa, sizeof(fa), "%.*s", (int)strcspn(a, "+ "), a);
	snprintf(fb, sizeof(fb), "%.*s", (int)strcspn(b, "+ "), b);
	heap_describe(addr, object, sizeof(object));
	det_bug("kcsan", now->pc, old->pc,
		"BUG: KCSAN: data-race in %s / %s\n\n"
		"%s to %s of %d bytes by task %d on cpu %d:\n %s\n\n"
		"%s to %s of %d bytes by task %d on cpu %d:\n %s",
		fa, fb, access_name(old->flags), object, __builtin_popcount(old->mask), old->task,
		old->task, b, access_name(now->flags), object, __builtin_popcount(now->mask), t->id,
		t->id, a);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens when the buddy has no block: the rules of __alloc_pages_slowpath() in
 * mm/page_alloc.c as far as they decide success or failure here, where nothing can be reclaimed.
 */
#include <stdio.h>
#include <string.h>

#include <sim/ops.h>
#include <sim/report.h>

#include "objects.h"
#include "slab.h"

enum { DRAINED = 1, COMPACTED = 2 };

/* Free memory that is only kept for speed or for checks must never make a request fail. */
static bool drain(void)
{
	bool any = sim_quarantine_drain();

	return sim_slab_drain(sim_this_mm_cpu()) || any;
}

/*
 * How often the kernel compacts before it gives up. Up to the costly order it goes on while that
 * helps, unless __GFP_NORETRY stops it after the first time. Above, once, and with __GFP_NORETRY
 * only in pageblocks of its own mobility, where an unmovable request finds nothing to move;
 * __GFP_RETRY_MAYFAIL lifts the limit.
 */
static bool may_compact(unsigned int order, unsigned int gfp, bool compacted)
{
	bool costly = order > SIM_COSTLY_ORDER;

	if (gfp & SIM_GFP_NOFAIL)
		return true;
	if (!(gfp & SIM_GFP_BLOCK) || (costly && (gfp & SIM_GFP_NORETRY)))
		return false;
	if (gfp & SIM_GFP_NORETRY)
		return !compacted;
	return !costly || !compacted || (gfp & SIM_GFP_RETRY_MAYFAIL);
}

bool sim_slowpath(unsigned int order, unsigned int gfp, unsigned int *tries)
{
	if (!(*tries & DRAINED)) {
		*tries |= DRAINED;
		if (drain())
			return true;
	}
	if (!order || !may_compact(order, gfp, *tries & COMPACTED))
		return false;
	*tries |= COMPACTED;
	return sim_compact(order);
}

static void describe_gfp(unsigned int gfp, char *buf, size_t size)
{
	static const struct {
		unsigned int flag;
		const char *name;
	} names[] = {
		{ SIM_GFP_ZERO, "__GFP_ZERO" },
		{ SIM_GFP_NOWARN, "__GFP_NOWARN" },
		{ SIM_GFP_NORETRY, "__GFP_NORETRY" },
		{ SIM_GFP_RETRY_MAYFAIL, "__GFP_RETRY_MAYFAIL" },
		{ SIM_GFP_NOFAIL, "__GFP_NOFAIL" },
	};
	const char *base = gfp & SIM_GFP_BLOCK ? "GFP_KERNEL" : "GFP_NOWAIT";
	size_t len;

	if (gfp & SIM_GFP_ATOMIC)
		base = "GFP_ATOMIC";
	snprintf(buf, size, "%s%s", base, gfp & SIM_GFP_ACCOUNT ? "_ACCOUNT" : "");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		len = strlen(buf);
		if (gfp & names[i].flag)
			snprintf(buf + len, size - len, "|%s", names[i].name);
	}
}

/* The line that show_free_areas() prints for a zone. */
static void describe_free(char *buf, size_t size)
{
	size_t len = 0;

	for (unsigned int order = 0; order <= SIM_MAX_ORDER && len < size; order++)
		len += snprintf(buf + len, size - len, "%lu*%lukB ", sim_buddy_free_blocks(order),
				(SIM_PAGE_SIZE << order) >> 10);
	if (len < size)
		snprintf(buf + len, size - len, "= %lukB", sim_mm_free_pages() * 4);
}

void *sim_no_pages(const struct sim_request *rq, unsigned int order)
{
	char mode[160], free[320];

	if (order)
		sim_count(SIM_OP_HIGH_ORDER_FAIL, 1);
	if (rq->gfp & SIM_GFP_NOFAIL)
		sim_report(SIM_REPORT_BUG, rq->caller,
			   "Kernel panic - not syncing: Out of memory: __GFP_NOFAIL, order:%u",
			   order);
	if (rq->gfp & SIM_GFP_NOWARN)
		return NULL;
	describe_gfp(rq->gfp, mode, sizeof(mode));
	describe_free(free, sizeof(free));
	sim_report(SIM_REPORT_ALLOC, rq->caller,
		   "%s: page allocation failure: order:%u, mode:(%s), nodemask=(null)\nNode 0 "
		   "Normal: %s",
		   sim_self->comm, order, mode, free);
	return NULL;
}

void *sim_request_done(const struct sim_request *rq, void *p)
{
	if (p)
		return p;
	sim_count(SIM_OP_ALLOC_FAIL, 1);
	if (rq->injected)
		sim_count(SIM_OP_FAULT, 1);
	return NULL;
}

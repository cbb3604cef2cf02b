// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page blocks: alloc_pages, and kmalloc above the largest bucket.
 */
#include <sim/fault.h>
#include <sim/ops.h>
#include <sim/report.h>

#include "objects.h"

static uint32_t get_block(const struct sim_request *rq, unsigned int order,
			  enum sim_frame_type type)
{
	unsigned int tries = 0;
	uint32_t frame;

	do {
		frame = sim_buddy_alloc(order, SIM_UNMOVABLE, type, false);
	} while (frame == SIM_NO_FRAME && sim_slowpath(order, rq->gfp, &tries));
	return frame;
}

static void count_block(const struct sim_request *rq, unsigned int order)
{
	sim_count(SIM_OP_PAGE_ALLOC, 1);
	sim_count(SIM_OP_PAGE_ALLOC_PAGES, 1UL << order);
	if (rq->gfp & SIM_GFP_ACCOUNT)
		sim_count(SIM_OP_CHARGE, 1);
	if (rq->gfp & SIM_GFP_ZERO)
		sim_count(SIM_OP_ZERO_BYTES, SIM_PAGE_SIZE << order);
}

void *sim_try_large(struct sim_request *rq, unsigned int order, enum sim_frame_type type)
{
	size_t bytes = SIM_PAGE_SIZE << (order & 63);
	bool zero = rq->gfp & SIM_GFP_ZERO;
	uint32_t frame;
	void *p;

	if (order > SIM_MAX_ORDER) {
		/* mm/page_alloc.c: WARN_ON_ONCE_GFP(order > MAX_PAGE_ORDER, gfp) */
		if (!(rq->gfp & SIM_GFP_NOWARN))
			sim_report(SIM_REPORT_WARN, rq->caller,
				   "WARNING: page allocation of order %u, above the largest (%u)",
				   order, SIM_MAX_ORDER);
		return NULL;
	}
	if (sim_inject(rq, SIM_FAIL_PAGE_ALLOC, bytes, order))
		return NULL;
	frame = get_block(rq, order, type);
	if (frame == SIM_NO_FRAME)
		return sim_no_pages(rq, order);
	if (sim_inject_charge(rq, bytes)) {
		sim_buddy_free(frame, order);
		return NULL;
	}
	p = sim_frame_addr(frame);
	sim_ledger_alloc(sim_this_mm_cpu(), sim_frame_object(frame, 0), rq->size, bytes,
			 sim_account_flag(rq->gfp), rq->caller);
	count_block(rq, order);
	if (zero || sim_poison_wanted())
		sim_poison_alloc(p, rq->size, bytes, zero);
	return p;
}

void *sim_alloc_pages(unsigned int order, unsigned int gfp, const void *caller)
{
	struct sim_request rq = { .size = SIM_PAGE_SIZE << (order & 63),
				  .gfp = gfp,
				  .caller = caller };

	return sim_request_done(&rq, sim_try_large(&rq, order, SIM_FRAME_PAGES));
}

void sim_free_pages(void *addr, unsigned int order, const void *caller)
{
	struct sim_named_object o;
	bool known;

	if (!addr)
		return;
	known = sim_find_object(addr, &o);
	if (known && o.kind == SIM_FRAME_PAGES && sim_obj_state(o.obj) == SIM_OBJ_LIVE &&
	    o.bytes != SIM_PAGE_SIZE << (order & 63)) {
		sim_report_bad_free("invalid-free (free_pages with another order)", addr, caller,
				    &o);
		return;
	}
	if (!known || o.kind != SIM_FRAME_PAGES ||
	    !sim_ledger_free(sim_this_mm_cpu(), o.obj, o.bytes, caller)) {
		sim_report_bad_free(known && sim_obj_state(o.obj) != SIM_OBJ_LIVE ? "double-free"
										  : "invalid-free",
				    addr, caller, known ? &o : NULL);
		return;
	}
	sim_count(SIM_OP_PAGE_FREE, 1);
	sim_retire_object(&o);
}

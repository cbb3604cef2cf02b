// SPDX-License-Identifier: GPL-2.0-only
/*
 * vmalloc: single frames, mapped side by side. Areas are kept in the order of their addresses, each
 * with an unmapped guard page behind it; a new one takes the lowest gap that fits.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <sim/fault.h>
#include <sim/ops.h>
#include <sim/report.h>

#include "objects.h"

struct sim_area {
	uint32_t page; /* first page, counted from SIM_VMALLOC_START */
	uint32_t nr;   /* pages, without the guard */
	struct sim_object obj;
	size_t size;
	uint32_t *frames;
};

static struct sim_area **areas;
static uint32_t nr_areas, max_areas, top_page; /* above top_page nothing was ever mapped */
static pthread_mutex_t area_lock = PTHREAD_MUTEX_INITIALIZER;

static char *area_addr(const struct sim_area *a)
{
	return (char *)SIM_VMALLOC_START + ((size_t)a->page << SIM_PAGE_SHIFT);
}

bool sim_is_vmalloc_addr(const void *p)
{
	return (uintptr_t)p - SIM_VMALLOC_START < SIM_VMALLOC_SIZE;
}

static void unmap(void *p, size_t size)
{
	if (mmap(p, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		fprintf(stderr, "irqsim: cannot unmap a vmalloc area: %s\n", strerror(errno));
		abort();
	}
}

void sim_vmalloc_map_range(void)
{
	static bool done;

	if (!done)
		sim_reserve((void *)SIM_VMALLOC_START, SIM_VMALLOC_SIZE, PROT_NONE,
			    "the vmalloc area");
	done = true;
}

/* Index of the area that holds @p or, if none does, of the first one above it. */
static uint32_t lower_bound(const void *p, bool *inside)
{
	uint32_t page = ((uintptr_t)p - SIM_VMALLOC_START) >> SIM_PAGE_SHIFT;
	uint32_t lo = 0, hi = nr_areas;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (areas[mid]->page + areas[mid]->nr <= page)
			lo = mid + 1;
		else
			hi = mid;
	}
	*inside = lo < nr_areas && areas[lo]->page <= page;
	return lo;
}

/* Choose an address for @a and enter it. */
static bool area_insert(struct sim_area *a)
{
	uint32_t i, page = 0;

	for (i = 0; i < nr_areas; i++) {
		if (areas[i]->page - page > a->nr)
			break;
		page = areas[i]->page + areas[i]->nr + 1;
	}
	if (page + (size_t)a->nr + 1 > SIM_VMALLOC_SIZE >> SIM_PAGE_SHIFT)
		return false;
	if (nr_areas == max_areas) {
		uint32_t more = max_areas ? 2 * max_areas : 64;
		struct sim_area **bigger = realloc(areas, more * sizeof(*areas));

		if (!bigger)
			return false;
		areas = bigger;
		max_areas = more;
	}
	memmove(areas + i + 1, areas + i, (nr_areas - i) * sizeof(*areas));
	areas[i] = a;
	nr_areas++;
	a->page = page;
	if (page + a->nr > top_page)
		top_page = page + a->nr;
	return true;
}

static void area_remove(const struct sim_area *a)
{
	bool inside;
	uint32_t i = lower_bound(area_addr(a), &inside);

	nr_areas--;
	memmove(areas + i, areas + i + 1, (nr_areas - i) * sizeof(*areas));
}

static bool map_frames(const struct sim_area *a)
{
	uint32_t i = 0, run;
	char *p = area_addr(a);

	while (i < a->nr) {
		for (run = 1; i + run < a->nr && a->frames[i + run] == a->frames[i] + run; run++)
			;
		if (mmap(p + ((size_t)i << SIM_PAGE_SHIFT), (size_t)run << SIM_PAGE_SHIFT,
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, sim_ram_fd,
			 (off_t)a->frames[i] << SIM_PAGE_SHIFT) == MAP_FAILED)
			return false;
		i += run;
	}
	return true;
}

static void put_frames(const struct sim_area *a, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		sim_shadow_poison(sim_frame_addr(a->frames[i]), SIM_PAGE_SIZE);
		sim_buddy_free(a->frames[i], 0);
	}
}

static bool get_frames(struct sim_area *a, const struct sim_request *rq)
{
	unsigned int tries = 0;
	uint32_t i, frame;

	for (i = 0; i < a->nr; i++) {
		do {
			frame = sim_buddy_alloc(0, SIM_UNMOVABLE, SIM_FRAME_VMALLOC, false);
		} while (frame == SIM_NO_FRAME && sim_slowpath(0, rq->gfp, &tries));
		if (frame == SIM_NO_FRAME) {
			put_frames(a, i);
			return false;
		}
		sim_shadow_unpoison(sim_frame_addr(frame), SIM_PAGE_SIZE);
		a->frames[i] = frame;
	}
	return true;
}

static void area_free(struct sim_area *a)
{
	free(a->frames);
	free(a);
}

static struct sim_area *area_new(uint32_t nr)
{
	struct sim_area *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->nr = nr;
	a->frames = malloc(nr * sizeof(*a->frames));
	if (a->frames)
		return a;
	free(a);
	return NULL;
}

/* Enter and map an area that has its frames. */
static bool area_place(struct sim_area *a, const struct sim_request *rq)
{
	bool ok;

	pthread_mutex_lock(&area_lock);
	ok = area_insert(a);
	if (ok && !map_frames(a)) {
		sim_report(SIM_REPORT_UNSUPPORTED, rq->caller,
			   "vmalloc: the host cannot map %u scattered pages (vm.max_map_count?)",
			   a->nr);
		unmap(area_addr(a), (size_t)a->nr << SIM_PAGE_SHIFT);
		area_remove(a);
		ok = false;
	}
	pthread_mutex_unlock(&area_lock);
	return ok;
}

static void *vmalloc_error(const struct sim_request *rq, const char *why)
{
	if (!(rq->gfp & SIM_GFP_NOWARN))
		sim_report(SIM_REPORT_ALLOC, rq->caller, "%s: vmalloc error: size %zu, %s",
			   sim_self->comm, rq->size, why);
	return NULL;
}

/* Up to the frames and the mapping; NULL: failed and reported, or injected. */
static struct sim_area *area_make(struct sim_request *rq)
{
	uint32_t nr = (rq->size + SIM_PAGE_SIZE - 1) >> SIM_PAGE_SHIFT;
	struct sim_area *a;

	if (sim_inject(rq, SIM_FAIL_PAGE_ALLOC, SIM_PAGE_SIZE, 0))
		return NULL;
	a = area_new(nr);
	if (!a)
		return NULL;
	if (!get_frames(a, rq)) {
		vmalloc_error(rq, "failed to allocate pages");
	} else if (sim_inject_charge(rq, rq->size) || !area_place(a, rq)) {
		put_frames(a, nr);
	} else {
		return a;
	}
	area_free(a);
	return NULL;
}

void *sim_try_vmalloc(struct sim_request *rq)
{
	bool zero = rq->gfp & SIM_GFP_ZERO;
	struct sim_area *a;
	size_t bytes;

	if (!rq->size || rq->size > sim_mm_total_pages() << SIM_PAGE_SHIFT)
		return vmalloc_error(rq, "exceeds total pages");
	a = area_make(rq);
	if (!a)
		return NULL;
	a->size = rq->size;
	bytes = (size_t)a->nr << SIM_PAGE_SHIFT;
	sim_ledger_alloc(sim_this_mm_cpu(), &a->obj, rq->size, bytes, sim_account_flag(rq->gfp),
			 rq->caller);
	sim_count(SIM_OP_VMALLOC, 1);
	sim_count(SIM_OP_VMALLOC_PAGES, a->nr);
	if (rq->gfp & SIM_GFP_ACCOUNT)
		sim_count(SIM_OP_CHARGE, a->nr);
	if (zero)
		sim_count(SIM_OP_ZERO_BYTES, bytes);
	sim_shadow_poison(area_addr(a), bytes + SIM_PAGE_SIZE);
	if (zero || sim_poison_wanted())
		sim_poison_alloc(area_addr(a), rq->size, bytes, zero);
	return area_addr(a);
}

void *sim_vmalloc(size_t size, unsigned int gfp, const void *caller)
{
	struct sim_request rq = { .size = size, .gfp = gfp, .caller = caller };

	return sim_request_done(&rq, sim_try_vmalloc(&rq));
}

static void name_area(struct sim_area *a, struct sim_named_object *o)
{
	*o = (struct sim_named_object){ .start = area_addr(a),
					.obj = &a->obj,
					.size = a->size,
					.bytes = (size_t)a->nr << SIM_PAGE_SHIFT,
					.kind = SIM_FRAME_VMALLOC };
}

bool sim_find_area(const void *p, struct sim_named_object *o)
{
	bool inside;
	uint32_t i;

	pthread_mutex_lock(&area_lock);
	i = lower_bound(p, &inside);
	if (inside)
		name_area(areas[i], o);
	pthread_mutex_unlock(&area_lock);
	return inside;
}

void sim_release_area(const void *p)
{
	struct sim_area *a;
	bool inside;

	pthread_mutex_lock(&area_lock);
	a = areas[lower_bound(p, &inside)];
	unmap(area_addr(a), (size_t)a->nr << SIM_PAGE_SHIFT);
	area_remove(a);
	pthread_mutex_unlock(&area_lock);
	put_frames(a, a->nr);
	area_free(a);
}

void sim_vfree(const void *p, const void *caller)
{
	struct sim_named_object o;

	if (!p)
		return;
	if (!sim_is_vmalloc_addr(p) || !sim_find_area(p, &o) || o.start != p) {
		sim_report(SIM_REPORT_WARN, caller,
			   "WARNING: Trying to vfree() nonexistent vm area (%p)", p);
		return;
	}
	if (!sim_ledger_free(sim_this_mm_cpu(), o.obj, o.bytes, caller)) {
		sim_report_bad_free("double-free", p, caller, &o);
		return;
	}
	sim_count(SIM_OP_VFREE, 1);
	sim_count(SIM_OP_VFREE_PAGES, o.bytes >> SIM_PAGE_SHIFT);
	sim_retire_object(&o);
}

void sim_for_each_area(sim_object_visitor *visit, void *arg)
{
	struct sim_named_object o;

	for (uint32_t i = 0; i < nr_areas; i++) {
		name_area(areas[i], &o);
		visit(arg, &o);
	}
}

void sim_vmalloc_reset(void)
{
	for (uint32_t i = 0; i < nr_areas; i++)
		area_free(areas[i]);
	nr_areas = 0;
	if (top_page)
		unmap((void *)SIM_VMALLOC_START, (size_t)top_page << SIM_PAGE_SHIFT);
	top_page = 0;
}

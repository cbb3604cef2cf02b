// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmalloc, the caches and kfree: slab objects from the magazines, page blocks above the largest
 * bucket, with fault points, charges and records.
 */
#include <limits.h>

#include <sim/fault.h>
#include <sim/ops.h>
#include <sim/report.h>

#include "../fault/point.h"
#include "objects.h"
#include "slab.h"

bool sim_inject(struct sim_request *rq, int kind, size_t size, unsigned int order)
{
	rq->injected = sim_should_fail(kind, size, order, rq->gfp);
	return rq->injected;
}

bool sim_inject_charge(struct sim_request *rq, size_t size)
{
	return (rq->gfp & SIM_GFP_ACCOUNT) && sim_inject(rq, SIM_FAILCHARGE, size, 0);
}

static inline size_t slab_bytes(const struct sim_object *obj, const struct sim_frame *f)
{
	return sim_unlikely(obj->info & SIM_OBJ_CACHE) ? sim_obj_size(obj) : f->stride;
}

static void __attribute__((noinline)) verify_reused(void *p, struct sim_object *obj, size_t bytes)
{
	struct sim_named_object o = { .start = p,
				      .obj = obj,
				      .size = sim_obj_size(obj),
				      .bytes = bytes,
				      .kind = SIM_FRAME_SLAB };

	sim_poison_verify(&o);
}

/* @p is ours: enter it in the books. @flags: SIM_OBJ_CACHE or 0 */
static inline __attribute__((always_inline)) void *slab_enter(struct sim_mm_cpu *cpu,
							      unsigned int class, void *p,
							      size_t size, unsigned int gfp,
							      const void *caller, uint32_t flags)
{
	struct sim_object *obj = sim_slab_object(p, &sim_frames[sim_frame_of(p)]);
	size_t stride = sim_class_size[class], bytes = flags & SIM_OBJ_CACHE ? size : stride;
	uint64_t *counts = sim_counts.n[sim_self->section];

	if (sim_unlikely(obj->info & SIM_OBJ_POISONED))
		verify_reused(p, obj, stride);
	sim_ledger_alloc(cpu, obj, size, bytes, flags | sim_account_flag(gfp), caller);
	counts[SIM_OP_KMALLOC]++;
	if (gfp & SIM_GFP_ACCOUNT)
		counts[SIM_OP_CHARGE]++;
	if (gfp & SIM_GFP_ZERO)
		counts[SIM_OP_ZERO_BYTES] += bytes;
	if ((gfp & SIM_GFP_ZERO) || sim_poison_wanted())
		sim_poison_alloc(p, size, stride, gfp & SIM_GFP_ZERO);
	return p;
}

/* The whole way: faults, an empty magazine, memory that is short. */
static void *__attribute__((noinline))
slab_alloc(struct sim_request *rq, unsigned int class, uint32_t flags)
{
	size_t bytes = flags & SIM_OBJ_CACHE ? rq->size : sim_class_size[class];
	unsigned int order = sim_get_order(sim_class_size[class]), tries = 0;
	struct sim_mm_cpu *cpu = sim_this_mm_cpu();
	void *p;

	if (sim_inject(rq, SIM_FAILSLAB, bytes, 0))
		return NULL;
	do {
		p = sim_slab_take(cpu, class);
	} while (!p && sim_slowpath(order, rq->gfp, &tries));
	if (!p)
		return sim_no_pages(rq, order);
	if (sim_inject_charge(rq, bytes)) {
		sim_slab_give(cpu, class, p);
		return NULL;
	}
	return slab_enter(cpu, class, p, rq->size, rq->gfp, rq->caller, flags);
}

void *sim_try_kmalloc(struct sim_request *rq)
{
	if (!rq->size)
		return SIM_ZERO_SIZE_PTR;
	if (rq->size > SIM_KMALLOC_MAX_CACHE)
		return sim_try_large(rq, sim_get_order(rq->size), SIM_FRAME_LARGE);
	return slab_alloc(rq, sim_kmalloc_class(rq->size), 0);
}

static void *__attribute__((noinline))
kmalloc_slowly(size_t size, unsigned int gfp, const void *caller)
{
	struct sim_request rq = { .size = size, .gfp = gfp, .caller = caller };

	return sim_request_done(&rq, sim_try_kmalloc(&rq));
}

void *sim_kmalloc(size_t size, unsigned int gfp, const void *caller)
{
	struct sim_task *self = sim_self;
	struct sim_magazine *m;
	struct sim_mm_cpu *cpu;
	unsigned int class;

	if (sim_unlikely(size - 1 >= SIM_KMALLOC_MAX_CACHE || !sim_fault_idle(self)))
		return kmalloc_slowly(size, gfp, caller);
	class = sim_kmalloc_class(size);
	cpu = sim_this_mm_cpu();
	m = &cpu->magazines[class];
	if (sim_unlikely(!m->nr))
		return kmalloc_slowly(size, gfp, caller);
	self->fault_points += gfp & SIM_GFP_ACCOUNT ? 2 : 1;
	return slab_enter(cpu, class, m->slots[--m->nr], size, gfp, caller, 0);
}

void *sim_cache_alloc(size_t size, size_t align, unsigned int gfp, const void *caller)
{
	struct sim_request rq = { .gfp = gfp, .caller = caller };
	void *p;

	if (align < sizeof(void *))
		align = sizeof(void *);
	/* A cache's objects follow each other at multiples of its alignment. */
	rq.size = size ? (size + align - 1) & -align : align;
	if (rq.size > SIM_SLAB_MAX || align > SIM_PAGE_SIZE)
		p = sim_try_large(&rq, sim_get_order(rq.size > align ? rq.size : align),
				  SIM_FRAME_LARGE);
	else
		p = slab_alloc(&rq, sim_size_class(rq.size, align), SIM_OBJ_CACHE);
	return sim_request_done(&rq, p);
}

size_t sim_kmalloc_size_roundup(size_t size)
{
	if (!size)
		return 0;
	if (size <= SIM_KMALLOC_MAX_CACHE)
		return sim_class_size[sim_kmalloc_class(size)];
	if (size <= SIM_PAGE_SIZE << SIM_MAX_ORDER)
		return SIM_PAGE_SIZE << sim_get_order(size);
	return size;
}

bool sim_find_object(const void *p, struct sim_named_object *o)
{
	struct sim_frame *f;

	if (!sim_in_ram(p))
		return false;
	f = &sim_frames[sim_frame_of(p)];
	*o = (struct sim_named_object){ .start = p, .kind = f->type };
	/* A free frame still has the records of what was there. */
	if (f->type == SIM_FRAME_SLAB ||
	    (f->type == SIM_FRAME_FREE && f->recorded && f->class != SIM_NO_CLASS)) {
		o->obj = sim_slab_object(p, f);
		o->kind = SIM_FRAME_SLAB;
	} else if (f->recorded && !((uintptr_t)p & (SIM_PAGE_SIZE - 1)) &&
		   (f->type == SIM_FRAME_LARGE || f->type == SIM_FRAME_PAGES ||
		    f->type == SIM_FRAME_FREE)) {
		o->obj = sim_frame_object(sim_frame_of(p), 0);
	}
	if (!o->obj || sim_obj_state(o->obj) == SIM_OBJ_NONE)
		return false;
	o->size = sim_obj_size(o->obj);
	o->bytes = o->kind == SIM_FRAME_SLAB ? f->stride : SIM_PAGE_SIZE << f->order;
	if (f->type == SIM_FRAME_FREE)
		o->bytes = (o->size + SIM_PAGE_SIZE - 1) & -SIM_PAGE_SIZE;
	return true;
}

bool sim_find_around(const void *p, struct sim_named_object *o)
{
	const struct sim_frame *f;
	uint32_t frame;
	uintptr_t off;

	if (!sim_in_ram(p))
		return false;
	frame = sim_frame_of(p);
	if (sim_frames[frame].type == SIM_FRAME_TAIL)
		frame = sim_frames[frame].owner;
	f = &sim_frames[frame];
	off = (uintptr_t)p - (uintptr_t)sim_frame_addr(frame);
	if (f->type == SIM_FRAME_SLAB && f->class != SIM_NO_CLASS && f->stride < SIM_PAGE_SIZE)
		off -= off % f->stride;
	else
		off = 0;
	return sim_find_object((char *)sim_frame_addr(frame) + off, o);
}

/* Nothing of ours that is live, or not this call's to free. */
static void __attribute__((noinline)) report_kfree(const void *p, const void *caller)
{
	struct sim_named_object o;

	if (sim_is_vmalloc_addr(p)) {
		bool known = sim_find_area(p, &o);

		sim_report_bad_free("invalid-free (kfree of a vmalloc address)", p, caller,
				    known ? &o : NULL);
	} else if (!sim_find_object(p, &o)) {
		sim_report_bad_free("invalid-free", p, caller, NULL);
	} else if (sim_obj_state(o.obj) == SIM_OBJ_LIVE) {
		sim_report_bad_free("invalid-free (kfree of an alloc_pages block)", p, caller, &o);
	} else {
		sim_report_bad_free("double-free", p, caller, &o);
	}
}

void sim_release_object(const struct sim_named_object *o)
{
	uint32_t frame;

	if (o->kind == SIM_FRAME_VMALLOC) {
		sim_release_area(o->start);
		return;
	}
	frame = sim_frame_of(o->start);
	sim_obj_set_state(o->obj, SIM_OBJ_FREED);
	if (o->kind == SIM_FRAME_SLAB)
		sim_slab_give(sim_this_mm_cpu(), sim_frames[frame].class, o->start);
	else
		sim_buddy_free(frame, sim_frames[frame].order);
}

void sim_retire_object(const struct sim_named_object *o)
{
	if (sim_poison_wanted())
		sim_poison_free(o);
	if (sim_checks & SIM_MM_POISON)
		o->obj->info |= SIM_OBJ_POISONED;
	if (sim_checks & SIM_MM_QUARANTINE)
		sim_quarantine_put(o);
	else
		sim_release_object(o);
}

static void __attribute__((noinline))
retire_slab(const void *p, struct sim_object *obj, size_t stride)
{
	struct sim_named_object o = { .start = p,
				      .obj = obj,
				      .size = sim_obj_size(obj),
				      .bytes = stride,
				      .kind = SIM_FRAME_SLAB };

	sim_retire_object(&o);
}

static bool free_large(struct sim_mm_cpu *cpu, const void *p, struct sim_frame *f,
		       const void *caller)
{
	struct sim_named_object o = { .start = p,
				      .obj = sim_frame_object(f - sim_frames, 0),
				      .bytes = SIM_PAGE_SIZE << f->order,
				      .kind = f->type };

	if ((uintptr_t)p & (SIM_PAGE_SIZE - 1) || !sim_ledger_free(cpu, o.obj, o.bytes, caller))
		return false;
	o.size = sim_obj_size(o.obj);
	sim_count(SIM_OP_PAGE_FREE, 1);
	sim_retire_object(&o);
	return true;
}

void sim_kfree(const void *p, const void *caller)
{
	struct sim_mm_cpu *cpu;
	struct sim_object *obj;
	struct sim_frame *f;

	if (sim_unlikely((uintptr_t)p <= (uintptr_t)SIM_ZERO_SIZE_PTR))
		return;
	if (sim_unlikely(!sim_in_ram(p))) {
		report_kfree(p, caller);
		return;
	}
	cpu = sim_this_mm_cpu();
	f = &sim_frames[sim_frame_of(p)];
	if (sim_unlikely(f->type != SIM_FRAME_SLAB)) {
		if (f->type != SIM_FRAME_LARGE || !free_large(cpu, p, f, caller))
			report_kfree(p, caller);
		return;
	}
	obj = sim_slab_object(p, f);
	if (sim_unlikely(!obj || !sim_ledger_free(cpu, obj, slab_bytes(obj, f), caller))) {
		report_kfree(p, caller);
		return;
	}
	sim_count(SIM_OP_KFREE, 1);
	if (sim_poison_wanted() || (sim_checks & SIM_MM_QUARANTINE))
		retire_slab(p, obj, f->stride);
	else
		sim_slab_give(cpu, f->class, p);
}

size_t sim_ksize(const void *p)
{
	struct sim_named_object o;

	if ((uintptr_t)p <= (uintptr_t)SIM_ZERO_SIZE_PTR)
		return 0;
	if (!sim_find_object(p, &o) || sim_obj_state(o.obj) != SIM_OBJ_LIVE) {
		sim_report(SIM_REPORT_WARN, __builtin_return_address(0),
			   "WARNING: ksize() of %p, which is no live object", p);
		return 0;
	}
	return o.obj->info & SIM_OBJ_CACHE ? o.size : o.bytes;
}

static void warn_crazy_size(const struct sim_request *rq)
{
	if (!(rq->gfp & SIM_GFP_NOWARN))
		sim_report(SIM_REPORT_WARN, rq->caller,
			   "WARNING: kvmalloc of %zu bytes, more than INT_MAX", rq->size);
}

/* mm/util.c: kvmalloc_node, with the flags of its first attempt */
void *sim_kvmalloc(size_t size, unsigned int gfp, const void *caller)
{
	struct sim_request rq = { .size = size, .caller = caller };
	void *p;

	/* Up to a page there is nothing to fall back from. */
	if (size <= SIM_PAGE_SIZE)
		return sim_kmalloc(size, gfp, caller);

	rq.gfp = (gfp | SIM_GFP_NOWARN) & ~SIM_GFP_NOFAIL;
	if (!(gfp & SIM_GFP_RETRY_MAYFAIL))
		rq.gfp |= SIM_GFP_NORETRY;
	p = sim_try_kmalloc(&rq);
	if (p || !(gfp & SIM_GFP_BLOCK))
		return sim_request_done(&rq, p);
	rq = (struct sim_request){ .size = size, .gfp = gfp, .caller = caller };
	if (size > INT_MAX) {
		warn_crazy_size(&rq);
		return sim_request_done(&rq, NULL);
	}
	sim_count(SIM_OP_VMALLOC_FALLBACK, 1);
	return sim_request_done(&rq, sim_try_vmalloc(&rq));
}

void sim_kvfree(const void *p, const void *caller)
{
	if (sim_is_vmalloc_addr(p))
		sim_vfree(p, caller);
	else
		sim_kfree(p, caller);
}

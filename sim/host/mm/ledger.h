/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of each object: a record beside the frames for slab objects and page blocks (the
 * first frame's first record), inside struct sim_area for vmalloc. Always written; that it costs
 * little is why one record is 16 bytes. Code addresses fit 32 bits, the executables are non-PIE.
 */
#ifndef SIM_MM_LEDGER_H
#define SIM_MM_LEDGER_H

#include <stddef.h>

#include <sim/ops.h>

#include "frames.h"

enum sim_object_state {
	SIM_OBJ_NONE,
	SIM_OBJ_LIVE,
	SIM_OBJ_FREED,
	SIM_OBJ_QUARANTINE, /* freed, memory held back */
};

/*
 * @info: requested size in the low 27 bits, then the section, then three flags.
 * @state: enum sim_object_state in the low byte, then 12 bits each of the pids that allocated and
 * freed.
 */
struct sim_object {
	uint32_t caller;
	uint32_t freed_by;
	uint32_t info;
	uint32_t state;
};

#define SIM_OBJ_SIZE_MASK     ((1U << 27) - 1)
#define SIM_OBJ_SECTION_SHIFT 27
#define SIM_OBJ_POISONED      (1U << 29) /* freed and filled with 0x6b */
#define SIM_OBJ_CACHE	      (1U << 30) /* from a cache of its own, not a kmalloc bucket */
#define SIM_OBJ_ACCOUNT	      (1U << 31)

static inline enum sim_object_state sim_obj_state(const struct sim_object *obj)
{
	return obj->state & 0xff;
}

static inline void sim_obj_set_state(struct sim_object *obj, enum sim_object_state state)
{
	obj->state = (obj->state & ~0xffU) | state;
}

static inline size_t sim_obj_size(const struct sim_object *obj)
{
	return obj->info & SIM_OBJ_SIZE_MASK;
}

static inline unsigned int sim_obj_section(const struct sim_object *obj)
{
	return obj->info >> SIM_OBJ_SECTION_SHIFT & 3;
}

static inline unsigned int sim_obj_pid(const struct sim_object *obj)
{
	return obj->state >> 8 & 0xfff;
}

static inline unsigned int sim_obj_free_pid(const struct sim_object *obj)
{
	return obj->state >> 20;
}

extern struct sim_object *sim_objects; /* SIM_OBJS_PER_FRAME for each frame */
extern unsigned int sim_checks;

/*
 * The record of the @i-th object of a frame. Rotated by the frame number, or the first records of
 * all frames would share a few lines of the processor's cache.
 */
static inline struct sim_object *sim_frame_object(uint32_t frame, uint32_t i)
{
	i = (i + 64 * frame) % SIM_OBJS_PER_FRAME;
	return &sim_objects[(size_t)frame * SIM_OBJS_PER_FRAME + i];
}

/* Free objects of one size class that this CPU may hand out again at once. */
struct sim_magazine {
	void **slots;
	uint32_t nr, max;
};

#define SIM_NR_CLASSES 40

/* Of one simulated CPU; only its task touches it, others read the counters. */
struct sim_mm_cpu {
	int64_t live_objects, live_bytes;
	int64_t routing_objects, routing_bytes;
	int64_t routing_peak;
	int used; /* on the list below */
	struct sim_magazine magazines[SIM_NR_CLASSES];
} __attribute__((aligned(1024))); /* a power of two is indexed by a shift */

extern struct sim_mm_cpu sim_mm_cpus[SIM_NR_CPUS];
extern struct sim_mm_cpu *sim_mm_used_cpus[SIM_NR_CPUS];
extern int sim_nr_used_cpus;

void sim_mm_cpu_first_use(struct sim_mm_cpu *cpu);

static inline struct sim_mm_cpu *sim_this_mm_cpu(void)
{
	struct sim_mm_cpu *cpu = &sim_mm_cpus[sim_self->cpu];

	if (sim_unlikely(!cpu->used))
		sim_mm_cpu_first_use(cpu);
	return cpu;
}

static inline void sim_add(int64_t *counter, int64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

int64_t sim_routing_bytes(void); /* over all CPUs */

static inline uint32_t sim_account_flag(unsigned int gfp)
{
	return gfp & SIM_GFP_ACCOUNT ? SIM_OBJ_ACCOUNT : 0;
}

static inline uint32_t sim_ledger_site(const void *caller)
{
	return sim_checks & SIM_MM_LEDGER ? (uint32_t)(uintptr_t)caller : 0;
}

/* An object came to life: fill @obj (@flags: SIM_OBJ_...), count @bytes that it occupies. */
static inline void sim_ledger_alloc(struct sim_mm_cpu *cpu, struct sim_object *obj, size_t size,
				    size_t bytes, uint32_t flags, const void *caller)
{
	const struct sim_task *self = sim_self;
	uint32_t section = self->section;
	int64_t now;

	obj->caller = sim_ledger_site(caller);
	obj->info = (size & SIM_OBJ_SIZE_MASK) | section << SIM_OBJ_SECTION_SHIFT | flags;
	obj->state = SIM_OBJ_LIVE | ((uint32_t)self->pid & 0xfff) << 8;
	sim_add(&cpu->live_objects, 1);
	sim_add(&cpu->live_bytes, bytes);
	if (section != SIM_SECTION_ROUTING)
		return;
	sim_add(&cpu->routing_objects, 1);
	sim_add(&cpu->routing_bytes, bytes);
	now = sim_nr_used_cpus == 1 ? cpu->routing_bytes : sim_routing_bytes();
	if (now > cpu->routing_peak)
		__atomic_store_n(&cpu->routing_peak, now, __ATOMIC_RELAXED);
}

/*
 * Take a live object out of the books. False, with nothing changed, if it was not live: with more
 * than one CPU at work two of them may free it at the same time.
 */
static inline bool sim_ledger_free(struct sim_mm_cpu *cpu, struct sim_object *obj, size_t bytes,
				   const void *caller)
{
	uint32_t old = obj->state, new = (old & 0xfff00) | SIM_OBJ_FREED;

	if (sim_unlikely((old & 0xff) != SIM_OBJ_LIVE))
		return false;
	new |= (uint32_t)sim_self->pid << 20;
	if (sim_likely(sim_nr_used_cpus == 1))
		obj->state = new;
	else if (!__atomic_compare_exchange_n(&obj->state, &old, new, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED))
		return false;
	obj->freed_by = sim_ledger_site(caller);
	sim_add(&cpu->live_objects, -1);
	sim_add(&cpu->live_bytes, -(int64_t)bytes);
	if (sim_obj_section(obj) == SIM_SECTION_ROUTING) {
		sim_add(&cpu->routing_objects, -1);
		sim_add(&cpu->routing_bytes, -(int64_t)bytes);
	}
	return true;
}

void sim_ledger_reset(void);
void sim_site_symbol(const void *caller, char *buf, size_t size);

#endif

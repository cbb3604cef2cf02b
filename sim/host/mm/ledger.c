// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals over the CPUs, and the leak report.
 */
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "objects.h"
#include "slab.h"

struct sim_object *sim_objects;
unsigned int sim_checks = SIM_MM_CHECKS_ALL;
struct sim_mm_cpu sim_mm_cpus[SIM_NR_CPUS];
struct sim_mm_cpu *sim_mm_used_cpus[SIM_NR_CPUS];
int sim_nr_used_cpus;

void sim_mm_set_checks(unsigned int checks)
{
	sim_checks = checks;
}

unsigned int sim_mm_checks(void)
{
	return sim_checks;
}

void sim_mm_cpu_first_use(struct sim_mm_cpu *cpu)
{
	pthread_mutex_lock(&sim_mm_lock);
	cpu->used = 1;
	sim_mm_used_cpus[sim_nr_used_cpus] = cpu;
	__atomic_store_n(&sim_nr_used_cpus, sim_nr_used_cpus + 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&sim_mm_lock);
}

static int64_t get(const int64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

int64_t sim_routing_bytes(void)
{
	int64_t sum = 0;

	for (int i = 0; i < sim_nr_used_cpus; i++)
		sum += get(&sim_mm_used_cpus[i]->routing_bytes);
	return sum;
}

void sim_mm_stats(struct sim_mm_stats *out)
{
	memset(out, 0, sizeof(*out));
	for (int i = 0; i < sim_nr_used_cpus; i++) {
		const struct sim_mm_cpu *cpu = sim_mm_used_cpus[i];
		uint64_t peak = get(&cpu->routing_peak);

		out->live_objects += get(&cpu->live_objects);
		out->live_bytes += get(&cpu->live_bytes);
		out->routing_live_objects += get(&cpu->routing_objects);
		out->routing_live_bytes += get(&cpu->routing_bytes);
		if (peak > out->routing_peak_bytes)
			out->routing_peak_bytes = peak;
	}
}

void sim_mm_peak_reset(void)
{
	int64_t now = sim_routing_bytes();

	for (int i = 0; i < sim_nr_used_cpus; i++)
		__atomic_store_n(&sim_mm_used_cpus[i]->routing_peak, now, __ATOMIC_RELAXED);
}

void sim_ledger_reset(void)
{
	for (int i = 0; i < sim_nr_used_cpus; i++) {
		struct sim_mm_cpu *cpu = sim_mm_used_cpus[i];

		cpu->live_objects = cpu->live_bytes = 0;
		cpu->routing_objects = cpu->routing_bytes = cpu->routing_peak = 0;
		cpu->used = 0;
	}
	sim_nr_used_cpus = 0;
}

void sim_site_symbol(const void *caller, char *buf, size_t size)
{
	/* A call site is kept as its return address, which may belong to the next line. */
	sim_symbol((const char *)caller - 1, buf, size);
}

/* ---- the leak report ---- */

struct site {
	uint32_t caller;
	uint64_t objects, bytes;
};

struct sites {
	struct site *site;
	size_t nr, max;
	uint64_t objects;
};

static void note(void *arg, const struct sim_named_object *o)
{
	struct sites *s = arg;
	size_t i;

	if (sim_obj_state(o->obj) != SIM_OBJ_LIVE)
		return;
	s->objects++;
	for (i = 0; i < s->nr && s->site[i].caller != o->obj->caller; i++)
		;
	if (i == s->nr) {
		if (s->nr == s->max) {
			size_t more = s->max ? 2 * s->max : 64;
			struct site *bigger = realloc(s->site, more * sizeof(*bigger));

			if (!bigger)
				return;
			s->site = bigger;
			s->max = more;
		}
		s->site[s->nr++] = (struct site){ .caller = o->obj->caller };
	}
	s->site[i].objects++;
	s->site[i].bytes += o->bytes;
}

static void note_slab(struct sites *s, uint32_t frame)
{
	const struct sim_frame *f = &sim_frames[frame];
	unsigned int n = f->stride < SIM_PAGE_SIZE ? SIM_PAGE_SIZE / f->stride : 1;

	for (unsigned int i = 0; i < n; i++) {
		struct sim_named_object o = { .obj = sim_frame_object(frame, i) };

		o.bytes = o.obj->info & SIM_OBJ_CACHE ? sim_obj_size(o.obj) : f->stride;
		note(s, &o);
	}
}

static void note_all(struct sites *s)
{
	for (uint32_t frame = 0; frame < sim_nr_frames; frame++) {
		const struct sim_frame *f = &sim_frames[frame];

		if (f->type == SIM_FRAME_SLAB && f->class != SIM_NO_CLASS) {
			note_slab(s, frame);
		} else if (f->type == SIM_FRAME_LARGE || f->type == SIM_FRAME_PAGES) {
			struct sim_named_object o = { .obj = sim_frame_object(frame, 0),
						      .bytes = SIM_PAGE_SIZE << f->order };

			note(s, &o);
		}
	}
	sim_for_each_area(note, s);
}

static int by_bytes(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->caller > y->caller) - (x->caller < y->caller);
}

uint64_t sim_mm_leak_report(FILE *out)
{
	struct sites s = { .nr = 0 };
	char sym[256];

	sim_mm_check();
	note_all(&s);
	if (s.nr)
		qsort(s.site, s.nr, sizeof(*s.site), by_bytes);
	for (size_t i = 0; out && i < s.nr; i++) {
		snprintf(sym, sizeof(sym), "unknown site (the ledger is off)");
		if (s.site[i].caller)
			sim_site_symbol((void *)(uintptr_t)s.site[i].caller, sym, sizeof(sym));
		fprintf(out, "unreferenced: %llu bytes in %llu objects from %s\n",
			(unsigned long long)s.site[i].bytes, (unsigned long long)s.site[i].objects,
			sym);
	}
	free(s.site);
	return s.objects;
}

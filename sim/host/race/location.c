// SPDX-License-Identifier: GPL-2.0-only
/*
 * What reports call an address: a field of an object, a variable, never a number alone. Heap
 * addresses are the same in every run and with every compiler; the others are not printed.
 */
#include <stdio.h>
#include <string.h>

#include <sim/report.h>

#include "../sched/percpu.h"
#include "shadow.h"

static void *code(uint32_t pc)
{
	return (void *)(uintptr_t)pc;
}

static void heap_name(const struct heap_object *o, uintptr_t addr, uint64_t size, char *buf,
		      size_t n)
{
	uint64_t offset = addr - o->addr;

	*buf = 0;
	if (offset < o->size)
		sim_field(code(o->alloc_pc), o->size, offset, size, buf, n);
	if (!*buf)
		snprintf(buf, n, "offset %lu of object of %lu bytes", offset, o->size);
}

static void per_cpu_name(int cpu, uintptr_t in_template, uint64_t size, uint32_t pc, char *buf,
			 size_t n)
{
	char name[128];

	sim_variable((const void *)in_template, size, code(pc), name, sizeof(name));
	snprintf(buf, n, "%s of cpu %d", *name ? name : "a per-CPU variable", cpu);
}

static void stack_name(uintptr_t addr, uint64_t size, char *buf, size_t n)
{
	const struct det_task *t = &det.tasks[(addr - DET_STACKS) / (2 * DET_STACK_SIZE)];
	struct sim_stack at;
	char name[128] = "";

	if (t != det.cur && !t->done)
		at = det_fiber_stack(t);
	if (t == det.cur || !t->done)
		sim_stack_variable(t == det.cur ? NULL : &at, (const void *)addr, size, name,
				   sizeof(name));
	if (*name)
		snprintf(buf, n, "%s", name);
	else
		snprintf(buf, n, "the stack of %s", t->sim.comm);
}

void location_name(uintptr_t addr, uint64_t size, uint32_t pc, char *buf, size_t n)
{
	const struct heap_object *o = heap_object_at(addr);
	uintptr_t in_template;
	int cpu;

	if (o) {
		heap_name(o, addr, size, buf, n);
	} else if (percpu_holds(addr, &cpu, &in_template)) {
		per_cpu_name(cpu, in_template, size, pc, buf, n);
	} else if (shadow_is_static(addr)) {
		sim_variable((const void *)addr, size, code(pc), buf, n);
		if (!*buf)
			snprintf(buf, n, "a static variable");
	} else if (addr - DET_STACKS < STACKS_SIZE) {
		stack_name(addr, size, buf, n);
	} else {
		snprintf(buf, n, "%s", heap_holds(addr) ? "no object" : "memory of the host");
	}
}

void location_line(uintptr_t addr, uint64_t size, uint32_t pc, char *buf, size_t n)
{
	char name[192];

	location_name(addr, size, pc, name, sizeof(name));
	if (heap_object_at(addr))
		snprintf(buf, n, "0x%lx (%s)", addr, name);
	else
		snprintf(buf, n, "%s", name);
}

void heap_describe(uintptr_t addr, char *buf, size_t size)
{
	const struct heap_object *o = heap_object_at(addr);
	char name[192], site[200];

	location_name(addr, 0, 0, name, sizeof(name));
	if (!o) {
		snprintf(buf, size, "%s", name);
		return;
	}
	sim_symbol((const char *)code(o->alloc_pc) - 1, site, sizeof(site));
	if (strncmp(name, "offset ", 7))
		snprintf(buf, size, "%s of object allocated at %s", name, site);
	else
		snprintf(buf, size, "%s allocated at %s", name, site);
}

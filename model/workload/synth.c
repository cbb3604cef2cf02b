// SPDX-License-Identifier: GPL-2.0-only
#include "synth.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

#define MAX_ROUTES     4096	    /* KVM_MAX_IRQ_ROUTES of arch/x86/include/asm/kvm_host.h */
#define NR_PINS	       24	    /* of the 82093AA I/O APIC */
#define MAX_BYTES      (1ull << 30) /* all tables together (assumed) */

/*
 * Intel SDM volume 3, "Message Address Register Format" and "Message Data Register Format": the
 * destination is in bits 19 to 12 of the address, the vector in bits 7 to 0 of the data.
 */
#define MSI_ADDRESS    0xfee00000u
#define MSI_DEST_SHIFT 12
/* Linux hands external vectors out from 0x20 to below 0xec (arch/x86/include/asm/irq_vectors.h). */
#define VECTOR_FIRST   0x20
#define NR_VECTORS     (0xec - VECTOR_FIRST)
#define NR_DESTS       255 /* 8-bit APIC ids without the broadcast */

struct random {
	uint64_t state;
};

/* splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Below @bound. The bias is under 2^-32 * @bound. */
static uint32_t random_below(struct random *r, uint32_t bound)
{
	return ((random_next(r) >> 32) * bound) >> 32;
}

static void aim(struct kvm_irq_routing_entry *entry, uint32_t dest, uint32_t vector)
{
	entry->u.msi.address_lo = MSI_ADDRESS | dest << MSI_DEST_SHIFT;
	entry->u.msi.data = vector;
}

/* Another CPU and another vector. */
static void move_entry(struct kvm_irq_routing_entry *entry, struct random *r)
{
	uint32_t dest = (entry->u.msi.address_lo - MSI_ADDRESS) >> MSI_DEST_SHIFT;
	uint32_t vector = entry->u.msi.data - VECTOR_FIRST;

	dest = (dest + 1 + random_below(r, NR_DESTS - 1)) % NR_DESTS;
	vector = (vector + 1 + random_below(r, NR_VECTORS - 1)) % NR_VECTORS;
	aim(entry, dest, VECTOR_FIRST + vector);
}

static uint32_t gsi_of(const struct synth *s, uint32_t i)
{
	if (s->gsi_max == SYNTH_GSI_MAX_NONE)
		return i;
	if (s->routes == 1)
		return s->gsi_max;
	return (uint64_t)i * s->gsi_max / (s->routes - 1);
}

static void first_table(const struct synth *s, struct trace_table *table, struct random *r)
{
	uint32_t i;

	for (i = 0; i < s->routes; i++) {
		table->entries[i].gsi = gsi_of(s, i);
		table->entries[i].type = KVM_IRQ_ROUTING_MSI;
		aim(&table->entries[i], random_below(r, NR_DESTS),
		    VECTOR_FIRST + random_below(r, NR_VECTORS));
	}
}

/* Move @change different entries; @order holds all indices in any order. */
static void next_table(const struct synth *s, struct trace_table *table, uint32_t *order,
		       struct random *r)
{
	uint32_t change = s->change == SYNTH_CHANGE_ALL ? s->routes : s->change, i, pick, held;

	for (i = 0; i < change; i++) {
		pick = i + random_below(r, s->routes - i);
		held = order[i];
		order[i] = order[pick];
		order[pick] = held;
		move_entry(&table->entries[order[i]], r);
	}
}

static int add(struct trace *t, const char *name, struct trace_rec rec)
{
	int index = trace_name(t, name, rec.kind);

	if (index < 0)
		return -1;
	rec.name = index;
	rec.line = t->nr_recs + 1;
	rec.vcpu = -1;
	return trace_add(t, &rec);
}

static int add_vm(struct trace *t)
{
	struct trace_rec vm = { .kind = TRACE_CREATE_VM, .vm = -1 };
	struct trace_rec cap = { .kind = TRACE_ENABLE_CAP, .vm = 0 };

	cap.u.cap.cap = KVM_CAP_SPLIT_IRQCHIP;
	cap.u.cap.args[0] = NR_PINS;
	return add(t, "KVM_CREATE_VM", vm) || add(t, "KVM_ENABLE_CAP", cap) ? -1 : 0;
}

static int add_tables(const struct synth *s, struct trace *t, uint32_t *order)
{
	struct trace_rec rec = { .kind = TRACE_SET_GSI_ROUTING, .vm = 0 };
	struct random r = { .state = s->seed };
	const struct trace_table *last = NULL;
	struct trace_table *table;
	uint32_t i;

	for (i = 0; i < s->routes; i++)
		order[i] = i;
	for (i = 0; i < s->updates; i++) {
		if (!i || s->change) {
			table = trace_new_table(t, s->routes, 0);
			if (!table)
				return -1;
			if (i) {
				memcpy(table->entries, last->entries,
				       s->routes * sizeof(*table->entries));
				next_table(s, table, order, &r);
			} else {
				first_table(s, table, &r);
			}
			last = table;
		}
		rec.u.table = last;
		if (add(t, "KVM_SET_GSI_ROUTING", rec))
			return -1;
	}
	return 0;
}

static int check(const struct synth *s, char *err, size_t err_size)
{
	uint64_t bytes = (uint64_t)s->updates * s->routes * sizeof(struct kvm_irq_routing_entry);

	if (!s->routes || s->routes > MAX_ROUTES)
		snprintf(err, err_size,
			 "synthetic workload: expected routes from 1 to %d, found %u", MAX_ROUTES,
			 s->routes);
	else if (!s->updates || bytes > MAX_BYTES)
		snprintf(err, err_size,
			 "synthetic workload: expected updates from 1 to %llu for %u routes, found "
			 "%u",
			 MAX_BYTES / (s->routes * sizeof(struct kvm_irq_routing_entry)), s->routes,
			 s->updates);
	else if (s->gsi_max != SYNTH_GSI_MAX_NONE &&
		 (s->gsi_max < s->routes - 1 || s->gsi_max >= MAX_ROUTES))
		snprintf(err, err_size,
			 "synthetic workload: expected gsi-max from %u to %d for %u routes, found "
			 "%u",
			 s->routes - 1, MAX_ROUTES - 1, s->routes, s->gsi_max);
	else if (s->change != SYNTH_CHANGE_ALL && s->change > s->routes)
		snprintf(err, err_size,
			 "synthetic workload: expected at most %u changed routes, found %u",
			 s->routes, s->change);
	else
		return 0;
	return -1;
}

int synth_trace(const struct synth *s, struct trace *trace, char *err, size_t err_size)
{
	uint32_t *order;
	char path[96];
	int rc = -1;

	if (check(s, err, err_size))
		return -1;
	snprintf(path, sizeof(path), "synthetic(routes %u, updates %u, seed %" PRIu64 ")",
		 s->routes, s->updates, s->seed);
	order = calloc(s->routes, sizeof(*order));
	if (order && !trace_init(trace, path)) {
		rc = add_vm(trace) || add_tables(s, trace, order) ? -1 : 0;
		if (rc)
			trace_free(trace);
	}
	if (rc)
		snprintf(err, err_size,
			 "synthetic workload: expected memory for %u tables, found none left",
			 s->updates);
	free(order);
	return rc;
}

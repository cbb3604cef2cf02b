/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Growing a struct trace record by record: what the reader and the synthetic workload share.
 */
#ifndef WORKLOAD_BUILD_H
#define WORKLOAD_BUILD_H

#include <stdbool.h>

#include "trace.h"

/* Of x86: KVM_MAX_VCPUS (at most 4096, CONFIG_KVM_MAX_NR_VCPUS) * KVM_VCPU_ID_RATIO (4). */
#define TRACE_MAX_VCPU_ID 16384

/* All return 0 or a pointer; -1 or NULL when memory is out. */
int trace_init(struct trace *t, const char *path);

/* A zeroed table for @nr entries that lives as long as @t. */
struct trace_table *trace_new_table(struct trace *t, uint32_t nr, uint32_t flags);
/* Give back the table that trace_new_table() gave last. */
void trace_drop_table(struct trace *t, struct trace_table *table);
/* The table before that one if it is equal, and @table is dropped; else @table. */
const struct trace_table *trace_share_table(struct trace *t, struct trace_table *table);
bool trace_same_table(const struct trace_table *a, const struct trace_table *b);

/* The index of a name; -2: TRACE_MAX_NAMES are taken. */
int trace_name(struct trace *t, const char *name, enum trace_kind kind);
const char *trace_actor(struct trace *t, const char *actor);

/* Append a copy of @rec and count it: its name, its VM or vCPU, its table. */
int trace_add(struct trace *t, const struct trace_rec *rec);

/* What the records so far have made and not closed. */
bool trace_has_vm(const struct trace *t, int vm);
bool trace_has_vcpu(const struct trace *t, int vm, int vcpu);

#endif

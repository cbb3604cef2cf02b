/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The three kinds of object (slab, page block, vmalloc area) behind the public calls. A try_
 * function counts everything but the failure, which sim_request_done() does for the public one.
 */
#ifndef SIM_MM_OBJECTS_H
#define SIM_MM_OBJECTS_H

#include "buddy.h"
#include "poison.h"

void *sim_try_kmalloc(struct sim_request *rq);
void *sim_try_large(struct sim_request *rq, unsigned int order, enum sim_frame_type type);
void *sim_try_vmalloc(struct sim_request *rq);

/* The fault points; each remembers in @rq what it injected. */
bool sim_inject(struct sim_request *rq, int kind, size_t size, unsigned int order);
bool sim_inject_charge(struct sim_request *rq, size_t size);

/*
 * What is or was at @p, exactly or as its first byte. False: nothing known. A vmalloc object is
 * found by its area.
 */
bool sim_find_object(const void *p, struct sim_named_object *o);
bool sim_find_around(const void *p, struct sim_named_object *o); /* @p may point into it */
bool sim_find_area(const void *p, struct sim_named_object *o);

/* Give the memory of a freed object back, past the quarantine. */
void sim_release_object(const struct sim_named_object *o);
void sim_release_area(const void *p);

/* After sim_ledger_free(): poison, then hold back or release. */
void sim_retire_object(const struct sim_named_object *o);

/* quarantine.c */
void sim_quarantine_put(const struct sim_named_object *o);
bool sim_quarantine_drain(void);
void sim_quarantine_reset(void);

/* vmalloc.c */
struct sim_area;
void sim_vmalloc_map_range(void);
void sim_vmalloc_reset(void);
typedef void sim_object_visitor(void *arg, const struct sim_named_object *o);
void sim_for_each_area(sim_object_visitor *visit, void *arg);

#endif

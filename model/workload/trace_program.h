/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace as a program of the deterministic world. Records with an actor are run by that actor, in
 * the file's order; those before the first of them are set-up, those behind the last are run when
 * every actor has ended. At the end each open VM must hold the table of the last update of some
 * actor (of the last part or the set-up, where there was one), and nothing may be leaked.
 */
#ifndef WORKLOAD_TRACE_PROGRAM_H
#define WORKLOAD_TRACE_PROGRAM_H

#include <sim/det.h>

#include "trace.h"

#define TRACE_MAX_ACTORS   8
#define TRACE_PROGRAM_VMS  8  /* VMs of such a trace (assumed enough) */
#define TRACE_PROGRAM_CPUS 64 /* vCPUs of a VM (assumed enough) */

/*
 * Make @trace, which has to outlive it, the one that runs. 0, or -1 with one line "FILE:LINE:
 * expected ..., found ..." in @err: no actors or more than 8, records without actor between those
 * with one, a call of an actor that is not run, a VM that neither the set-up nor the actor made.
 */
int trace_program_use(const struct trace *trace, char *err, size_t err_size);

/* It, in @object; good until the next trace_program_use(). NULL: no memory. */
const struct det_program *trace_program_of(const struct det_object *object);

const char *trace_program_path(void); /* of its file; empty: no trace is in use */
unsigned int trace_program_actors(void);
const char *trace_program_actor(unsigned int n); /* its name in the file */

#endif

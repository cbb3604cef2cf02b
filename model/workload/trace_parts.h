/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between trace_program.c, which takes a trace apart, and trace_run.c, which runs the parts.
 */
#ifndef WORKLOAD_TRACE_PARTS_H
#define WORKLOAD_TRACE_PARTS_H

#include <port_ops.h>

#include "trace_program.h"

#define TRACE_BY_SETUP (-1)

struct trace_parts {
	const struct trace *trace;
	size_t begin, end; /* records with an actor: begin <= i < end */
	unsigned int nr_actors;
	struct {
		const char *name;
	} actors[TRACE_MAX_ACTORS];
	uint8_t cpus[TRACE_MAX_ACTORS];
	int vm_by[TRACE_PROGRAM_VMS]; /* actor that makes it, or TRACE_BY_SETUP */
};
extern struct trace_parts trace_parts; /* of the trace in use */

extern const struct det_program trace_program_template; /* the functions */
const struct port_ops *trace_running_ops(void);		/* of the object that runs */

#endif

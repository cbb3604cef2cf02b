/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made workload in the shape of a recording: one VM with split irqchip that sets a table of MSI
 * routes and then keeps changing where some of them go, as a guest's affinity changes do.
 */
#ifndef WORKLOAD_SYNTH_H
#define WORKLOAD_SYNTH_H

#include "trace.h"

#define SYNTH_CHANGE_ALL   UINT32_MAX
#define SYNTH_GSI_MAX_NONE UINT32_MAX

struct synth {
	uint32_t routes;  /* 1 to 4096 */
	uint32_t updates; /* tables set, the first one included; from 1 */
	uint32_t gsi_max; /* routes - 1 to 4095; GSIs are spread evenly, the last one here.
			   * SYNTH_GSI_MAX_NONE: GSIs are 0 to routes - 1 */
	uint32_t change;  /* routes that each update changes; SYNTH_CHANGE_ALL */
	uint64_t seed;
};

/*
 * Make @trace, to be freed with trace_free(). Same parameters, same trace. 0, or -1 with one line
 * in
 * @err.
 */
int synth_trace(const struct synth *s, struct trace *trace, char *err, size_t err_size);

#endif

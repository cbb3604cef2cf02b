/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One parsed line to one record.
 */
#ifndef WORKLOAD_RECORD_H
#define WORKLOAD_RECORD_H

#include <jansson.h>

#include "trace.h"
#include "where.h"

/*
 * Check @root and fill @rec, all but the table of a TRACE_SET_GSI_ROUTING. The VM and the vCPU that
 * it names are open in @t. 0, or -1 with the error line in @w.
 */
int record_read(const struct where *w, struct trace *t, const json_t *root, struct trace_rec *rec);

#endif

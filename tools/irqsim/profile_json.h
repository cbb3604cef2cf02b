/* SPDX-License-Identifier: GPL-2.0-only */
/* What a result was modelled with, as JSON. */
#ifndef IRQSIM_PROFILE_JSON_H
#define IRQSIM_PROFILE_JSON_H

#include <jansson.h>

#include "model/profiles/profile.h"

json_t *costs_json(const struct profile *p);	/* by operation: ns, kind, source */
json_t *ops_json(const uint64_t n[SIM_NR_OPS]); /* counts that are not 0 */

#endif

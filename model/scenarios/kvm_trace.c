// SPDX-License-Identifier: GPL-2.0-only
/*
 * This KVM, for scenarios that are traces: the host sends their records through port_ops.
 */
#include <port_ops.h>

#include "programs.h"

extern const char irqsim_object_name[];
extern const struct port_ops port_ops;

static const struct det_object this_object = { .name = irqsim_object_name,
					       .ops = &port_ops,
					       .kernel = &irqsim_det_kernel,
					       .rt = IS_ENABLED(CONFIG_PREEMPT_RT) };
DET_OBJECT(this_object);

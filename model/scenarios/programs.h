/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODEL_SCENARIOS_PROGRAMS_H
#define MODEL_SCENARIOS_PROGRAMS_H

#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <sim/det.h>

extern const struct det_kernel irqsim_det_kernel; /* sim/kernel/det/context.c */

/* A program of @nr actors that all run NAME_actor(), with the state NAME_state(). */
#define PROGRAM(id, title, about, nr, ...)                                   \
	static const struct det_program id = { .name = title,                \
					       .what = about,                \
					       .nr_actors = nr,              \
					       .kernel = &irqsim_det_kernel, \
					       __VA_ARGS__ };                \
	DET_PROGRAM(id)

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODEL_SCENARIOS_PROGRAMS_H
#define MODEL_SCENARIOS_PROGRAMS_H

#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <sim/det.h>

/* A program of @nr actors that all run NAME_actor(), with the state NAME_state(). */
#define PROGRAM(id, title, about, nr, ...)                                 \
	static const struct det_program id = {                             \
		.name = title, .what = about, .nr_actors = nr, __VA_ARGS__ \
	};                                                                 \
	DET_PROGRAM(id)

#endif

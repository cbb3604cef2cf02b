/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MODEL_SCENARIOS_PROGRAMS_H
#define MODEL_SCENARIOS_PROGRAMS_H

#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <sim/det.h>

extern const struct det_kernel irqsim_det_kernel; /* sim/kernel/det/context.c */

/* Compiled from a mutant's copy, a program carries its name (sim/headers/KvmMutant.cmake). */
#ifdef IRQSIM_MUTANT
#define OF_MUTANT .strategy = IRQSIM_MUTANT,
#else
#define OF_MUTANT
#endif

/* A program of @nr actors; what else it has as designated initialisers: .setup, .actor ... */
#define PROGRAM(id, title, about, nr, ...)                                          \
	static const struct det_program id = { OF_MUTANT.name = title,              \
					       .what = about,                       \
					       .nr_actors = nr,                     \
					       .rt = IS_ENABLED(CONFIG_PREEMPT_RT), \
					       .kernel = &irqsim_det_kernel,        \
					       __VA_ARGS__ };                       \
	DET_PROGRAM(id)

#endif

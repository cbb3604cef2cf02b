// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs and KVM objects that are linked in: each registers itself beside its definition.
 */
#include <string.h>

#include "det.h"

extern const struct det_program *const __start_irqsim_programs[] __attribute__((weak));
extern const struct det_program *const __stop_irqsim_programs[] __attribute__((weak));

unsigned int det_nr_programs(void)
{
	return __stop_irqsim_programs - __start_irqsim_programs;
}

const struct det_program *det_program_at(unsigned int i)
{
	return __start_irqsim_programs[i];
}

extern const struct det_object *const __start_irqsim_objects[] __attribute__((weak));
extern const struct det_object *const __stop_irqsim_objects[] __attribute__((weak));

unsigned int det_nr_objects(void)
{
	return __stop_irqsim_objects - __start_irqsim_objects;
}

const struct det_object *det_object_at(unsigned int i)
{
	return __start_irqsim_objects[i];
}

const struct det_program *det_program_running(void)
{
	return det.program;
}

bool det_program_is_mutant(const struct det_program *program)
{
	return program->strategy && *program->strategy >= '0' && *program->strategy <= '9';
}

const struct det_program *det_program_find(const char *name, const char *strategy)
{
	const struct det_program *p, *first = NULL;
	unsigned int i;

	for (i = 0; i < det_nr_programs(); i++) {
		p = det_program_at(i);
		if (strcmp(p->name, name) || p->rt)
			continue;
		if (strategy ? p->strategy && !strcmp(p->strategy, strategy) : !p->strategy)
			return p;
		if (!strategy && !first && !det_program_is_mutant(p))
			first = p;
	}
	return first;
}

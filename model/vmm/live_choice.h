/* SPDX-License-Identifier: GPL-2.0-only */
/* The generator behind live.h. Inside model/vmm only. */
#ifndef VMM_LIVE_CHOICE_H
#define VMM_LIVE_CHOICE_H

#include "case_step.h"

struct choice {
	uint64_t state;
};

/* The next ioctl for a VM in the state @sh; needs step_free(). 0 or -ENOMEM. */
int choice_step(struct choice *ch, const struct shadow *sh, struct step *out);
uint32_t choice_below(struct choice *ch, uint32_t n); /* 0 to n-1 */

#endif

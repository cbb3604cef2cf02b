/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL
 * 2014): what is still to be run from a point, as sequences that share their beginnings.
 */
#ifndef SIM_HOST_DET_WAKEUP_H
#define SIM_HOST_DET_WAKEUP_H

#include "det_depend.h"

struct wakeup {
	struct wakeup *next;  /* sibling, to be run after this one */
	struct wakeup *first; /* what goes on from here; NULL: anything */
	struct det_op op;
	uint8_t id;
};

struct wakeup_seq {
	struct det_op op;
	uint8_t id;
};

/* Can @id, whose next operation is @op, come first in a sequence equivalent to one that begins with
 * @v? */
bool wakeup_is_initial(uint8_t id, const struct det_op *op, const struct wakeup_seq *v, uint32_t n);

struct wakeup *wakeup_leaf(uint8_t id, const struct det_op *op);
void wakeup_free(struct wakeup *tree);
/* Unless the tree has it or an equivalent already. @v is changed. */
void wakeup_insert(struct wakeup **tree, struct wakeup_seq *v, uint32_t n);

#endif

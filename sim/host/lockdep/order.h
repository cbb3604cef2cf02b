/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What taking a lock means beside those that the task holds already.
 */
#ifndef SIM_HOST_LOCKDEP_ORDER_H
#define SIM_HOST_LOCKDEP_ORDER_H

#include "validator.h"

/* Is @next of the class of a held lock? Reported unless they may nest; then it adds no dependency.
 */
bool order_is_nested(const struct sim_lock_hold *next, const void *nest);
void order_add(const struct sim_lock_hold *next); /* dependencies from the held locks to @next */
void order_check_wait(const struct sim_lock_hold *next);

#endif

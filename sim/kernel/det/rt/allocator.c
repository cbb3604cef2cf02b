// SPDX-License-Identifier: GPL-2.0-only
/*
 * On PREEMPT_RT each allocation and each kfree() takes a lock that sleeps, whatever its flags say
 * (Documentation/locking/locktypes.rst, "PREEMPT_RT caveats"): no other task ever holds it for long,
 * so all that is to be known is whether it could be taken here.
 */
#include <linux/spinlock.h>

#include "../../lockdep.h"
#include "../../supply.h"
#include "../context.h"

static spinlock_t slab_lock = __SPIN_LOCK_UNLOCKED(slab_lock);

void irqsim_allocator_locks(const void *caller)
{
	LOCKDEP_ACQUIRE(&slab_lock.dep_map, 0, 0, 0, caller);
	sim_may_block("local_lock", caller);
	LOCKDEP_RELEASE(&slab_lock.dep_map, caller);
}

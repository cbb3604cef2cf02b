/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Store buffers (--memory tso). A callback comes before its store and does not know the value, so
 * the store is let happen, and taken back at the task's next event: its value goes into the buffer.
 * A load of one's own buffered bytes finds them in memory for that one access.
 */
#ifndef SIM_HOST_TSO_H
#define SIM_HOST_TSO_H

#include "det.h"

void tso_reset(void);
void tso_settle(struct det_task *t);   /* first thing at each event of @t */
void tso_announce(struct det_task *t); /* its next operation may have to wait for its buffer */
void tso_commit(struct det_task *t, const struct det_op *op); /* an access is about to happen */
void tso_flush(unsigned int id);	   /* the policy's choice: task @id's oldest store */
struct det_op tso_oldest(unsigned int id); /* the flush that would come next */
/* Does @t have a store to these bytes in its buffer? */
bool tso_has(const struct det_task *t, uintptr_t addr, uint32_t size);
/* Has context @id stores in its buffer? */
bool tso_is_storing(unsigned int id);
bool tso_must_wait(const struct det_task *t);

/*
 * A store to one's own stack is not buffered (DET_DIRECT): it would reach memory when its frame may
 * be gone and the place be a return address, whose push nobody sees. Others see such a store before
 * those that came before it; what they may look at on a stack is handed over under a lock.
 */
static inline bool tso_is_own_stack(const struct det_task *t, uintptr_t addr)
{
	return addr - (DET_STACKS + t->id * 2 * DET_STACK_SIZE) < 2 * DET_STACK_SIZE;
}

#endif

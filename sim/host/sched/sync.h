/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SIM_HOST_DET_SYNC_H
#define SIM_HOST_DET_SYNC_H

#include "det.h"

/* A lock, or a domain of read sections; known by its address, forgotten with the execution. */
struct sync_obj {
	uintptr_t addr;
	uint32_t tag;
	int16_t owner;	  /* task that holds it alone, or -1 */
	uint16_t sharers; /* tasks that hold it together */
	uint16_t want;	  /* tasks whose next step takes it alone; domain: that wait */
	uint16_t want_shared;
	uint16_t nr_shared[DET_MAX_TASKS];
	uint8_t nr_down[DET_MAX_TASKS]; /* of these, may be left by another */
	uint16_t waits[DET_MAX_TASKS]; /* of a grace period: the tasks whose sections have to end */
	det_clock clk; /* of its last exclusive holder; domain: of its grace periods' begins */
	det_clock readers_clk;		 /* of its sharers since */
	det_clock gp_clk[DET_MAX_TASKS]; /* last: set where a grace period begins, not before */
};

struct sync_obj *sync_obj(uintptr_t addr);
void sync_look_again(uint32_t mask);

#endif

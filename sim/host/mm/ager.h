/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SIM_MM_AGER_H
#define SIM_MM_AGER_H

#include <stdint.h>

/* Compaction moved the page in @slot. Under sim_mm_lock. */
void sim_ager_moved(uint32_t slot, uint32_t frame);
void sim_ager_reset(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Scenarios of page caches: one VM with one vCPU, and what has to hold in the end. */
#ifndef MODEL_GPC_RACE_H
#define MODEL_GPC_RACE_H

#include "../scenarios/programs.h"
#include "gpc_vm.h"

#define RACE_PORT 70 /* word 1 */

extern struct kvm_vcpu *race_vcpu;

void race_setup(void);	       /* everything is mapped */
void race_setup_invalid(void); /* shared_info was invalidated, its page is still there */
void race_consistent(void);    /* a valid cache is active, listed and of the page behind it */
void race_end(void);	       /* race_consistent(), then nothing may be left */
int race_deliver(void);	       /* with refreshes */
bool race_delivered(void);     /* as user space sees it */
int race_refresh(void);	       /* shared_info's cache */
void race_deactivate(void);    /* the same */

static inline struct gfn_to_pfn_cache *race_shinfo(void)
{
	return &gpc_kvm.arch.xen.shinfo_cache;
}

#define RACE(id, title, about, nr, ...) \
	PROGRAM(id, title, about, nr, .strategy = gpc_scheme, __VA_ARGS__)

#endif

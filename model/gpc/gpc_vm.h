/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A VM of page caches alone: shared_info, vCPUs with vcpu_info, memslots, user space's pages behind
 * them. Guest page GPC_GFN + n is user page n: 0 and 1 are shared_info's, the others vcpu_infos'.
 */
#ifndef MODEL_GPC_VM_H
#define MODEL_GPC_VM_H

#include <linux/kvm_host.h>
#include <xen/interface/xen.h>

#include "../../kernel-port/arch/x86/kvm/xen_evtchn.h"
#include "../../kernel-port/virt/kvm/pfncache.h"
#include "../mm/user_memory.h"

#define GPC_GFN	       0x100
#define GPC_SHINFO     0 /* user pages */
#define GPC_SHINFO_NEW 1
#define GPC_VCPU_INFO  2

extern struct kvm gpc_kvm;
extern const char gpc_scheme[]; /* "rwlock" or "srcu"; of a mutant's object, its name */

/* @vcpus: zeroed memory for @nr of them. Every page is mapped then. 0, or an error. */
int gpc_vm_init(struct kvm_vcpu *vcpus, unsigned int nr);
void gpc_vm_exit(void);
/* The same with one vCPU, that the caller frees; NULL: no memory. */
struct kvm_vcpu *gpc_one_vcpu(void);

static inline gpa_t gpc_gpa(unsigned int user_page)
{
	return gfn_to_gpa(GPC_GFN + user_page);
}

int gpc_map_shinfo(unsigned int user_page);
int gpc_map_vcpu_info(unsigned int n);

#endif

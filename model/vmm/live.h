/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random comparison of two KVMs: the same ioctls to both, the same answers expected. Only what
 * needs no delivered interrupt and does not depend on how the host's kernel was configured.
 */
#ifndef VMM_LIVE_H
#define VMM_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend.h"

struct live_result {
	unsigned int calls; /* ioctls compared, the differing one included */
	unsigned int vms;   /* fresh VMs, one a sequence */
	bool differs;
	char detail[256]; /* "call 17 KVM_SET_GSI_ROUTING: NAME: ret 0; /dev/kvm: ret -1 EINVAL" */
	char *json;	  /* the sequence up to there as one case of the oracle's format, with
			   * @real's answers: can be read by cases_read() */
};

/*
 * live_compare - @count random ioctls, chosen by @seed alone and by what @real answered
 * Returns 0 (look at out->differs), or -errno where a VM could not be made on one of them, with
 * what failed in out->detail. live_result_free() is needed in every case.
 */
int live_compare(struct backend *sim, struct backend *real, uint64_t seed, unsigned int count,
		 struct live_result *out);
void live_result_free(struct live_result *r);

#endif

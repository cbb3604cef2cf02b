/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sending a trace to a KVM, record by record and in its order, through the ioctls of <linux/kvm.h>.
 *
 * Compared with what the recorded kernel answered: KVM_CREATE_VM, KVM_CREATE_IRQCHIP,
 * KVM_CREATE_VCPU, KVM_ENABLE_CAP and KVM_SET_GSI_ROUTING. Sent but not compared: KVM_SIGNAL_MSI
 * and KVM_IRQ_LINE(_STATUS), whose answer depends on the guest, and KVM_CHECK_EXTENSION, whose
 * answer is a choice of each kernel. Not sent: everything else, and capabilities without a say in
 * routing.
 */
#ifndef WORKLOAD_REPLAY_H
#define WORKLOAD_REPLAY_H

#include "trace.h"

struct backend;

/*
 * Called around each KVM_SET_GSI_ROUTING; NULL: not called. The table is rec->u.table, ready to be
 * passed as rec->u.table->arg. A return value other than 0 ends the run.
 */
struct replay_hooks {
	int (*before_update)(void *arg, int vm_fd, const struct trace_rec *rec);
	int (*after_update)(void *arg, int vm_fd, const struct trace_rec *rec, long ret);
	void *arg;
};

struct replay_count {
	unsigned long sent, not_sent;
};

#define REPLAY_FIRST_MISMATCHES 8

struct replay_mismatch {
	unsigned int line;  /* of the trace */
	unsigned int name;  /* index in trace.names */
	long expected, got; /* -errno when negative; 0 in place of a fd */
};

struct replay_result {
	struct replay_count kinds[TRACE_NR_KINDS];
	struct replay_count *names; /* one for each of trace.names */
	unsigned long updates;	    /* KVM_SET_GSI_ROUTING that succeeded */
	unsigned long mismatches;
	struct replay_mismatch first[REPLAY_FIRST_MISMATCHES];
	int stopped; /* what the hook that ended the run returned */
	char err[256];
};

/* Is a record of this kind sent at all? */
bool replay_sends(const struct trace_rec *rec);

/*
 * Run all of @trace on @b. 0: to the end, or a hook ended it (stopped is not 0); mismatches are
 * counted and do not end it. -1: it could not go on (no /dev/kvm, a VM that cannot be made, a
 * record for a VM that is closed, no memory), with one line "FILE:LINE: expected ..., found ..." in
 * err. Every descriptor is closed in each case, vCPUs before their VM and the system's last.
 * @result is to be freed in each case.
 */
int replay_run(const struct trace *trace, struct backend *b, struct replay_result *result,
	       const struct replay_hooks *hooks);
void replay_result_free(struct replay_result *result);

#endif

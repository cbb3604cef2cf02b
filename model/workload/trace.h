/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded KVM traffic: one JSON object a line, gzipped or not (the format is described in
 * model/workload/traces/README.md). Parsed once into records that can be replayed on any backend.
 */
#ifndef WORKLOAD_TRACE_H
#define WORKLOAD_TRACE_H

#include <linux/kvm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAX_LINE (16u << 20) /* bytes; the longest recorded line has about 40 KB */

enum trace_kind {
	TRACE_CREATE_VM,
	TRACE_CHECK_EXTENSION,
	TRACE_CREATE_IRQCHIP,
	TRACE_ENABLE_CAP,
	TRACE_CREATE_VCPU,
	TRACE_SET_GSI_ROUTING,
	TRACE_SIGNAL_MSI,
	TRACE_IRQ_LINE, /* KVM_IRQ_LINE and KVM_IRQ_LINE_STATUS */
	TRACE_IRQFD,
	TRACE_IOEVENTFD,
	TRACE_CLOSE_VM,
	TRACE_OTHER,   /* known to the format, nothing to replay yet: counted by name */
	TRACE_UNKNOWN, /* a name that the reader does not know: counted by name */
};

#define TRACE_NR_KINDS	(TRACE_UNKNOWN + 1)
#define TRACE_MAX_CPUS	16   /* "cpu" is below (assumed; as many as the deterministic world has) */
#define TRACE_MAX_VMS	1024 /* "vmN": N is below (assumed; recordings have one VM) */
#define TRACE_MAX_NAMES 1024 /* different names in one file (assumed; recordings have 30) */

/* A routing table as passed. Equal tables in a row share one object. */
struct trace_table {
	uint32_t nr;
	uint32_t flags;
	struct kvm_irq_routing_entry *entries; /* those of @arg */
	struct kvm_irq_routing *arg;	       /* the ioctl's argument, ready to be passed */
};

struct trace_rec {
	enum trace_kind kind;
	unsigned int line; /* of the file, from 1 */
	int vm;		   /* N of "vmN"; -1: the system fd */
	int vcpu;	   /* I of "vmN.vcpuI", or -1 */
	int64_t ret;	   /* what the recorded kernel answered */
	int err;	   /* its errno, 0 when ret >= 0 */
	double t_us, dur_us;
	unsigned int name; /* index in trace.names: the ioctl's or event's name */
	const char *actor; /* "actor" of the record or NULL */
	int cpu;	   /* "cpu" of an actor's record, or -1 */
	bool any_answer;   /* of an actor's record without "ret" */
	union {
		struct {
			uint32_t vm;
			uint64_t type;
		} create_vm;
		uint32_t extension;
		struct kvm_enable_cap cap;
		uint32_t vcpu_id;
		const struct trace_table *table;
		struct kvm_msi msi;
		struct {
			struct kvm_irq_level line;
			int with_status;
			int32_t status;
		} irq_line;
		struct {
			uint32_t fd_id, gsi, flags;
			int32_t resample_id;
		} irqfd;
	} u;
};

struct trace_name {
	char *name;
	unsigned long count;
	enum trace_kind kind;
};

struct trace {
	char *path;
	char *what; /* of the header, or NULL */
	struct trace_rec *recs;
	size_t nr_recs;
	struct trace_name *names;
	size_t nr_names;
	/* for the reader's user: what is in it */
	size_t nr_commits;   /* TRACE_SET_GSI_ROUTING with ret == 0 */
	size_t nr_unchanged; /* of these, with a table equal to the VM's one before */
	uint32_t routes_max;
	uint32_t gsi_max; /* highest GSI routed */
	int nr_vms;
	void *priv;
};

/*
 * trace_read - parse @path; "-" is standard input
 * Returns 0, or -1 with one line "FILE:LINE: what was expected, what was found" in @err: a file
 * that cannot be opened, is cut inside a gzip member or a JSON object, is empty, is binary, has a
 * line over TRACE_MAX_LINE, has "version" other than 1, or a field missing or out of its range.
 * Nothing of it is kept then. Never trusts a count: what it says is checked against what is there.
 */
int trace_read(const char *path, struct trace *trace, char *err, size_t err_size);
void trace_free(struct trace *trace);

#endif

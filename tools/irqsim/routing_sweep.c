// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fault sweep: before each update of a trace, the same update is tried with its first
 * allocation failing, then its second, and so on until none is left to fail. A try has to end in
 * one of two ways: -ENOMEM with the old table whole and nothing more alive than before, or, where
 * the failure could be absorbed (kvmalloc's fallback), success with the new table whole.
 *
 * A try that succeeds has warmed what the strategy keeps for the VM, so that the next one would
 * find less to allocate. From there on each try gets a VM of its own, made like the traced one up
 * to its table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>

#include "model/vmm/backend.h"
#include "model/workload/replay.h"
#include "routing_run.h"

struct sweep {
	const struct port *port;
	struct routing_row *row;
	const struct trace *trace;
	const struct trace_rec *rec;
	bool last_absorbed;
	unsigned long update;
	unsigned long defects;	     /* reports before */
	struct kvm_irq_routing *old; /* the table before the update, as user space would pass it */
	uint64_t *absorbed;	     /* digests after tries that succeeded */
	unsigned long nr_absorbed, room;
};

static void fault(struct sweep *s, unsigned long nth, const char *what)
{
	s->row->sweep_faults++;
	if (!s->row->problem[0])
		snprintf(s->row->problem, sizeof(s->row->problem),
			 "%s:%u: allocation %lu of the update fails: %s", s->trace->path,
			 s->rec->line, nth, what);
}

static long set_table(struct sweep *s, int vm_fd, const struct kvm_irq_routing *table)
{
	return s->port->ops->ioctl(vm_fd, KVM_SET_GSI_ROUTING, (unsigned long)table);
}

/* A route as the ioctl takes it, from what the kernel holds. */
static void to_user(const struct port_route *r, struct kvm_irq_routing_entry *e)
{
	*e = (struct kvm_irq_routing_entry){ .gsi = r->gsi, .type = r->type };
	switch (r->type) {
	case KVM_IRQ_ROUTING_IRQCHIP:
		e->u.irqchip.irqchip = r->words[0];
		e->u.irqchip.pin = r->words[1] - (r->words[0] == KVM_IRQCHIP_PIC_SLAVE ? 8 : 0);
		break;
	case KVM_IRQ_ROUTING_MSI:
		e->u.msi.address_lo = r->words[0];
		e->u.msi.address_hi = r->words[1];
		e->u.msi.data = r->words[2];
		break;
	case KVM_IRQ_ROUTING_HV_SINT:
		e->u.hv_sint.vcpu = r->words[0];
		e->u.hv_sint.sint = r->words[1];
		break;
	case KVM_IRQ_ROUTING_XEN_EVTCHN:
		e->u.xen_evtchn.port = r->words[0];
		e->u.xen_evtchn.vcpu = r->words[1];
		e->u.xen_evtchn.priority = r->words[2];
		break;
	}
}

/* Several routes of one GSI are found last first. */
static void read_old_table(struct sweep *s, int vm_fd)
{
	struct port_route routes[PORT_ROUTES_PER_GSI];
	uint32_t gsi;
	int n;

	s->old->nr = 0;
	s->old->flags = 0;
	for (gsi = 0; gsi < PORT_MAX_GSI; gsi++) {
		n = s->port->ops->map_gsi(vm_fd, gsi, routes);
		while (n-- > 0 && s->old->nr < PORT_MAX_GSI)
			to_user(&routes[n], &s->old->entries[s->old->nr++]);
	}
}

static int remember(struct sweep *s, uint64_t digest)
{
	if (s->nr_absorbed == s->room) {
		unsigned long room = s->room ? 2 * s->room : 16;
		uint64_t *grown = realloc(s->absorbed, room * sizeof(*grown));

		if (!grown)
			return -1;
		s->absorbed = grown;
		s->room = room;
	}
	s->absorbed[s->nr_absorbed++] = digest;
	return 0;
}

/* Returns 1 when the @nth allocation does not exist (and the update is done), 0 to go on, -1. */
static int try_nth(struct sweep *s, int vm_fd, const struct kvm_irq_routing *table,
		   unsigned long nth, uint64_t digest_old)
{
	struct sim_mm_stats before, after;
	uint64_t digest;
	bool hit;
	long ret;

	sim_mm_stats(&before);
	sim_fail_nth_set(nth);
	ret = set_table(s, vm_fd, table);
	hit = sim_fail_nth_hit();
	sim_fail_nth_set(0);
	if (!hit)
		return 1;

	s->row->sweep_cases++;
	s->port->ops->routing_digest(vm_fd, &digest);
	sim_mm_stats(&after);
	s->last_absorbed = ret == 0;
	if (ret == 0)
		return remember(s, digest);
	if (ret != -ENOMEM)
		fault(s, nth, "the answer is not -ENOMEM");
	if (digest != digest_old)
		fault(s, nth, "the old table was not kept whole");
	if (after.live_objects != before.live_objects)
		fault(s, nth,
		      after.live_objects > before.live_objects
			      ? "objects were leaked"
			      : "objects of the old table were freed");
	return 0;
}

static void progress(const struct sweep *s)
{
	if (s->update % 16 == 0 && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: fault sweep, update %lu, %lu cases \033[K", s->port->name,
			s->update, s->row->sweep_cases);
}

/* What the trace did to its VM before the table, on a new one. Returns its fd, or -1. */
static int make_vm_like(struct sweep *s, int kvm_fd)
{
	const struct port_ops *ops = s->port->ops;
	const struct trace_rec *r;
	int vm_fd = ops->ioctl(kvm_fd, KVM_CREATE_VM, 0);

	for (r = s->trace->recs; vm_fd >= 0 && r < s->rec; r++) {
		if (r->vm != s->rec->vm || r->ret < 0)
			continue;
		if (r->kind == TRACE_CREATE_IRQCHIP)
			ops->ioctl(vm_fd, KVM_CREATE_IRQCHIP, 0);
		else if (r->kind == TRACE_ENABLE_CAP)
			ops->ioctl(vm_fd, KVM_ENABLE_CAP, (unsigned long)&r->u.cap);
	}

	return vm_fd;
}

/* All tries, each on a VM of its own. 0 or -1. */
static int sweep_on_new_vms(struct sweep *s, const struct kvm_irq_routing *table,
			    uint64_t digest_old)
{
	const struct port_ops *ops = s->port->ops;
	int kvm_fd = ops->open_kvm(), vm_fd, done = 0;
	unsigned long nth;

	for (nth = 1; !done; nth++) {
		vm_fd = make_vm_like(s, kvm_fd);
		if (vm_fd < 0 || set_table(s, vm_fd, s->old)) {
			fault(s, nth, "a VM like the traced one cannot be made");
			done = -1;
		} else {
			done = try_nth(s, vm_fd, table, nth, digest_old);
		}
		if (vm_fd >= 0)
			ops->close(vm_fd);
	}
	ops->close(kvm_fd);

	return done < 0 ? -1 : 0;
}

static int sweep_update(void *arg, int vm_fd, const struct trace_rec *rec)
{
	const struct kvm_irq_routing *table = rec->u.table->arg;
	struct sweep *s = arg;
	uint64_t digest_old, digest_new;
	unsigned long nth, i;
	int done = 0;

	s->rec = rec;
	s->update++;
	s->nr_absorbed = 0;
	s->last_absorbed = false;
	progress(s);
	read_old_table(s, vm_fd);
	s->port->ops->routing_digest(vm_fd, &digest_old);

	for (nth = 1; !done && !s->last_absorbed; nth++)
		done = try_nth(s, vm_fd, table, nth, digest_old);
	if (!done && sweep_on_new_vms(s, table, digest_old))
		done = -1;
	if (done < 0)
		return -ENOMEM;

	/* The update itself: what was absorbed has to have come to the same. */
	set_table(s, vm_fd, table);
	s->port->ops->routing_digest(vm_fd, &digest_new);
	for (i = 0; i < s->nr_absorbed; i++)
		if (s->absorbed[i] != digest_new)
			fault(s, 0, "absorbed, but the new table is not whole");

	return 0;
}

int routing_sweep(const struct port *port, const struct routing_setup *setup,
		  struct routing_row *row)
{
	struct sweep s = { .port = port, .row = row, .defects = sim_report_defects() };
	struct replay_hooks hooks = { .before_update = sweep_update, .arg = &s };
	struct sim_mm_stats before, after;
	struct replay_result res;
	struct backend b;
	unsigned int i;
	int ret = 0;

	s.old = calloc(1, sizeof(*s.old) + PORT_MAX_GSI * sizeof(s.old->entries[0]));
	if (!s.old || routing_fresh_memory(port, setup)) {
		free(s.old);
		snprintf(row->problem, sizeof(row->problem), "expected memory for the sweep");
		return -1;
	}
	backend_port_init(&b, port);
	sim_mm_stats(&before);
	for (i = 0; !ret && i < setup->nr_traces; i++) {
		s.trace = &setup->traces[i];
		ret = replay_run(s.trace, &b, &res, &hooks);
		if (ret)
			snprintf(row->problem, sizeof(row->problem), "%s", res.err);
		else if (res.stopped)
			ret = -1;
		replay_result_free(&res);
	}
	sim_mm_stats(&after);
	if (!ret && after.live_objects != before.live_objects)
		fault(&s, 0, "objects were leaked");
	row->sweep_faults += sim_report_defects() - s.defects;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	free(s.absorbed);
	free(s.old);

	return ret;
}

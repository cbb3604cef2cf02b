// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>

#include "conform_live.h"
#include "model/vmm/live.h"
#include "model/vmm/live_irq.h"

static bool checkers_say_nothing(unsigned long defects)
{
	if (sim_report_defects() == defects)
		return true;
	printf("# the checkers reported %lu defects\n", sim_report_defects() - defects);
	return false;
}

#define LINE 160 /* of a call: a table of 4096 routes is told by the seed */

/* How to do it again, and what led there. */
static void print_failure(const char *detail, uint64_t seed, const char *sequence)
{
	printf("# seed %" PRIu64 ": %s\n", seed, detail);
	while (sequence && *sequence) {
		size_t len = strcspn(sequence, "\n");

		printf("#   %.*s%s\n", len < LINE ? (int)len : LINE, sequence,
		       len < LINE ? "" : " ...");
		sequence += len + !!sequence[len];
	}
}

static bool tables(struct backend *sim, struct backend *real, uint64_t seed, unsigned int calls,
		   unsigned int number)
{
	unsigned long defects = sim_report_defects();
	struct live_result r;
	bool good = !live_compare(sim, real, seed, calls, &r) && !r.differs &&
		    checkers_say_nothing(defects);

	printf("%s %u - live tables on %s # %u calls on %u VMs\n", good ? "ok" : "not ok", number,
	       sim->name, r.calls, r.vms);
	if (!good)
		print_failure(r.detail, seed, r.json);
	live_result_free(&r);
	return good;
}

static bool interrupts(struct backend *sim, struct backend *real, uint64_t seed, unsigned int calls,
		       unsigned int number)
{
	unsigned long defects = sim_report_defects();
	struct live_irq_result r;
	bool good = !live_irq_compare(sim, real, seed, calls, &r) && !r.differs &&
		    checkers_say_nothing(defects);

	printf("%s %u - live interrupts on %s # %u calls on %u VMs, %u EOIs, %u irqfds, %u "
	       "injected, "
	       "%u resampled\n",
	       good ? "ok" : "not ok", number, sim->name, r.calls, r.vms, r.eois, r.irqfds,
	       r.injected, r.resampled);
	if (!good)
		print_failure(r.detail, seed, r.sequence);
	live_irq_free(&r);
	return good;
}

unsigned int conform_live(const struct port *port, uint64_t seed, unsigned int calls,
			  unsigned int number)
{
	struct backend sim, real;
	unsigned int failed;
	int fd;

	backend_port_init(&sim, port);
	backend_real_init(&real);
	fd = real.open_kvm(&real);
	if (fd < 0) {
		printf("ok %u - live tables on %s # SKIP /dev/kvm: %s\n", number, port->name,
		       strerror(-fd));
		printf("ok %u - live interrupts on %s # SKIP /dev/kvm: %s\n", number + 1,
		       port->name, strerror(-fd));
		return 0;
	}
	real.close(&real, fd);
	port->ops->reset();
	sim_mm_reset();
	failed = !tables(&sim, &real, seed, calls, number);
	return failed + !interrupts(&sim, &real, seed, calls, number + 1);
}

// SPDX-License-Identifier: GPL-2.0-only
/* The recorded cases, and random calls, on every strategy of this program's variant. */
#include <string.h>

#include <criterion/criterion.h>
#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>
#include <sim/task.h>

#include "model/vmm/cases.h"
#include "model/vmm/live_irq.h"

#define ORACLE	  IRQSIM_SOURCE_DIR "/tests/oracle/kvm-6.18-x86.jsonl"
#define NR_CASES  316
#define IRQ_CALLS 2000

static void start(void)
{
	sim_mm_set_checks(SIM_MM_CHECKS_ALL);
	sim_init();
}

static void all_cases_on(const struct port *port, const struct cases *c)
{
	struct sim_mm_stats before, after;
	struct case_result r;
	struct backend b;
	size_t i;

	sim_mm_stats(&before);
	backend_port_init(&b, port);
	for (i = 0; i < cases_count(c); i++) {
		case_run(c, i, &b, &r);
		cr_expect_eq(r.verdict, CASE_PASS, "%s, case %d (%s, %s): %s", port->name, r.id,
			     r.setup, r.title, r.detail);
	}
	sim_mm_stats(&after);
	cr_expect_eq(after.live_objects, before.live_objects, "%s leaks", port->name);
}

Test(conform_cases, every_strategy_passes_all, .timeout = 300)
{
	unsigned int i, strategies = 0;
	struct cases *c;
	char err[256];

	start();
	cr_assert_eq(cases_read(ORACLE, &c, err, sizeof(err)), 0, "%s", err);
	cr_assert_eq(cases_count(c), NR_CASES);
	for (i = 0; i < irqsim_nr_ports; i++) {
		if (strcmp(irqsim_ports[i].kind, "strategy"))
			continue;
		all_cases_on(&irqsim_ports[i], c);
		strategies++;
	}
	cr_expect_geq(strategies, 5);
	cr_expect_eq(sim_report_defects(), 0);
	cases_free(c);
}

/* As beside a real kernel, where there is none: interrupts do not depend on how routes are kept. */
Test(conform_cases, two_strategies_agree, .timeout = 300)
{
	struct live_irq_result r;
	struct backend a, b;

	start();
	backend_port_init(&a, port_find("strategy", "per-entry"));
	backend_port_init(&b, port_find("strategy", "delta"));
	cr_assert_eq(live_irq_compare(&a, &b, 31, IRQ_CALLS, &r), 0, "%s", r.detail);
	cr_expect_not(r.differs, "%s\n%s", r.detail, r.sequence);
	cr_expect_eq(r.calls, IRQ_CALLS);
	cr_expect_gt(r.irqfds, 30);
	cr_expect_gt(r.injected, 10);
	cr_expect_eq(sim_report_defects(), 0);
	live_irq_free(&r);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/irqflags.h in the deterministic world: the interrupt flag of the running context's CPU, and
 * what lockdep is told of it. A handler begins with it off.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>

#include <sim/report.h>

#include "../supply.h"
#include "context.h"

unsigned long irqsim_save_flags(void)
{
	return sim_self->irqs_off ? 0 : X86_EFLAGS_IF;
}

void irqsim_irq_disable(void)
{
	irqs_disable(CALLER);
}

void irqsim_irq_enable(void)
{
	irqs_enable(CALLER);
}

bool irqsim_irqs_on(void)
{
	return !sim_self->irqs_off;
}

bool irqsim_in_hardirq(void)
{
	return sim_self->in_hardirq;
}

/*
 * What guest entry and exit tell lockdep, which is to see the interrupts of a guest as on while
 * they are off until the processor is in it (linux/kvm_host.h).
 */
static void expect_irqs_off(const void *caller)
{
	if (unlikely(!sim_self->irqs_off))
		sim_report(SIM_REPORT_CONTEXT, caller,
			   "WARNING: DEBUG_LOCKS_WARN_ON(!irqs_disabled())\n"
			   "%s/%d changes to or from a guest or user space with interrupts on",
			   sim_self->comm, sim_self->pid);
}

SUPPLY(void, lockdep_hardirqs_on_prepare, void)
{
	expect_irqs_off(CALLER);
}

SUPPLY(void, lockdep_hardirqs_on, unsigned long ip)
{
	expect_irqs_off(CALLER);
}

SUPPLY(void, lockdep_hardirqs_off, unsigned long ip)
{
	expect_irqs_off(CALLER);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/irqflags.h: the interrupt flag of the simulated CPU (see
 * sim/headers/include/asm/irqflags.h).
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/processor-flags.h>

#include <sim/task.h>

unsigned long irqsim_save_flags(void)
{
	return sim_self->irqs_off ? 0 : X86_EFLAGS_IF;
}

/* lockdep_assert_irqs_*() look at lockdep's own per-CPU flag. */
static void tell_lockdep(int enabled)
{
#ifdef CONFIG_PROVE_LOCKING
	this_cpu_write(hardirqs_enabled, enabled);
#endif
}

void irqsim_irq_disable(void)
{
	sim_self->irqs_off = 1;
	tell_lockdep(0);
}

void irqsim_irq_enable(void)
{
	sim_self->irqs_off = 0;
	tell_lockdep(1);
}

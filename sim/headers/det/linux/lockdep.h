/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marked because whether interrupts are on, and which context runs, is the running context's: the
 * per-CPU variables that assertions look at would have to be exchanged where contexts take turns.
 */
#ifndef IRQSIM_DET_LINUX_LOCKDEP_H
#define IRQSIM_DET_LINUX_LOCKDEP_H

#include_next <linux/lockdep.h>

#ifdef CONFIG_PROVE_LOCKING
bool irqsim_irqs_on(void); /* sim/kernel/det/irqflags.c */
bool irqsim_in_hardirq(void);

#undef lockdep_assert_irqs_enabled
#define lockdep_assert_irqs_enabled() ((void)WARN_ON_ONCE(!irqsim_irqs_on()))
#undef lockdep_assert_irqs_disabled
#define lockdep_assert_irqs_disabled() ((void)WARN_ON_ONCE(irqsim_irqs_on()))
#undef lockdep_assert_in_irq
#define lockdep_assert_in_irq() ((void)WARN_ON_ONCE(!irqsim_in_hardirq()))
#undef lockdep_assert_no_hardirq
#define lockdep_assert_no_hardirq() ((void)WARN_ON_ONCE(irqsim_in_hardirq() || !irqsim_irqs_on()))
#undef lockdep_assert_preemption_enabled
#define lockdep_assert_preemption_enabled() \
	((void)WARN_ON_ONCE(preempt_count() || !irqsim_irqs_on()))
#undef lockdep_assert_preemption_disabled
#define lockdep_assert_preemption_disabled() \
	((void)WARN_ON_ONCE(!preempt_count() && irqsim_irqs_on()))
#undef lockdep_assert_in_softirq
#define lockdep_assert_in_softirq() ((void)WARN_ON_ONCE(!in_softirq() || in_hardirq() || in_nmi()))
#endif

#endif

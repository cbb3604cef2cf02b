/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaced because cli, sti and pushf are the processor's: the interrupt flag is the running task's. */
#ifndef _X86_IRQFLAGS_H_
#define _X86_IRQFLAGS_H_

#include <asm/processor-flags.h>

#ifndef __ASSEMBLY__
/* sim/kernel/irqflags.c; the simulated CPU's interrupt flag */
unsigned long irqsim_save_flags(void);
void irqsim_irq_disable(void);
void irqsim_irq_enable(void);

static __always_inline unsigned long native_save_fl(void)
{
	return irqsim_save_flags();
}

static __always_inline void native_irq_disable(void)
{
	irqsim_irq_disable();
}

static __always_inline void native_irq_enable(void)
{
	irqsim_irq_enable();
}

static __always_inline void native_safe_halt(void)
{
	irqsim_irq_enable();
}

static __always_inline void native_halt(void)
{
}

static __always_inline unsigned long arch_local_save_flags(void)
{
	return native_save_fl();
}

static __always_inline void arch_local_irq_disable(void)
{
	native_irq_disable();
}

static __always_inline void arch_local_irq_enable(void)
{
	native_irq_enable();
}

static __always_inline void arch_safe_halt(void)
{
	native_safe_halt();
}

static __always_inline void halt(void)
{
	native_halt();
}

static __always_inline unsigned long arch_local_irq_save(void)
{
	unsigned long flags = native_save_fl();

	native_irq_disable();
	return flags;
}

static __always_inline int arch_irqs_disabled_flags(unsigned long flags)
{
	return !(flags & X86_EFLAGS_IF);
}

static __always_inline int arch_irqs_disabled(void)
{
	return arch_irqs_disabled_flags(native_save_fl());
}

static __always_inline void arch_local_irq_restore(unsigned long flags)
{
	if (arch_irqs_disabled_flags(flags))
		native_irq_disable();
	else
		native_irq_enable();
}
#endif
#endif

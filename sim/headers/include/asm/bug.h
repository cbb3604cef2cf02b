/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaced because the real one ends in ud2: BUG and WARN become calls that report and, for WARN, go on. */
#ifndef _ASM_X86_BUG_H
#define _ASM_X86_BUG_H

#include <linux/stringify.h>
#include <linux/instrumentation.h>

#ifndef __ASSEMBLY__
void irqsim_bug(const char *file, int line) __attribute__((noreturn, cold));
void irqsim_warn(const char *file, int line) __attribute__((cold));

#define HAVE_ARCH_BUG
#define BUG()		   irqsim_bug(__FILE__, __LINE__)
/* WARN_ON_ONCE() and its kind pass BUGFLAG_ONCE: the place itself remembers. */
#define __WARN_FLAGS(flags)                                                                        \
	do {                                                                                       \
		static bool irqsim_warned;                                                         \
                                                                                                   \
		if (!((flags) & BUGFLAG_ONCE) || !irqsim_warned) {                                 \
			irqsim_warned = true;                                                      \
			irqsim_warn(__FILE__, __LINE__);                                           \
		}                                                                                  \
	} while (0)
#endif

#include <asm-generic/bug.h>

#endif

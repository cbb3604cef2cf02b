/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaced because what a READ_ONCE() sees can only be acquired behind it. */
#ifndef IRQSIM_TSAN_ASM_RWONCE_H
#define IRQSIM_TSAN_ASM_RWONCE_H

#include <irqsim-acquire.h>

#define __READ_ONCE(x) irqsim_done(*(const volatile __unqual_scalar_typeof(x) *)&(x))

#include_next <asm/rwonce.h>

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marked because this_cpu operations are inline assembly, which instrumentation does not see: a call
 * before each says what it is about to do to this CPU's copy. It is one step, as it is one
 * instruction, but an ordinary store to other CPUs and to the store buffer (no lock prefix).
 * this_cpu_*() are marked accesses; raw_cpu_*() and __this_cpu_*() are plain ones, since on other
 * architectures only the caller keeps interrupts out (Documentation/core-api/this_cpu_ops.rst).
 * Not marked: the double and 64 and 128 bit compare-and-exchange, x86_this_cpu_test_bit().
 */
#ifndef IRQSIM_DET_LINUX_PERCPU_DEFS_H
#define IRQSIM_DET_LINUX_PERCPU_DEFS_H

#include_next <linux/percpu-defs.h>

#ifdef __SANITIZE_THREAD__
/* sim/host/race/tsan.c */
#define IRQSIM_CPU_READS   0
#define IRQSIM_CPU_WRITES  1
#define IRQSIM_CPU_UPDATES 3 /* reads and writes */
#define IRQSIM_CPU_MARKED  4
void irqsim_this_cpu(const volatile void *var, unsigned long size, int how);

/* Arguments first: their own accesses do not come between the mark and the operation. */
#define irqsim_cpu_read(kind, var, how)                                 \
	({                                                              \
		typeof(var) *__cpu_at = &(var);                         \
                                                                        \
		irqsim_this_cpu(__cpu_at, sizeof(var), how);            \
		__pcpu_size_call_return(kind##_cpu_read_, (*__cpu_at)); \
	})

#define irqsim_cpu_set(kind, op, type, var, val, how)                      \
	do {                                                               \
		typeof(var) *__cpu_at = &(var);                            \
		type __cpu_val = (val);                                    \
                                                                           \
		irqsim_this_cpu(__cpu_at, sizeof(var), how);               \
		__pcpu_size_call(kind##_cpu_##op, (*__cpu_at), __cpu_val); \
	} while (0)

#define irqsim_cpu_add_return(kind, var, val, how)                                        \
	({                                                                                \
		typeof(var) *__cpu_at = &(var);                                           \
		typeof(var) __cpu_val = (val);                                            \
                                                                                          \
		irqsim_this_cpu(__cpu_at, sizeof(var), how);                              \
		__pcpu_size_call_return2(kind##_cpu_add_return_, (*__cpu_at), __cpu_val); \
	})

#define irqsim_cpu_xchg(kind, var, val, how)                                        \
	({                                                                          \
		typeof(var) *__cpu_at = &(var);                                     \
		typeof(var) __cpu_val = (val), __cpu_was;                           \
                                                                                    \
		irqsim_this_cpu(__cpu_at, sizeof(var), how);                        \
		__cpu_was = __pcpu_size_call_return(kind##_cpu_read_, (*__cpu_at)); \
		__pcpu_size_call(kind##_cpu_write_, (*__cpu_at), __cpu_val);        \
		__cpu_was;                                                          \
	})

#define irqsim_cpu_cmpxchg(kind, var, old, val, how)                                              \
	({                                                                                        \
		typeof(var) *__cpu_at = &(var);                                                   \
		typeof(var) __cpu_old = (old), __cpu_val = (val);                                 \
                                                                                                  \
		irqsim_this_cpu(__cpu_at, sizeof(var), how);                                      \
		__pcpu_size_call_return2(kind##_cpu_cmpxchg_, (*__cpu_at), __cpu_old, __cpu_val); \
	})

#define irqsim_cpu_try_cmpxchg(kind, var, oldp, val, how)                                    \
	({                                                                                   \
		typeof(var) *__cpu_oldp = (oldp), __cpu_want = *__cpu_oldp;                  \
		typeof(var) __cpu_got = irqsim_cpu_cmpxchg(kind, var, __cpu_want, val, how); \
                                                                                             \
		if (__cpu_got != __cpu_want)                                                 \
			*__cpu_oldp = __cpu_got;                                             \
		__cpu_got == __cpu_want;                                                     \
	})

#undef raw_cpu_read
#undef raw_cpu_write
#undef raw_cpu_add
#undef raw_cpu_and
#undef raw_cpu_or
#undef raw_cpu_add_return
#undef raw_cpu_xchg
#undef raw_cpu_cmpxchg
#define raw_cpu_read(var) irqsim_cpu_read(raw, var, IRQSIM_CPU_READS)
#define raw_cpu_write(var, val) \
	irqsim_cpu_set(raw, write_, typeof(var), var, val, IRQSIM_CPU_WRITES)
#define raw_cpu_add(var, val)	       irqsim_cpu_set(raw, add_, long, var, val, IRQSIM_CPU_UPDATES)
#define raw_cpu_and(var, val)	       irqsim_cpu_set(raw, and_, long, var, val, IRQSIM_CPU_UPDATES)
#define raw_cpu_or(var, val)	       irqsim_cpu_set(raw, or_, long, var, val, IRQSIM_CPU_UPDATES)
#define raw_cpu_add_return(var, val)   irqsim_cpu_add_return(raw, var, val, IRQSIM_CPU_UPDATES)
#define raw_cpu_xchg(var, val)	       irqsim_cpu_xchg(raw, var, val, IRQSIM_CPU_UPDATES)
#define raw_cpu_cmpxchg(var, old, val) irqsim_cpu_cmpxchg(raw, var, old, val, IRQSIM_CPU_UPDATES)
#ifdef raw_cpu_try_cmpxchg
#undef raw_cpu_try_cmpxchg
#define raw_cpu_try_cmpxchg(var, oldp, val) \
	irqsim_cpu_try_cmpxchg(raw, var, oldp, val, IRQSIM_CPU_UPDATES)
#endif

#undef this_cpu_read
#undef this_cpu_write
#undef this_cpu_add
#undef this_cpu_and
#undef this_cpu_or
#undef this_cpu_add_return
#undef this_cpu_xchg
#undef this_cpu_cmpxchg
#define irqsim_cpu_sets	   (IRQSIM_CPU_WRITES | IRQSIM_CPU_MARKED)
#define irqsim_cpu_updates (IRQSIM_CPU_UPDATES | IRQSIM_CPU_MARKED)
#define this_cpu_read(var) irqsim_cpu_read(this, var, IRQSIM_CPU_READS | IRQSIM_CPU_MARKED)
#define this_cpu_write(var, val) \
	irqsim_cpu_set(this, write_, typeof(var), var, val, irqsim_cpu_sets)
#define this_cpu_add(var, val)		irqsim_cpu_set(this, add_, long, var, val, irqsim_cpu_updates)
#define this_cpu_and(var, val)		irqsim_cpu_set(this, and_, long, var, val, irqsim_cpu_updates)
#define this_cpu_or(var, val)		irqsim_cpu_set(this, or_, long, var, val, irqsim_cpu_updates)
#define this_cpu_add_return(var, val)	irqsim_cpu_add_return(this, var, val, irqsim_cpu_updates)
#define this_cpu_xchg(var, val)		irqsim_cpu_xchg(this, var, val, irqsim_cpu_updates)
#define this_cpu_cmpxchg(var, old, val) irqsim_cpu_cmpxchg(this, var, old, val, irqsim_cpu_updates)
#ifdef this_cpu_try_cmpxchg
#undef this_cpu_try_cmpxchg
#define this_cpu_try_cmpxchg(var, oldp, val) \
	irqsim_cpu_try_cmpxchg(this, var, oldp, val, irqsim_cpu_updates)
#endif
#endif

#endif

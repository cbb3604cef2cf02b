/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What liburcu's assembly orders, said to ThreadSanitizer, which sees none of it.
 */
#ifndef SIM_HOST_SCHED_TSAN_H
#define SIM_HOST_SCHED_TSAN_H

#ifdef SIM_TSAN
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
#define happens_before(p) __tsan_release((void *)(p))
#define happens_after(p)  __tsan_acquire((void *)(p))
#else
#define happens_before(p) ((void)(p))
#define happens_after(p)  ((void)(p))
#endif

#endif

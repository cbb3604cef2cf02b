// SPDX-License-Identifier: GPL-2.0-only
/*
 * What every this_cpu operation gives, in each size: as documented in core-api/this_cpu_ops.rst.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "programs.h"

#define ALL_OF(name, type, kind)                                           \
	static DEFINE_PER_CPU(type, name);                                 \
                                                                           \
	static void all_of_##name(void)                                    \
	{                                                                  \
		type old = 7;                                              \
                                                                           \
		kind##_write(name, 0x51);                                  \
		DET_CHECK(kind##_read(name) == 0x51);                      \
		kind##_add(name, 0x12);                                    \
		DET_CHECK(kind##_read(name) == 0x63);                      \
		kind##_sub(name, 1);                                       \
		kind##_inc(name);                                          \
		kind##_inc(name);                                          \
		kind##_dec(name);                                          \
		DET_CHECK(kind##_read(name) == 0x63);                      \
		kind##_and(name, 0x6e);                                    \
		DET_CHECK(kind##_read(name) == 0x62);                      \
		kind##_or(name, 0x81);                                     \
		DET_CHECK(kind##_read(name) == 0xe3);                      \
		DET_CHECK(kind##_add_return(name, 4) == 0xe7);             \
		DET_CHECK(kind##_sub_return(name, 1) == 0xe6);             \
		DET_CHECK(kind##_xchg(name, 9) == 0xe6);                   \
		DET_CHECK(kind##_cmpxchg(name, 8, 10) == 9);               \
		DET_CHECK(kind##_read(name) == 9);                         \
		DET_CHECK(kind##_cmpxchg(name, 9, 10) == 9);               \
		DET_CHECK(kind##_read(name) == 10);                        \
		TRY(name, kind, old)                                       \
		kind##_write(name, -1);                                    \
		DET_CHECK(kind##_add_return(name, 2) == 1);                \
		DET_CHECK(*this_cpu_ptr(&name) == 1);                      \
		DET_CHECK(raw_cpu_ptr(&name) == per_cpu_ptr(&name, 0));    \
		DET_CHECK(per_cpu_ptr(&name, 1) != per_cpu_ptr(&name, 0)); \
	}

#ifdef this_cpu_try_cmpxchg
#define TRY(name, kind, old)                             \
	DET_CHECK(!kind##_try_cmpxchg(name, &old, 11));  \
	DET_CHECK(old == 10 && kind##_read(name) == 10); \
	DET_CHECK(kind##_try_cmpxchg(name, &old, 11));   \
	DET_CHECK(old == 10 && kind##_read(name) == 11);
#else
#define TRY(name, kind, old) (void)old;
#endif

ALL_OF(this_1, u8, this_cpu)
ALL_OF(this_2, u16, this_cpu)
ALL_OF(this_4, u32, this_cpu)
ALL_OF(this_8, u64, this_cpu)
ALL_OF(raw_1, u8, raw_cpu)
ALL_OF(raw_2, u16, raw_cpu)
ALL_OF(raw_4, u32, raw_cpu)
ALL_OF(raw_8, u64, raw_cpu)
ALL_OF(checked_4, u32, __this_cpu)

static DEFINE_PER_CPU(void *, pointer);

static void pointers(void)
{
	static int target;

	this_cpu_write(pointer, &target);
	DET_CHECK(this_cpu_read(pointer) == &target);
	DET_CHECK(this_cpu_xchg(pointer, NULL) == &target);
	DET_CHECK(this_cpu_cmpxchg(pointer, NULL, &target) == NULL);
	DET_CHECK(this_cpu_read(pointer) == &target);
}

static void all(unsigned int n)
{
	preempt_disable();
	all_of_this_1();
	all_of_this_2();
	all_of_this_4();
	all_of_this_8();
	all_of_raw_1();
	all_of_raw_2();
	all_of_raw_4();
	all_of_raw_8();
	all_of_checked_4();
	pointers();
	preempt_enable();
}

PROGRAM(per_cpu_ops, "per-cpu-ops", "what this_cpu operations give", 1, .actor = all);

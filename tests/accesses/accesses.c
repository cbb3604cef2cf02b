// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every atomic operation, bit operation, barrier and marked access that kernel code can make, once.
 * What each orders: Documentation/atomic_t.txt, atomic_bitops.txt, memory-barriers.txt. Which have
 * a lock prefix or are a fence on x86: arch/x86/include/asm/{atomic,bitops,barrier}.h.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kcsan-checks.h>
#include <linux/kernel.h>
#include <linux/processor.h>

#include "accesses.h"

uint64_t access_target[2];
unsigned long access_old; /* what compare-and-exchanges compare with */
unsigned int access_current;
static int data, buffered[2];
static volatile unsigned int sink; /* what is read is used */

#define V32	 ((atomic_t *)access_target)
#define V64	 ((atomic64_t *)access_target)
#define VLONG	 ((atomic_long_t *)access_target)
#define BITS	 ((unsigned long *)access_target)
#define AT(type) ((type *)access_target)

#define RUN(id, ...)               \
	static void run_##id(void) \
	{                          \
		__VA_ARGS__;       \
	}

/* ---- the functions; the table below names them ---- */

#define VOID_ONE(a, v, op) RUN(a##_##op, a##_##op(1, v))
#define VOID_OPS(a, v)                             \
	VOID_ONE(a, v, add)                        \
	VOID_ONE(a, v, sub)                        \
	VOID_ONE(a, v, or)                         \
	VOID_ONE(a, v, and)                        \
	VOID_ONE(a, v, xor)                        \
	VOID_ONE(a, v, andnot)                     \
	RUN(a##_inc, a##_inc(v))                   \
	RUN(a##_dec, a##_dec(v))                   \
	RUN(a##_read, a##_read(v))                 \
	RUN(a##_set, a##_set(v, 1))                \
	RUN(a##_read_acquire, a##_read_acquire(v)) \
	RUN(a##_set_release, a##_set_release(v, 1))

#define ORDERS(X, a, v, op, ...)           \
	X(a, v, op, , __VA_ARGS__)         \
	X(a, v, op, _acquire, __VA_ARGS__) \
	X(a, v, op, _release, __VA_ARGS__) \
	X(a, v, op, _relaxed, __VA_ARGS__)
#define ONE(a, v, op, order, ...) RUN(a##_##op##order, a##_##op##order(__VA_ARGS__))
#define TRY_ONE(a, v, op, order, type) \
	RUN(a##_##op##order, type old = access_old; a##_##op##order(v, &old, 2))
#define VALUE_OPS(a, v, type)                        \
	ORDERS(ONE, a, v, add_return, 1, v)          \
	ORDERS(ONE, a, v, sub_return, 1, v)          \
	ORDERS(ONE, a, v, inc_return, v)             \
	ORDERS(ONE, a, v, dec_return, v)             \
	ORDERS(ONE, a, v, fetch_add, 1, v)           \
	ORDERS(ONE, a, v, fetch_sub, 1, v)           \
	ORDERS(ONE, a, v, fetch_inc, v)              \
	ORDERS(ONE, a, v, fetch_dec, v)              \
	ORDERS(ONE, a, v, fetch_or, 1, v)            \
	ORDERS(ONE, a, v, fetch_and, 1, v)           \
	ORDERS(ONE, a, v, fetch_xor, 1, v)           \
	ORDERS(ONE, a, v, fetch_andnot, 2, v)        \
	ORDERS(ONE, a, v, xchg, v, 2)                \
	ORDERS(ONE, a, v, cmpxchg, v, access_old, 2) \
	ORDERS(TRY_ONE, a, v, try_cmpxchg, type)
#define TESTS(a, v)                                              \
	RUN(a##_sub_and_test, a##_sub_and_test(1, v))            \
	RUN(a##_dec_and_test, a##_dec_and_test(v))               \
	RUN(a##_inc_and_test, a##_inc_and_test(v))               \
	RUN(a##_add_negative, a##_add_negative(1, v))            \
	RUN(a##_add_unless, a##_add_unless(v, 1, 5))             \
	RUN(a##_fetch_add_unless, a##_fetch_add_unless(v, 1, 5)) \
	RUN(a##_inc_unless_negative, a##_inc_unless_negative(v))

VOID_OPS(atomic, V32)
VOID_OPS(atomic64, V64)
VOID_OPS(atomic_long, VLONG)
VALUE_OPS(atomic, V32, int)
VALUE_OPS(atomic64, V64, s64)
VALUE_OPS(atomic_long, VLONG, long)
TESTS(atomic, V32)
TESTS(atomic64, V64)
TESTS(atomic_long, VLONG)

#define WORD_ONE(a, v, op, order, type)                                               \
	RUN(a##_xchg##order##_##op, xchg##order(AT(type), 2))                         \
	RUN(a##_cmpxchg##order##_##op, cmpxchg##order(AT(type), (type)access_old, 2)) \
	RUN(a##_try_cmpxchg##order##_##op, type old = access_old;                     \
	    try_cmpxchg##order(AT(type), &old, 2))
#define WORD_OPS(type)                                                   \
	ORDERS(WORD_ONE, word, 0, type, type)                            \
	RUN(READ_ONCE_##type, READ_ONCE(*AT(type)))                      \
	RUN(WRITE_ONCE_##type, WRITE_ONCE(*AT(type), 1))                 \
	RUN(load_acquire_##type, smp_load_acquire(AT(type)))             \
	RUN(store_release_##type, smp_store_release(AT(type), 1))        \
	RUN(store_mb_##type, smp_store_mb(*AT(type), 1))                 \
	RUN(plain_read_##type, sink = *AT(type))                         \
	RUN(plain_write_##type, *AT(type) = 1)                           \
	RUN(data_race_read_##type, sink = data_race(*AT(type)))          \
	RUN(exclusive_writer_##type, ASSERT_EXCLUSIVE_WRITER(*AT(type))) \
	RUN(exclusive_access_##type, ASSERT_EXCLUSIVE_ACCESS(*AT(type)))
WORD_OPS(u8)
WORD_OPS(u16)
WORD_OPS(u32)
WORD_OPS(u64)

RUN(cond_load_acquire, smp_cond_load_acquire(AT(u32), VAL))
RUN(cond_load_relaxed, smp_cond_load_relaxed(AT(u32), VAL))

/* Bit 65 is in the second word */
RUN(set_bit, set_bit(65, BITS))
RUN(clear_bit, clear_bit(65, BITS))
RUN(change_bit, change_bit(65, BITS))
RUN(test_and_set_bit, test_and_set_bit(1, BITS))
RUN(test_and_clear_bit, test_and_clear_bit(1, BITS))
RUN(test_and_change_bit, test_and_change_bit(1, BITS))
RUN(test_and_set_bit_lock, test_and_set_bit_lock(1, BITS))
RUN(clear_bit_unlock, clear_bit_unlock(1, BITS))
RUN(__clear_bit_unlock, __clear_bit_unlock(1, BITS))
RUN(test_bit_constant, sink = test_bit(65, BITS))
RUN(test_bit_variable, unsigned long nr = access_old + 65; sink = test_bit(nr, BITS))
RUN(test_bit_acquire, sink = test_bit_acquire(0, BITS))
RUN(__set_bit, __set_bit(1, BITS))
RUN(__clear_bit, __clear_bit(1, BITS))

RUN(smp_mb, smp_mb())
RUN(smp_rmb, smp_rmb())
RUN(smp_wmb, smp_wmb())
RUN(mb, mb())
RUN(smp_mb__before_atomic, smp_mb__before_atomic(); atomic_inc(V32))
RUN(smp_mb__after_atomic, atomic_inc(V32); smp_mb__after_atomic())

/* ---- the table ---- */

#define ROW(id, what, bytes, flags) { #id, run_##id, what, bytes, flags, 0 },
#define LOCKED			    (MARKED | EMPTIES)

#define VOID_ROWS(a, n)                                          \
	ROW(a##_add, ACCESS_RMW, n, LOCKED)                      \
	ROW(a##_sub, ACCESS_RMW, n, LOCKED)                      \
	ROW(a##_or, ACCESS_RMW, n, LOCKED)                       \
	ROW(a##_and, ACCESS_RMW, n, LOCKED)                      \
	ROW(a##_xor, ACCESS_RMW, n, LOCKED)                      \
	ROW(a##_andnot, ACCESS_RMW, n, LOCKED)                   \
	ROW(a##_inc, ACCESS_RMW, n, LOCKED)                      \
	ROW(a##_dec, ACCESS_RMW, n, LOCKED)                      \
	ROW(a##_read, ACCESS_READ, n, MARKED)                    \
	ROW(a##_set, ACCESS_WRITE, n, MARKED)                    \
	ROW(a##_read_acquire, ACCESS_READ, n, MARKED | ACQUIRES) \
	ROW(a##_set_release, ACCESS_WRITE, n, MARKED | RELEASES)
#define ORDER_ROWS(id, n)                                   \
	ROW(id, ACCESS_RMW, n, FULL)                        \
	ROW(id##_acquire, ACCESS_RMW, n, LOCKED | ACQUIRES) \
	ROW(id##_release, ACCESS_RMW, n, LOCKED | RELEASES) \
	ROW(id##_relaxed, ACCESS_RMW, n, LOCKED)
#define VALUE_ROWS(a, n)                               \
	ORDER_ROWS(a##_add_return, n)                  \
	ORDER_ROWS(a##_sub_return, n)                  \
	ORDER_ROWS(a##_inc_return, n)                  \
	ORDER_ROWS(a##_dec_return, n)                  \
	ORDER_ROWS(a##_fetch_add, n)                   \
	ORDER_ROWS(a##_fetch_sub, n)                   \
	ORDER_ROWS(a##_fetch_inc, n)                   \
	ORDER_ROWS(a##_fetch_dec, n)                   \
	ORDER_ROWS(a##_fetch_or, n)                    \
	ORDER_ROWS(a##_fetch_and, n)                   \
	ORDER_ROWS(a##_fetch_xor, n)                   \
	ORDER_ROWS(a##_fetch_andnot, n)                \
	ORDER_ROWS(a##_xchg, n)                        \
	ORDER_ROWS(a##_cmpxchg, n)                     \
	ORDER_ROWS(a##_try_cmpxchg, n)                 \
	ROW(a##_sub_and_test, ACCESS_RMW, n, FULL)     \
	ROW(a##_dec_and_test, ACCESS_RMW, n, FULL)     \
	ROW(a##_inc_and_test, ACCESS_RMW, n, FULL)     \
	ROW(a##_add_negative, ACCESS_RMW, n, FULL)     \
	ROW(a##_add_unless, ACCESS_RMW, n, FULL)       \
	ROW(a##_fetch_add_unless, ACCESS_RMW, n, FULL) \
	ROW(a##_inc_unless_negative, ACCESS_RMW, n, FULL)
#define WORD_ORDER_ROWS(op, type, n)                                      \
	ROW(word_##op##_##type, ACCESS_RMW, n, FULL)                      \
	ROW(word_##op##_acquire_##type, ACCESS_RMW, n, LOCKED | ACQUIRES) \
	ROW(word_##op##_release_##type, ACCESS_RMW, n, LOCKED | RELEASES) \
	ROW(word_##op##_relaxed_##type, ACCESS_RMW, n, LOCKED)
/* smp_store_mb() is an exchange on x86 */
#define WORD_ROWS(type, n)                                            \
	WORD_ORDER_ROWS(xchg, type, n)                                \
	WORD_ORDER_ROWS(cmpxchg, type, n)                             \
	WORD_ORDER_ROWS(try_cmpxchg, type, n)                         \
	ROW(READ_ONCE_##type, ACCESS_READ, n, MARKED)                 \
	ROW(WRITE_ONCE_##type, ACCESS_WRITE, n, MARKED)               \
	ROW(load_acquire_##type, ACCESS_READ, n, MARKED | ACQUIRES)   \
	ROW(store_release_##type, ACCESS_WRITE, n, MARKED | RELEASES) \
	ROW(store_mb_##type, ACCESS_RMW, n, FULL)                     \
	ROW(plain_read_##type, ACCESS_READ, n, 0)                     \
	ROW(plain_write_##type, ACCESS_WRITE, n, 0)                   \
	ROW(data_race_read_##type, ACCESS_READ, n, IGNORED)           \
	ROW(exclusive_writer_##type, ACCESS_READ, n, ASSERTS)         \
	ROW(exclusive_access_##type, ACCESS_READ, n, ASSERTS)
#define SECOND(id, what, flags) { #id, run_##id, what, 8, flags, 8 },

/* clang-format off: rows without commas */
const struct access accesses[] = {
	VOID_ROWS(atomic, 4) VOID_ROWS(atomic64, 8) VOID_ROWS(atomic_long, 8) VALUE_ROWS(
		atomic, 4) VALUE_ROWS(atomic64, 8) VALUE_ROWS(atomic_long, 8) WORD_ROWS(u8, 1)
		WORD_ROWS(u16, 2) WORD_ROWS(u32, 4) WORD_ROWS(u64, 8) ROW(
			cond_load_acquire, ACCESS_READ, 4,
			MARKED | ACQUIRES) ROW(cond_load_relaxed, ACCESS_READ, 4,
					       MARKED) SECOND(set_bit, ACCESS_RMW,
							      LOCKED) SECOND(clear_bit, ACCESS_RMW,
									     LOCKED)
			SECOND(change_bit, ACCESS_RMW, LOCKED) ROW(
				test_and_set_bit, ACCESS_RMW, 8,
				FULL) ROW(test_and_clear_bit, ACCESS_RMW, 8,
					  FULL) ROW(test_and_change_bit, ACCESS_RMW, 8, FULL)
				ROW(test_and_set_bit_lock, ACCESS_RMW, 8, LOCKED | ACQUIRES) ROW(
					clear_bit_unlock, ACCESS_RMW,
					8,
					LOCKED | RELEASES) ROW(__clear_bit_unlock, ACCESS_WRITE,
							       8, MARKED | RELEASES)
					SECOND(test_bit_constant, ACCESS_READ, MARKED) SECOND(
						test_bit_variable,
						ACCESS_READ, MARKED) ROW(test_bit_acquire,
									 ACCESS_READ, 8,
									 MARKED | ACQUIRES)
						ROW(__set_bit, ACCESS_WRITE, 8,
						    0) ROW(__clear_bit, ACCESS_WRITE, 8,
							   0) ROW(smp_mb, ACCESS_NONE, 0,
								  ACQUIRES | RELEASES | EMPTIES)
							ROW(smp_rmb, ACCESS_NONE, 0, ACQUIRES) ROW(
								smp_wmb, ACCESS_NONE, 0,
								RELEASES) ROW(mb, ACCESS_NONE, 0,
									      ACQUIRES | RELEASES |
										      EMPTIES)
								ROW(smp_mb__before_atomic,
								    ACCESS_RMW, 4,
								    LOCKED | RELEASES)
									ROW(smp_mb__after_atomic,
									    ACCESS_RMW, 4,
									    LOCKED | ACQUIRES)
};
/* clang-format on */
const unsigned int nr_accesses = ARRAY_SIZE(accesses);

/* ---- what is done beside it ---- */

static bool is_fence(void)
{
	return accesses[access_current].kind == ACCESS_NONE;
}

void access_alone(void)
{
	accesses[access_current].run();
}

/* The operation is to release: a fence does it for the store behind it. */
void access_put(void)
{
	data = 1;
	accesses[access_current].run();
	if (is_fence())
		WRITE_ONCE(*AT(u64), 1);
}

void access_take(void)
{
	int offset = accesses[access_current].offset / 8;

	smp_load_acquire(&access_target[offset]);
	sink = data;
}

/* The operation is to acquire: a fence does it for the load before it. */
void access_publish(void)
{
	int offset = accesses[access_current].offset / 8;

	data = 1;
	smp_store_release(&access_target[offset], 1);
}

void access_get(void)
{
	if (is_fence())
		READ_ONCE(*AT(u64));
	accesses[access_current].run();
	sink = data;
}

int access_store_load(unsigned int n)
{
	WRITE_ONCE(buffered[n], 1);
	accesses[access_current].run();
	return READ_ONCE(buffered[!n]);
}

/* An assertion or a plain access, and a marked store by somebody else */
void access_write_marked(void)
{
	WRITE_ONCE(*AT(u64), 0);
}

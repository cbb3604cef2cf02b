// SPDX-License-Identifier: GPL-2.0-only
/*
 * ThreadSanitizer for kernel code: libtsan has no entry points for volatile accesses and none of
 * KCSAN's, and takes no notice of fences. A marked access becomes a relaxed atomic one; a fence
 * before a store makes it a release of all that came before, one after loads an acquire of what
 * they read. This gives a little more order than the memory model does (a release also covers what
 * came between fence and store), so that a report is a race, and a few races are missed.
 *
 * Not instrumented itself.
 */
#include <stdint.h>
#include <string.h>

#include "litmus_tsan.h"

/* ---- libtsan's, by gcc's and compiler-rt's <sanitizer/tsan_interface*.h> ---- */

void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
void __tsan_read_range(void *addr, unsigned long size);
void __tsan_write_range(void *addr, unsigned long size);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
uint8_t __tsan_atomic8_load(const volatile uint8_t *p, int order);
uint16_t __tsan_atomic16_load(const volatile uint16_t *p, int order);
uint32_t __tsan_atomic32_load(const volatile uint32_t *p, int order);
uint64_t __tsan_atomic64_load(const volatile uint64_t *p, int order);
uint8_t __tsan_atomic8_fetch_add(volatile uint8_t *p, uint8_t v, int order);
uint16_t __tsan_atomic16_fetch_add(volatile uint16_t *p, uint16_t v, int order);
uint32_t __tsan_atomic32_fetch_add(volatile uint32_t *p, uint32_t v, int order);
uint64_t __tsan_atomic64_fetch_add(volatile uint64_t *p, uint64_t v, int order);

#define MAX_READ 32

static __thread struct {
	bool releases; /* there was a release fence */
	bool acquires; /* the next read is an acquire */
	bool in_loop;  /* the loads inside an atomic operation */
	bool takes;    /* the access under way acquires */
	bool ignoring; /* kcsan_atomic_next() */
	void *at;      /* what it accesses; NULL: none under way */
	void *seen[MAX_READ];
	unsigned int nr_seen;
} me;

/* ---- accesses ---- */

static void look(void *p, unsigned long size)
{
	switch (size) {
	case 1:
		__tsan_atomic8_load(p, __ATOMIC_RELAXED);
		break;
	case 2:
		__tsan_atomic16_load(p, __ATOMIC_RELAXED);
		break;
	case 4:
		__tsan_atomic32_load(p, __ATOMIC_RELAXED);
		break;
	default:
		__tsan_atomic64_load(p, __ATOMIC_RELAXED);
	}
}

/* An atomic write that changes nothing */
static void touch(void *p, unsigned long size)
{
	switch (size) {
	case 1:
		__tsan_atomic8_fetch_add(p, 0, __ATOMIC_RELAXED);
		break;
	case 2:
		__tsan_atomic16_fetch_add(p, 0, __ATOMIC_RELAXED);
		break;
	case 4:
		__tsan_atomic32_fetch_add(p, 0, __ATOMIC_RELAXED);
		break;
	default:
		__tsan_atomic64_fetch_add(p, 0, __ATOMIC_RELAXED);
	}
}

/* A marked read of a pointer orders what is reached through it. */
static void marked_read(void *p, unsigned long size)
{
	if (me.in_loop)
		return;
	me.at = p;
	me.takes = me.acquires || size == 8;
	me.acquires = false;
	look(p, size);
}

static void marked_write(void *p, unsigned long size)
{
	if (me.releases)
		__tsan_release(p);
	touch(p, size);
}

static void marked_rmw(void *p, unsigned long size)
{
	me.at = p;
	me.takes = me.acquires;
	me.acquires = false;
	marked_write(p, size);
}

void irqsim_next_acquires(void);
void irqsim_next_acquires(void)
{
	me.acquires = true;
}

void irqsim_access_done(const char *unused);
void irqsim_access_done(const char *unused)
{
	(void)unused;
	if (!me.at || me.in_loop)
		return;
	if (me.takes)
		__tsan_acquire(me.at);
	else
		me.seen[me.nr_seen++ % MAX_READ] = me.at;
	me.at = NULL;
}

char irqsim_loop_begins(void);
char irqsim_loop_begins(void)
{
	me.in_loop = true;
	return 0;
}

void irqsim_loop_ends(const char *unused);
void irqsim_loop_ends(const char *unused)
{
	me.in_loop = false;
	irqsim_access_done(unused);
}

#define VOLATILE(n)                                                \
	void __tsan_volatile_read##n(void *p);                     \
	void __tsan_volatile_read##n(void *p)                      \
	{                                                          \
		marked_read(p, n);                                 \
	}                                                          \
	void __tsan_volatile_write##n(void *p);                    \
	void __tsan_volatile_write##n(void *p)                     \
	{                                                          \
		marked_write(p, n);                                \
	}                                                          \
	void __tsan_unaligned_volatile_read##n(void *p)            \
		__attribute__((alias("__tsan_volatile_read" #n))); \
	void __tsan_unaligned_volatile_write##n(void *p)           \
		__attribute__((alias("__tsan_volatile_write" #n)))
VOLATILE(1);
VOLATILE(2);
VOLATILE(4);
VOLATILE(8);

/* include/linux/kcsan-checks.h */
#define ACCESS_WRITE	(1 << 0)
#define ACCESS_COMPOUND (1 << 1)
#define ACCESS_ATOMIC	(1 << 2)
#define ACCESS_ASSERT	(1 << 3)

void __kcsan_check_access(const volatile void *ptr, unsigned long size, int type);
void __kcsan_check_access(const volatile void *ptr, unsigned long size, int type)
{
	void *p = (void *)ptr;

	if (type & ACCESS_ASSERT)
		return;
	if (!(type & ACCESS_ATOMIC)) {
		if (type & ACCESS_WRITE)
			__tsan_write_range(p, size);
		else
			__tsan_read_range(p, size);
	} else if (!(type & ACCESS_WRITE)) {
		marked_read(p, size);
	} else if (type & ACCESS_COMPOUND) {
		marked_rmw(p, size);
	} else {
		marked_write(p, size);
	}
}

/* ---- fences: how CONFIG_KCSAN_WEAK_MEMORY marks mb, wmb, rmb, release by the four orders ---- */

static void fence(int order)
{
	unsigned int i;

	if (order != __ATOMIC_ACQUIRE)
		me.releases = true;
	if (order != __ATOMIC_ACQUIRE && order != __ATOMIC_SEQ_CST)
		return;
	for (i = 0; i < me.nr_seen && i < MAX_READ; i++)
		__tsan_acquire(me.seen[i]);
	me.nr_seen = 0;
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	fence(order);
}

void __kcsan_mb(void);
void __kcsan_mb(void)
{
	fence(__ATOMIC_SEQ_CST);
}

void __kcsan_wmb(void);
void __kcsan_wmb(void)
{
	fence(__ATOMIC_ACQ_REL);
}

void __kcsan_rmb(void);
void __kcsan_rmb(void)
{
	fence(__ATOMIC_ACQUIRE);
}

void __kcsan_release(void);
void __kcsan_release(void)
{
	fence(__ATOMIC_RELEASE);
}

/* ---- regions that the race check leaves alone ---- */

static void ignore(void)
{
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}

static void mind(void)
{
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
}

#define REGION(name, what)       \
	void kcsan_##name(void); \
	void kcsan_##name(void)  \
	{                        \
		what();          \
	}
REGION(disable_current, ignore)
REGION(enable_current, mind)
REGION(enable_current_nowarn, mind)
REGION(nestable_atomic_begin, ignore)
REGION(nestable_atomic_end, mind)
REGION(flat_atomic_begin, ignore)
REGION(flat_atomic_end, mind)

/* A seqcount's reader: it begins with a large count and ends with 0. */
void kcsan_atomic_next(int n);
void kcsan_atomic_next(int n)
{
	if (n && !me.ignoring)
		ignore();
	if (!n && me.ignoring)
		mind();
	me.ignoring = n;
}

/* ---- the runner's questions ---- */

static bool expected;
static unsigned int nr_reports;

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	/* Programs share variables and functions: a report of one must not hide another's. */
	return "suppress_equal_addresses=0:suppress_equal_stacks=0:exitcode=0";
}

/* bool __tsan::OnReport(const ReportDesc *, bool): true, and nothing is printed */
bool on_report(const void *report,
	       bool suppressed) __asm__("_ZN6__tsan8OnReportEPKNS_10ReportDescEb");
bool on_report(const void *report, bool suppressed)
{
	(void)report;
	if (!suppressed)
		__atomic_fetch_add(&nr_reports, 1, __ATOMIC_SEQ_CST);
	return suppressed || expected;
}

bool tsan_is_on(void)
{
	return true;
}

void tsan_program_begins(bool quiet)
{
	expected = quiet;
	__atomic_store_n(&nr_reports, 0, __ATOMIC_SEQ_CST);
}

unsigned int tsan_reports(void)
{
	return __atomic_load_n(&nr_reports, __ATOMIC_SEQ_CST);
}

void tsan_round_begins(void)
{
	memset(&me, 0, sizeof(me));
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The callbacks of -fsanitize=thread, of gcc 12 and clang 14, and those that the kernel's headers
 * make under CONFIG_KCSAN. Each comes before its access.
 */
#include <string.h>

#include <sim/report.h>

#include "../sched/det.h"
#include "../sched/tso.h"

/* include/linux/kcsan-checks.h */
#define ACCESS_WRITE	(1 << 0)
#define ACCESS_COMPOUND (1 << 1)
#define ACCESS_ATOMIC	(1 << 2)
#define ACCESS_ASSERT	(1 << 3)

/* Now that it is @t's turn: will its compare-and-exchange find what it wants? */
static __attribute__((noinline)) void compare(struct det_task *t)
{
	if (t->op.kind == DET_OP_RMW && t->op.size == t->compares &&
	    memcmp((const void *)t->op.addr, &t->expects, t->compares))
		t->op.flags |= DET_FAILED;
	t->compares = 0;
}

extern const char __noinstr_text_start[], __noinstr_text_end[]; /* sim/host/sched/percpu.ld */

/*
 * Code that RCU does not watch has to be free of instrumentation, which could use RCU; what is in
 * .noinstr.text says that it takes care (Documentation/core-api/entry.rst).
 */
static void check_eqs(const struct det_task *t, const char *pc)
{
	if ((pc >= __noinstr_text_start && pc < __noinstr_text_end) ||
	    sim_report_again(SIM_REPORT_RCU, pc))
		return;
	sim_report(SIM_REPORT_RCU, pc,
		   "WARNING: suspicious RCU usage\n"
		   "-----------------------------\n"
		   "instrumented memory access outside of .noinstr.text!\n\n"
		   "other info that might help us debug this:\n\n"
		   "RCU used illegally from extended quiescent state!\n"
		   "%s/%d on cpu %d is in guest or user mode",
		   t->sim.comm, t->sim.pid, t->sim.cpu);
}

static __attribute__((noinline)) uint8_t unusual(struct det_task *t, uint8_t flags, void *pc)
{
	if (t->sim.in_eqs && !(flags & DET_LOCAL))
		check_eqs(t, pc);
	if (!(t->kcsan_off | t->kcsan_next))
		return 0;
	if (t->kcsan_next)
		t->kcsan_next--;
	return DET_ATOMIC;
}

/* No execution runs: set-up, or virtual time. */
static __attribute__((noinline)) void outside(uintptr_t addr, uint32_t size, enum det_kind kind,
					      uint8_t flags)
{
	if (det_timing)
		det_timing->access(addr, size, kind, flags);
	if (kind != DET_OP_READ)
		race_undo_note(addr, size);
}

static inline __attribute__((always_inline)) void event(uintptr_t addr, uint32_t size,
							enum det_kind kind, uint8_t flags, void *pc)
{
	struct det_task *t = det.cur;

	if (__builtin_expect(!t, 0)) {
		outside(addr, size, kind, flags);
		return;
	}
	if (__builtin_expect(t->kcsan_off | t->kcsan_next | t->sim.in_eqs, 0))
		flags |= unusual(t, flags, pc);
	if (__builtin_expect(det.tso, 0))
		tso_settle(t);
	t->op = (struct det_op){ .kind = kind,
				 .flags = flags,
				 .pc = (uint32_t)(uintptr_t)pc,
				 .addr = addr,
				 .size = size };
	if (__builtin_expect(det.tso, 0) && tso_is_own_stack(t, addr))
		t->op.flags |= DET_DIRECT;
	det_schedule(t);
	if (__builtin_expect(det.tso, 0))
		tso_commit(t, &t->op);
	if (__builtin_expect(t->compares, 0))
		compare(t);
	race_commit(t, &t->op);
	if (flags & DET_MARKED)
		t->acquires = false;
	t->spin_pc = 0;
}

/* A marked read, which may be one more turn of a loop that waits. */
static inline __attribute__((always_inline)) void marked_read(uintptr_t addr, uint32_t size,
							      uint8_t flags, void *pc)
{
	uint32_t pc32 = (uint32_t)(uintptr_t)pc;
	struct det_task *t = det.cur;
	bool again;

	if (__builtin_expect(!t, 0)) {
		outside(addr, size, DET_OP_READ, flags);
		return;
	}
	if (t->in_loop)
		return;
	again = t->spin_pc == pc32 && t->spin_addr == addr;
	if (__builtin_expect(again || spin_nr_sites, 0) && spin_wait(t, addr, size, pc32))
		return;
	if (!again)
		t->spin_hash = 0;
	event(addr, size, DET_OP_READ, flags, pc);
	t->spin_value = 0;
	memcpy(&t->spin_value, (const void *)addr, size);
	t->spin_pc = pc32;
	t->spin_addr = addr;
}

void race_announce_free(struct det_task *t, uintptr_t addr, uint64_t size, const void *caller)
{
	if (det.tso)
		tso_settle(t);
	t->op = (struct det_op){ .kind = DET_OP_FREE,
				 .pc = (uint32_t)(uintptr_t)caller,
				 .addr = addr,
				 .size = (uint32_t)size };
	det_schedule(t);
	race_commit(t, &t->op);
}

#define PC __builtin_return_address(0)
#define PLAIN(n)                                                                           \
	void __tsan_read##n(void *p);                                                      \
	void __tsan_read##n(void *p)                                                       \
	{                                                                                  \
		event((uintptr_t)p, n, DET_OP_READ, 0, PC);                                \
	}                                                                                  \
	void __tsan_write##n(void *p);                                                     \
	void __tsan_write##n(void *p)                                                      \
	{                                                                                  \
		event((uintptr_t)p, n, DET_OP_WRITE, 0, PC);                               \
	}                                                                                  \
	void __tsan_read_write##n(void *p);                                                \
	void __tsan_read_write##n(void *p)                                                 \
	{                                                                                  \
		event((uintptr_t)p, n, DET_OP_READ, 0, PC);                                \
		event((uintptr_t)p, n, DET_OP_WRITE, 0, PC);                               \
	}                                                                                  \
	void __tsan_unaligned_read##n(void *p) __attribute__((alias("__tsan_read" #n)));   \
	void __tsan_unaligned_write##n(void *p) __attribute__((alias("__tsan_write" #n))); \
	void __tsan_unaligned_read_write##n(void *p) __attribute__((alias("__tsan_read_"   \
									  "write" #n)))
PLAIN(1);
PLAIN(2);
PLAIN(4);
PLAIN(8);
PLAIN(16);

/*
 * Reads that loops wait with are entered through a few instructions that keep the caller's
 * registers: with its stack they are all that decides what it does next (race/spin.c).
 */
uint64_t spin_regs[7];

#define ENTRY(name, body)                                  \
	__asm__(".pushsection .text\n"                     \
		".globl " #name "\n"                       \
		".type " #name ", @function\n" #name ":\n" \
		"	mov %rbx, spin_regs\n"                   \
		"	mov %rbp, spin_regs+8\n"                 \
		"	mov %r12, spin_regs+16\n"                \
		"	mov %r13, spin_regs+24\n"                \
		"	mov %r14, spin_regs+32\n"                \
		"	mov %r15, spin_regs+40\n"                \
		"	mov %rsp, spin_regs+48\n"                \
		"	jmp " #body "\n"                   \
		".size " #name ", . - " #name "\n"         \
		".popsection\n")

#define VOLATILE(n)                                                   \
	ENTRY(__tsan_volatile_read##n, volatile_read##n);             \
	ENTRY(__tsan_unaligned_volatile_read##n, volatile_read##n);   \
	void volatile_read##n(void *p);                               \
	__attribute__((used)) void volatile_read##n(void *p)          \
	{                                                             \
		marked_read((uintptr_t)p, n, DET_MARKED, PC);         \
	}                                                             \
	void __tsan_volatile_write##n(void *p);                       \
	void __tsan_volatile_write##n(void *p)                        \
	{                                                             \
		event((uintptr_t)p, n, DET_OP_WRITE, DET_MARKED, PC); \
	}                                                             \
	void __tsan_unaligned_volatile_write##n(void *p)              \
		__attribute__((alias("__tsan_volatile_write" #n)))
VOLATILE(1);
VOLATILE(2);
VOLATILE(4);
VOLATILE(8);

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
	if (size)
		event((uintptr_t)p, size, DET_OP_READ, 0, PC);
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
	if (size)
		event((uintptr_t)p, size, DET_OP_WRITE, 0, PC);
}

/* The bodies that -fno-builtin-mem* calls end in (sim/headers/det). */
void irqsim_mem_read(const void *p, size_t size, void *pc);
void irqsim_mem_read(const void *p, size_t size, void *pc)
{
	if (size)
		event((uintptr_t)p, size, DET_OP_READ, 0, pc);
}

void irqsim_mem_write(void *p, size_t size, void *pc);
void irqsim_mem_write(void *p, size_t size, void *pc)
{
	if (size)
		event((uintptr_t)p, size, DET_OP_WRITE, 0, pc);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc);
void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

static inline void fence(int order, void *pc)
{
	struct det_task *t = det.cur;

	if (!t) {
		if (det_timing && order == __ATOMIC_SEQ_CST)
			det_timing->barrier();
		return;
	}
	if (order == __ATOMIC_SEQ_CST && __builtin_expect(det.tso, 0)) {
		tso_settle(t);
		t->op = (struct det_op){ .kind = DET_OP_FENCE, .pc = (uint32_t)(uintptr_t)pc };
		det_schedule(t);
	}
	if (order != __ATOMIC_ACQUIRE)
		race_release(t);
	if (order == __ATOMIC_ACQUIRE || order == __ATOMIC_SEQ_CST)
		race_acquire(t);
}

void irqsim_next_acquires(void);
void irqsim_next_acquires(void)
{
	if (det.cur)
		det.cur->acquires = true;
}

char irqsim_loop_begins(void);
char irqsim_loop_begins(void)
{
	if (det.cur)
		det.cur->in_loop = true;
	return 0;
}

void irqsim_loop_ends(const char *unused);
void irqsim_loop_ends(const char *unused)
{
	(void)unused;
	if (det.cur)
		det.cur->in_loop = false;
}

void irqsim_next_compares(const volatile void *p, size_t size, unsigned long old);
void irqsim_next_compares(const volatile void *p, size_t size, unsigned long old)
{
	(void)p;
	if (det.cur) {
		det.cur->compares = size;
		det.cur->expects = old;
	}
}

void irqsim_next_compares_with(const volatile void *p, size_t size, const void *old);
void irqsim_next_compares_with(const volatile void *p, size_t size, const void *old)
{
	uint64_t value = 0;

	memcpy(&value, old, size);
	irqsim_next_compares(p, size, value);
}

/* How CONFIG_KCSAN_WEAK_MEMORY marks barriers: mb, wmb, rmb, release by the four orders. */
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
	fence(order, PC);
}

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
	fence(order, PC);
}

void __kcsan_mb(void);
void __kcsan_mb(void)
{
	fence(__ATOMIC_SEQ_CST, PC);
}

void __kcsan_wmb(void);
void __kcsan_wmb(void)
{
	fence(__ATOMIC_ACQ_REL, PC);
}

void __kcsan_rmb(void);
void __kcsan_rmb(void)
{
	fence(__ATOMIC_ACQUIRE, PC);
}

void __kcsan_release(void);
void __kcsan_release(void)
{
	fence(__ATOMIC_RELEASE, PC);
}

ENTRY(__kcsan_check_access, check_access);
void check_access(const volatile void *p, size_t size, int type);
__attribute__((used)) void check_access(const volatile void *p, size_t size, int type)
{
	enum det_kind kind = DET_OP_READ;

	if (type & ACCESS_ASSERT) {
		event((uintptr_t)p, size, DET_OP_READ,
		      type & ACCESS_WRITE ? DET_ASSERT_ALL : DET_ASSERT, PC);
		return;
	}
	if (type & ACCESS_WRITE)
		kind = type & ACCESS_COMPOUND ? DET_OP_RMW : DET_OP_WRITE;
	if (type == ACCESS_ATOMIC && size <= 8)
		marked_read((uintptr_t)p, size, DET_MARKED, PC);
	else
		event((uintptr_t)p, size, kind, type & ACCESS_ATOMIC ? DET_MARKED : 0, PC);
}

/* As sim/headers/det/linux/percpu-defs.h says it. */
#define CPU_WRITES (1 << 0)
#define CPU_READS  (1 << 1) /* and writes */
#define CPU_MARKED (1 << 2)

ENTRY(irqsim_this_cpu, this_cpu);
void this_cpu(const volatile void *var, size_t size, int how);
__attribute__((used)) void this_cpu(const volatile void *var, size_t size, int how)
{
	uintptr_t addr = (uintptr_t)var + det_per_cpu_offset();
	struct det_op half;

	if (how == CPU_MARKED)
		marked_read(addr, size, DET_MARKED | DET_LOCAL, PC);
	else
		event(addr, size, how & CPU_WRITES ? DET_OP_WRITE : DET_OP_READ,
		      how & CPU_MARKED ? DET_MARKED | DET_LOCAL : DET_LOCAL, PC);
	/* The other half of a plain update races as a plain read does, in the same step. */
	if (how == (CPU_WRITES | CPU_READS) && det.cur) {
		half = det.cur->op;
		half.kind = DET_OP_READ;
		race_commit(det.cur, &half);
	}
}

/* ---- regions that the race check leaves alone ---- */

static void region(int by)
{
	if (det.cur)
		det.cur->kcsan_off += by;
}

#define REGION(name, by)    \
	void name(void);    \
	void name(void)     \
	{                   \
		region(by); \
	}
REGION(kcsan_disable_current, 1)
REGION(kcsan_enable_current, -1)
REGION(kcsan_enable_current_nowarn, -1)
REGION(kcsan_nestable_atomic_begin, 1)
REGION(kcsan_nestable_atomic_end, -1)
REGION(kcsan_flat_atomic_begin, 1)
REGION(kcsan_flat_atomic_end, -1)

void kcsan_atomic_next(int n);
void kcsan_atomic_next(int n)
{
	if (det.cur)
		det.cur->kcsan_next = n > 255 ? 255 : n;
}

void kcsan_set_access_mask(unsigned long mask);
void kcsan_set_access_mask(unsigned long mask)
{
	(void)mask;
}

void *kcsan_begin_scoped_access(const volatile void *p, size_t size, int type, void *sa);
void *kcsan_begin_scoped_access(const volatile void *p, size_t size, int type, void *sa)
{
	(void)p, (void)size, (void)type;
	return sa;
}

void kcsan_end_scoped_access(void *sa);
void kcsan_end_scoped_access(void *sa)
{
	(void)sa;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * RCU where it is not held, and where it does not watch: between guest entry and exit
 * (guest_state_enter_irqoff() of linux/kvm_host.h says what may be done there).
 */
#include <linux/kvm_host.h>
#include <linux/rcupdate.h>

#include "programs.h"

static int __rcu *pointer;
static int values[2];
static DEFINE_SPINLOCK(lock);

static void reads_unprotected(unsigned int n)
{
	int *p = rcu_dereference(pointer);

	DET_CHECK(!p || READ_ONCE(*p) >= 0);
}

static void reads_protected(unsigned int n)
{
	int *p;

	rcu_read_lock();
	p = rcu_dereference(pointer);
	DET_CHECK(!p || READ_ONCE(*p) >= 0);
	rcu_read_unlock();
}

PROGRAM(rcu_unprotected, "rcu-unprotected", "rcu_dereference() outside of a read section", 1,
	.actor = reads_unprotected, .expects = "rcu");
PROGRAM(rcu_protected, "rcu-protected", "rcu_dereference() in a read section", 2,
	.actor = reads_protected);

/* ---- guest mode ---- */

static noinstr void enter_and_leave(void)
{
	guest_state_enter_irqoff();
	guest_state_exit_irqoff();
}

static void run(void (*guest)(void))
{
	local_irq_disable();
	guest_timing_enter_irqoff();
	guest();
	guest_timing_exit_irqoff();
	local_irq_enable();
}

static void runs_guest(unsigned int n)
{
	DET_CHECK(rcu_is_watching());
	run(enter_and_leave);
	reads_protected(n);
	DET_CHECK(rcu_is_watching() && !(current->flags & PF_VCPU));
}

static __always_inline void inside(void (*what)(void))
{
	guest_state_enter_irqoff();
	what();
	guest_state_exit_irqoff();
}

static noinline void read_section(void)
{
	rcu_read_lock();
	rcu_read_unlock();
}

static noinline void lock_section(void)
{
	spin_lock(&lock);
	spin_unlock(&lock);
}

static noinline void access(void)
{
	WRITE_ONCE(values[0], 1);
}

static noinstr void guest_with_rcu(void)
{
	inside(read_section);
}

static noinstr void guest_with_lock(void)
{
	inside(lock_section);
}

static noinstr void guest_with_access(void)
{
	inside(access);
}

static void rcu_in_guest(unsigned int n)
{
	run(guest_with_rcu);
}

static void lock_in_guest(unsigned int n)
{
	run(guest_with_lock);
}

static void access_in_guest(unsigned int n)
{
	run(guest_with_access);
}

static void entry_with_irqs_on(unsigned int n)
{
	enter_and_leave();
}

static void handler_reads(unsigned int n)
{
	DET_CHECK(rcu_is_watching());
	reads_protected(n);
}

PROGRAM(eqs_rcu, "eqs-rcu", "rcu_read_lock() in guest mode", 1, .actor = rcu_in_guest,
	.expects = "rcu");
PROGRAM(eqs_lock, "eqs-lock", "a spinlock in guest mode", 1, .actor = lock_in_guest,
	.expects = "rcu");
PROGRAM(eqs_access, "eqs-access", "an instrumented access in guest mode", 1,
	.actor = access_in_guest, .expects = "rcu");
PROGRAM(eqs_irqs_on, "eqs-irqs-on", "guest entry with interrupts on", 1,
	.actor = entry_with_irqs_on, .expects = "context");
PROGRAM(eqs_good, "eqs-balanced", "guest entry and exit as they have to be, and an interrupt", 1,
	.actor = runs_guest, .nr_irqs = 1, .irq = handler_reads);

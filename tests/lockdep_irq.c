// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks and interrupt handlers, and what may be waited for in which context.
 */
#include "lockdep_locks.h"

SPINLOCK(irqfds);
SPINLOCK(ioapic);
SPINLOCK(other);
MUTEX(control);

TestSuite(lockdep_irq, .init = set_up);

__attribute__((noinline)) static void in_handler(const struct lock *l, int read)
{
	sim_self->in_hardirq = 1;
	take_as(l, read);
	drop(l);
	sim_self->in_hardirq = 0;
}

static void with_irqs_off(const struct lock *a, const struct lock *b)
{
	sim_self->irqs_off = 1;
	in_order(a, b);
	sim_self->irqs_off = 0;
}

static void alone(const struct lock *l, int read)
{
	take_as(l, read);
	drop(l);
}

Test(lockdep_irq, handler_then_irqs_on)
{
	in_handler(&irqfds, WRITE);
	alone(&irqfds, WRITE);
	assert_reports(1);
	assert_says("WARNING: inconsistent lock state\n");
	assert_says("inconsistent {IN-HARDIRQ-W} -> {HARDIRQ-ON-W} usage.");
	assert_says("(irqfds){?...}");
	assert_says("{IN-HARDIRQ-W} state was registered at:\n  in_handler+");
	assert_says("<Interrupt>");
	alone(&irqfds, WRITE);
	in_handler(&irqfds, WRITE);
	assert_reports(1);
}

Test(lockdep_irq, irqs_on_then_handler)
{
	alone(&irqfds, WRITE);
	in_handler(&irqfds, WRITE);
	assert_reports(1);
	assert_says("inconsistent {HARDIRQ-ON-W} -> {IN-HARDIRQ-W} usage.");
}

Test(lockdep_irq, irqs_off_is_safe)
{
	in_handler(&irqfds, WRITE);
	sim_self->irqs_off = 1;
	alone(&irqfds, WRITE);
	sim_self->irqs_off = 0;
	assert_reports(0);
}

Test(lockdep_irq, readers_share_with_a_handler)
{
	alone(&irqfds, READ);
	in_handler(&irqfds, RECURSIVE);
	assert_reports(0);
	alone(&irqfds, WRITE);
	assert_reports(1);
	assert_says("{IN-HARDIRQ-R} -> {HARDIRQ-ON-W}");
}

Test(lockdep_irq, handler_writes_what_readers_hold)
{
	in_handler(&irqfds, WRITE);
	alone(&irqfds, RECURSIVE);
	assert_reports(1);
	assert_says("{IN-HARDIRQ-W} -> {HARDIRQ-ON-R}");
}

/* A trylock in a handler gives up; one outside is interrupted while it holds. */
Test(lockdep_irq, trylock_in_handler)
{
	sim_self->in_hardirq = 1;
	try_take(&irqfds);
	drop(&irqfds);
	sim_self->in_hardirq = 0;
	alone(&irqfds, WRITE);
	assert_reports(0);
	in_handler(&ioapic, WRITE);
	try_take(&ioapic);
	assert_reports(1);
	drop(&ioapic);
}

Test(lockdep_irq, irqs_come_on_while_it_is_held)
{
	in_handler(&irqfds, WRITE);
	sim_self->irqs_off = 1;
	take(&irqfds);
	sim_self->irqs_off = 0;
	assert_reports(0);
	drop(&irqfds);
	assert_reports(1);
	assert_says("{IN-HARDIRQ-W} -> {HARDIRQ-ON-W}");
}

Test(lockdep_irq, new_order_from_safe_to_unsafe)
{
	in_handler(&irqfds, WRITE);
	alone(&ioapic, WRITE);
	with_irqs_off(&irqfds, &ioapic);
	assert_reports(1);
	assert_says("WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected\n");
	assert_says("(irqfds){-...}");
	assert_says("-> (ioapic){+.+.}");
	assert_says("lock(ioapic);");
}

Test(lockdep_irq, new_order_over_a_chain)
{
	in_handler(&irqfds, WRITE);
	with_irqs_off(&irqfds, &other);
	alone(&ioapic, WRITE);
	assert_reports(0);
	with_irqs_off(&other, &ioapic);
	assert_reports(1);
	assert_says("HARDIRQ-safe -> HARDIRQ-unsafe");
	assert_says("(irqfds)");
}

Test(lockdep_irq, known_order_becomes_unsafe)
{
	with_irqs_off(&irqfds, &ioapic);
	in_handler(&irqfds, WRITE);
	assert_reports(0);
	alone(&ioapic, WRITE);
	assert_reports(1);
	assert_says("WARNING: possible irq lock inversion dependency detected\n");
	assert_says("taken by another, HARDIRQ-safe lock");
}

Test(lockdep_irq, known_order_becomes_safe)
{
	with_irqs_off(&irqfds, &ioapic);
	alone(&ioapic, WRITE);
	in_handler(&irqfds, WRITE);
	assert_reports(1);
	assert_says("possible irq lock inversion");
	assert_says("took another, HARDIRQ-unsafe lock");
}

/* What the interrupted task holds is not "held" by the handler. */
Test(lockdep_irq, handler_has_its_own_order)
{
	take(&irqfds);
	in_handler(&ioapic, WRITE);
	drop(&irqfds);
	with_irqs_off(&ioapic, &other);
	sim_self->irqs_off = 1;
	in_order(&other, &irqfds);
	sim_self->irqs_off = 0;
	/* ioapic (in irq) -> other -> irqfds (irqs on) is unsafe, but no circle */
	cr_assert_null(strstr(reports, "circular"), "%s", reports);
	assert_says("HARDIRQ-safe -> HARDIRQ-unsafe");
}

Test(lockdep_irq, mutex_under_spinlock)
{
	take(&irqfds);
	take(&control);
	assert_reports(1);
	assert_says("[ BUG: Invalid wait context ]\n");
	assert_says("is trying to lock:\n(control){....}-{3:3}");
	assert_says("#0: (irqfds){+.+.}-{2:2}");
	drop(&control);
	drop(&irqfds);
}

Test(lockdep_irq, mutex_in_handler)
{
	in_handler(&control, WRITE);
	assert_reports(1);
	assert_says("Invalid wait context");
}

Test(lockdep_irq, spinlock_under_mutex_and_trylock_anywhere)
{
	in_order(&control, &irqfds);
	take(&ioapic);
	try_take(&control);
	drop(&control);
	drop(&ioapic);
	assert_reports(0);
}

/* RCU's map: taken where nothing may wait, and spinlocks may follow, but no mutex. */
Test(lockdep_irq, rcu_reader_may_spin_only)
{
	static const struct lock rcu = { "rcu_read_lock", 0 };
	struct sim_lock_use use = rcu_section(&rcu, HERE);

	take(&irqfds);
	sim_lock_acquire(&use);
	drop(&rcu);
	drop(&irqfds);
	sim_lock_acquire(&use);
	alone(&irqfds, WRITE);
	assert_reports(0);
	alone(&control, WRITE);
	assert_reports(1);
	assert_says("Invalid wait context");
	drop(&rcu);
}

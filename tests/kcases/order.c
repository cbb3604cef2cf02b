// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lock order and interrupt safety as the kernel's own locks tell it to lockdep.
 */
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include <kcase.h>
#include <sim/report.h>
#include <sim/task.h>

#ifdef CONFIG_LOCKDEP

static DEFINE_MUTEX(slots_lock);
static DEFINE_MUTEX(irq_lock);
static DEFINE_SPINLOCK(irqfds_lock);
static DEFINE_RWLOCK(mmu_lock);
DEFINE_STATIC_SRCU(irq_srcu);

static noinline void irq_in_slots(void)
{
	mutex_lock(&slots_lock);
	mutex_lock(&irq_lock);
	mutex_unlock(&irq_lock);
	mutex_unlock(&slots_lock);
}

static noinline void slots_in_irq(void)
{
	mutex_lock(&irq_lock);
	mutex_lock(&slots_lock);
	mutex_unlock(&slots_lock);
	mutex_unlock(&irq_lock);
}

static int circles(const char *mention)
{
	return sim_kcase_reported(SIM_REPORT_LOCKDEP,
				  "WARNING: possible circular locking dependency detected",
				  mention);
}

static void mutex_inversion(void)
{
	irq_in_slots();
	irq_in_slots();
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	slots_in_irq();
	KEXPECT_EQ(circles("slots_in_irq+"), 1);
	slots_in_irq();
	irq_in_slots();
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* The report has the other order's place and both names. */
static void mutex_inversion_names_both(void)
{
	irq_in_slots();
	slots_in_irq();
	KEXPECT_EQ(circles("irq_in_slots+"), 1);
}

static void dynamic_locks_share_their_class(void)
{
	struct mutex a, b;
	struct mutex *m[] = { &a, &b };
	int i;

	for (i = 0; i < 2; i++)
		mutex_init(m[i]);
	mutex_lock(&a);
	mutex_lock(&b);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_LOCKDEP,
				      "WARNING: possible recursive locking detected", "(m[i])"),
		   1);
	mutex_unlock(&b);
	mutex_unlock(&a);
	mutex_lock(&a);
	mutex_lock_nested(&b, SINGLE_DEPTH_NESTING);
	mutex_unlock(&b);
	mutex_unlock(&a);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* Two CPUs could each hold one and wait for the other, though no single run ever hangs. */
static void grace_period_under_mutex_that_readers_take(void)
{
	int idx;

	mutex_lock(&irq_lock);
	synchronize_srcu_expedited(&irq_srcu);
	mutex_unlock(&irq_lock);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	idx = srcu_read_lock(&irq_srcu);
	mutex_lock(&irq_lock);
	mutex_unlock(&irq_lock);
	srcu_read_unlock(&irq_srcu, idx);
	KEXPECT_EQ(circles("irq_srcu"), 1);
}

static void nested_srcu_readers_are_silent(void)
{
	int outer = srcu_read_lock(&irq_srcu), inner = srcu_read_lock(&irq_srcu);

	srcu_read_unlock(&irq_srcu, outer);
	srcu_read_unlock(&irq_srcu, inner);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void trylock_against_the_order(void)
{
	irq_in_slots();
	mutex_lock(&irq_lock);
	KEXPECT(mutex_trylock(&slots_lock));
	mutex_unlock(&slots_lock);
	mutex_unlock(&irq_lock);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void lock_in_handler_and_with_irqs_on(void)
{
	sim_self->in_hardirq = 1;
	spin_lock(&irqfds_lock);
	spin_unlock(&irqfds_lock);
	sim_self->in_hardirq = 0;
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	spin_lock_irq(&irqfds_lock);
	spin_unlock_irq(&irqfds_lock);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	spin_lock(&irqfds_lock);
	spin_unlock(&irqfds_lock);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_LOCKDEP, "WARNING: inconsistent lock state",
				      __func__),
		   1);
}

static void mutex_under_spinlock(void)
{
	spin_lock(&irqfds_lock);
	mutex_lock(&slots_lock);
	mutex_unlock(&slots_lock);
	spin_unlock(&irqfds_lock);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_LOCKDEP, "[ BUG: Invalid wait context ]",
				      "(slots_lock)"),
		   1);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_ATOMIC_SLEEP,
				      "BUG: sleeping function called from invalid context",
				      __func__),
		   1);
}

/* A queued rwlock's reader in process context waits behind a writer that waits for the first read.
 */
static void rwlock_reader_recursion(void)
{
	read_lock(&mmu_lock);
	read_lock(&mmu_lock);
	read_unlock(&mmu_lock);
	read_unlock(&mmu_lock);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_LOCKDEP,
				      "WARNING: possible recursive locking detected", __func__),
		   1);
}

static void lock_never_initialised(void)
{
	static spinlock_t zeroed;

	spin_lock(&zeroed);
	spin_unlock(&zeroed);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_LOCKDEP,
				      "INFO: trying to register non-static key.", __func__),
		   1);
}

static void held_or_not(void)
{
	KEXPECT(!lockdep_is_held(&slots_lock));
	mutex_lock(&slots_lock);
	lockdep_assert_held(&slots_lock);
	KEXPECT(lockdep_is_held(&slots_lock));
	mutex_unlock(&slots_lock);
	KEXPECT(!lockdep_is_held(&slots_lock));
	read_lock(&mmu_lock);
	lockdep_assert_held_read(&mmu_lock);
	KEXPECT(!lockdep_is_held_type(&mmu_lock, 0));
	read_unlock(&mmu_lock);
}

static void assert_held_fails(void)
{
	lockdep_assert_held(&slots_lock);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_WARN, "WARNING: at ", __func__), 1);
}

KCASE_LIST(order, SIM_CASE(mutex_inversion), SIM_CASE(mutex_inversion_names_both),
	   SIM_CASE(dynamic_locks_share_their_class),
	   SIM_CASE(grace_period_under_mutex_that_readers_take),
	   SIM_CASE(nested_srcu_readers_are_silent), SIM_CASE(trylock_against_the_order),
	   SIM_CASE(lock_in_handler_and_with_irqs_on), SIM_CASE(mutex_under_spinlock),
	   SIM_CASE(rwlock_reader_recursion), SIM_CASE(lock_never_initialised),
	   KERNEL_CASE(held_or_not), SIM_CASE(assert_held_fails));

#endif

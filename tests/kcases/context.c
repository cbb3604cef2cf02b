// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: where code may sleep, and that a system call undoes what it did.
 */
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/vmalloc.h>

#include <kcase.h>
#include <sim/report.h>
#include <sim/task.h>

#include "../../model/kvm/door.h"

static DEFINE_SPINLOCK(lock);
DEFINE_STATIC_SRCU(domain);

static int bad_sleeps(const char *function)
{
	return sim_kcase_reported(SIM_REPORT_ATOMIC_SLEEP,
				  "BUG: sleeping function called from invalid context", function);
}

static void gfp_kernel_under_spinlock(void)
{
	spin_lock(&lock);
	kfree(kmalloc(32, GFP_KERNEL));
	spin_unlock(&lock);
	KEXPECT_EQ(bad_sleeps(__func__), 1);
}

static void gfp_kernel_with_irqs_off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	kfree(kmalloc(32, GFP_KERNEL));
	local_irq_restore(flags);
	KEXPECT_EQ(bad_sleeps(__func__), 1);
}

static void gfp_kernel_in_rcu_reader(void)
{
	rcu_read_lock();
	kfree(kmalloc(32, GFP_KERNEL));
	rcu_read_unlock();
	KEXPECT_EQ(bad_sleeps(__func__), 1);
}

static void gfp_kernel_in_handler(void)
{
	sim_self->in_hardirq = 1;
	kfree(kmalloc(32, GFP_KERNEL));
	sim_self->in_hardirq = 0;
	KEXPECT_EQ(bad_sleeps(__func__), 1);
}

static void kvmalloc_under_spinlock(void)
{
	spin_lock(&lock);
	kfree(kvmalloc(32, GFP_KERNEL_ACCOUNT));
	spin_unlock(&lock);
	KEXPECT_EQ(bad_sleeps(__func__), 1);
}

static void gfp_atomic_anywhere(void)
{
	unsigned long flags, page;
	void *p, *q;

	spin_lock_irqsave(&lock, flags);
	rcu_read_lock();
	p = kmalloc(32, GFP_ATOMIC);
	q = kzalloc(32, GFP_NOWAIT);
	page = __get_free_page(GFP_ATOMIC);
	KEXPECT(p && q && page);
	kfree(p);
	kfree(q);
	free_page(page);
	rcu_read_unlock();
	spin_unlock_irqrestore(&lock, flags);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void srcu_reader_may_sleep(void)
{
	int idx = srcu_read_lock(&domain);

	kfree(kmalloc(32, GFP_KERNEL));
	srcu_read_unlock(&domain, idx);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void mutex_in_rcu_reader(void)
{
	static DEFINE_MUTEX(m);

	rcu_read_lock();
	mutex_lock(&m);
	mutex_unlock(&m);
	rcu_read_unlock();
#ifdef CONFIG_LOCKDEP
	KEXPECT_EQ(
		sim_kcase_reported(SIM_REPORT_LOCKDEP, "[ BUG: Invalid wait context ]", __func__),
		1);
#endif
	KEXPECT_EQ(bad_sleeps(__func__), 1);
}

static void vfree_in_atomic(void)
{
	void *p = vmalloc(PAGE_SIZE);

	spin_lock(&lock);
	vfree(p);
	spin_unlock(&lock);
	KEXPECT(bad_sleeps(__func__) > 0);
}

static void kvfree_in_atomic(void)
{
	void *v = vmalloc(PAGE_SIZE), *k = kmalloc(32, GFP_KERNEL);

	spin_lock(&lock);
	kvfree(k);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	kvfree(v);
	spin_unlock(&lock);
	KEXPECT(bad_sleeps(__func__) > 0);
}

static void grace_period_in_atomic(void)
{
	spin_lock(&lock);
	synchronize_srcu(&domain);
	spin_unlock(&lock);
	KEXPECT_EQ(bad_sleeps(__func__), 1);
}

static int unbalanced(const char *says)
{
	return sim_kcase_reported(SIM_REPORT_CONTEXT,
				  "BUG: ioctl returned to user space unbalanced", says);
}

static void irqs_left_off(void)
{
	local_irq_disable();
	sim_syscall_end("ioctl", __builtin_return_address(0));
	KEXPECT_EQ(unbalanced("irqs_disabled(): 1"), 1);
	KEXPECT(!irqs_disabled());
	sim_syscall_end("ioctl", __builtin_return_address(0));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void mutex_left_held(void)
{
	static DEFINE_MUTEX(left);

	mutex_lock(&left);
	sim_syscall_end("ioctl", __builtin_return_address(0));
	KEXPECT_EQ(unbalanced("locks held: 1"), 1);
}

static void srcu_reader_left_open(void)
{
	(void)srcu_read_lock(&domain);
	sim_syscall_end("ioctl", __builtin_return_address(0));
	KEXPECT_EQ(unbalanced("SRCU read sections: 1"), 1);
}

static void rcu_reader_left_open(void)
{
	rcu_read_lock();
	sim_syscall_end("ioctl", __builtin_return_address(0));
	KEXPECT_EQ(unbalanced("RCU nest depth: 1"), 1);
}

static void balanced_call_is_silent(void)
{
	unsigned long flags;

	spin_lock_irqsave(&lock, flags);
	spin_unlock_irqrestore(&lock, flags);
	preempt_disable();
	preempt_enable();
	sim_syscall_end("ioctl", __builtin_return_address(0));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

KCASE_LIST(context, SIM_CASE(gfp_kernel_under_spinlock), SIM_CASE(gfp_kernel_with_irqs_off),
	   SIM_CASE(gfp_kernel_in_rcu_reader), SIM_CASE(gfp_kernel_in_handler),
	   SIM_CASE(kvmalloc_under_spinlock), SIM_CASE(gfp_atomic_anywhere),
	   SIM_CASE(srcu_reader_may_sleep), SIM_CASE(mutex_in_rcu_reader),
	   SIM_CASE(vfree_in_atomic), SIM_CASE(kvfree_in_atomic), SIM_CASE(grace_period_in_atomic),
	   SIM_CASE(irqs_left_off), SIM_CASE(mutex_left_held), SIM_CASE(srcu_reader_left_open),
	   SIM_CASE(rcu_reader_left_open), SIM_CASE(balanced_call_is_silent));

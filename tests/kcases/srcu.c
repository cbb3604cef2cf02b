// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/srcu.h, one task: which domain a grace period waits for, and misuse.
 */
#include <linux/srcu.h>

#include <kcase.h>
#include <sim/report.h>

#include "../../kernel-port/compat/srcu_atomic.h"

DEFINE_STATIC_SRCU(a);
DEFINE_STATIC_SRCU(b);

static void static_domain(void)
{
	int outer = srcu_read_lock(&a), inner = srcu_read_lock(&a);

	srcu_read_unlock(&a, inner);
	srcu_read_unlock(&a, outer);
	synchronize_srcu(&a);
	synchronize_srcu_expedited(&a);
}

static void dynamic_domain(void)
{
	struct srcu_struct s;
	int idx;

	KEXPECT_EQ(init_srcu_struct(&s), 0);
	idx = srcu_read_lock(&s);
	KEXPECT(idx == 0 || idx == 1);
	srcu_read_unlock(&s, idx);
	synchronize_srcu(&s);
	cleanup_srcu_struct(&s);
}

static void grace_period_in_reader_of_another(void)
{
	int idx = srcu_read_lock(&a);

	synchronize_srcu(&b);
	synchronize_srcu_expedited(&b);
	srcu_read_unlock(&a, idx);
}

static void legal_use_is_silent(void)
{
	static_domain();
	dynamic_domain();
	grace_period_in_reader_of_another();
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void grace_period_in_own_reader(void)
{
	int idx = srcu_read_lock(&b);

	synchronize_srcu(&b);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU,
				      "WARNING: possible recursive locking detected", __func__),
		   1);
	synchronize_srcu_expedited(&b);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU,
				      "WARNING: possible recursive locking detected",
				      "synchronize_srcu_expedited()"),
		   1);
	srcu_read_unlock(&b, idx);
	synchronize_srcu(&b);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void unlock_with_wrong_index(void)
{
	int idx = srcu_read_lock(&a);

	srcu_read_unlock(&a, !idx);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU, "WARNING: srcu_read_unlock() of index",
				      __func__),
		   1);
	/*
	 * Refused, so the section is open as before. The inline half has told lockdep that it is
	 * left, so that the right one comes without it.
	 */
	__srcu_read_unlock(&a, idx);
	synchronize_srcu(&a);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void unlock_of_another_domain(void)
{
	int idx = srcu_read_lock(&a);

	__srcu_read_unlock(&b, idx);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU, "WARNING: srcu_read_unlock() of index",
				      __func__),
		   1);
	srcu_read_unlock(&a, idx);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void cleanup_with_reader(void)
{
	struct srcu_struct s;
	int idx;

	KEXPECT_EQ(init_srcu_struct(&s), 0);
	idx = srcu_read_lock(&s);
	cleanup_srcu_struct(&s);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU, "WARNING: cleanup_srcu_struct()", __func__),
		   1);
	srcu_read_unlock(&s, idx);
	cleanup_srcu_struct(&s);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* ---- callbacks, cookies, atomic domains ---- */

struct callback {
	struct rcu_head head;
	int id;
};
static int called[4], nr_called;

static void note(struct rcu_head *head)
{
	called[nr_called++] = container_of(head, struct callback, head)->id;
}

static void callbacks_in_order(void)
{
	struct callback first = { .id = 1 }, second = { .id = 2 };
	int idx = srcu_read_lock(&a);

	nr_called = 0;
	call_srcu(&a, &first.head, note);
	call_srcu(&a, &second.head, note);
	/* Another domain's are not held up by this section. */
	srcu_barrier(&b);
	KEXPECT_EQ(READ_ONCE(nr_called), 0);
	srcu_read_unlock(&a, idx);
	srcu_barrier(&a);
	KEXPECT_EQ(nr_called, 2);
	KEXPECT_EQ(called[0], 1);
	KEXPECT_EQ(called[1], 2);
}

static void cookies(void)
{
	unsigned long before = get_state_synchronize_srcu(&a), started;
	int idx = srcu_read_lock(&a);

	KEXPECT(!poll_state_synchronize_srcu(&a, before));
	started = start_poll_synchronize_srcu(&a);
	KEXPECT(!poll_state_synchronize_srcu(&a, started));
	srcu_read_unlock(&a, idx);
	while (!poll_state_synchronize_srcu(&a, started))
		cond_resched();
	before = get_state_synchronize_srcu(&a);
	synchronize_srcu(&a);
	KEXPECT(poll_state_synchronize_srcu(&a, before));
	/* Once over, over for good. */
	KEXPECT(poll_state_synchronize_srcu(&a, started));
}

static void rcu_cookies(void)
{
	unsigned long before = get_state_synchronize_rcu();
	struct rcu_gp_oldstate full;

	KEXPECT(!poll_state_synchronize_rcu(before));
	KEXPECT(poll_state_synchronize_rcu(get_completed_synchronize_rcu()));
	cond_synchronize_rcu(before);
	KEXPECT(poll_state_synchronize_rcu(before));
	start_poll_synchronize_rcu_full(&full);
	while (!poll_state_synchronize_rcu_full(&full))
		cond_resched();
}

static int handed_idx;
static atomic_t handed;

static void end_the_section(void)
{
	srcu_up_read(&a, handed_idx);
	atomic_inc(&handed);
}

static void section_ends_in_another_task(void)
{
	atomic_set(&handed, 0);
	handed_idx = srcu_down_read(&a);
	sim_kcase_on_cpus(1, end_the_section);
	synchronize_srcu(&a);
	KEXPECT_EQ(atomic_read(&handed), 1);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void atomic_domain(void)
{
	struct srcu_struct s;
	int idx;

	KEXPECT_EQ(init_srcu_struct_atomic(&s), 0);
	preempt_disable();
	idx = srcu_read_lock(&s);
	srcu_read_unlock(&s, idx);
	synchronize_srcu_atomic(&s);
	preempt_enable();
	KEXPECT_EQ(sim_kcase_any_report(), 0);

	preempt_disable();
	idx = srcu_read_lock(&s);
	synchronize_srcu_atomic(&s);
	srcu_read_unlock(&s, idx);
	preempt_enable();
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU,
				      "WARNING: possible recursive locking detected",
				      "synchronize_srcu_atomic()"),
		   1);
	start_poll_synchronize_srcu(&s);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU, "WARNING: start_poll_synchronize_srcu() of",
				      __func__),
		   1);
	synchronize_srcu_atomic(&a);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_RCU, "WARNING: synchronize_srcu_atomic() of an",
				      __func__),
		   1);
	cleanup_srcu_struct(&s);
}

/* In every configuration, though preempt_disable() may count nothing. */
static void atomic_reader_sleeps(void)
{
	struct srcu_struct s;
	int idx;

	KEXPECT_EQ(init_srcu_struct_atomic(&s), 0);
	preempt_disable();
	idx = srcu_read_lock(&s);
	synchronize_srcu(&b);
	srcu_read_unlock(&s, idx);
	preempt_enable();
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_ATOMIC_SLEEP,
				      "BUG: sleeping function called from invalid context",
				      __func__),
		   1);
	cleanup_srcu_struct(&s);
}

KCASE_LIST(srcu, KERNEL_CASE(callbacks_in_order), KERNEL_CASE(cookies), KERNEL_CASE(rcu_cookies),
	   SIM_CASE(section_ends_in_another_task), SIM_CASE(atomic_domain),
	   SIM_CASE(atomic_reader_sleeps), KERNEL_CASE(static_domain), KERNEL_CASE(dynamic_domain),
	   KERNEL_CASE(grace_period_in_reader_of_another), SIM_CASE(legal_use_is_silent),
	   SIM_CASE(grace_period_in_own_reader), SIM_CASE(unlock_with_wrong_index),
	   SIM_CASE(unlock_of_another_domain), SIM_CASE(cleanup_with_reader));

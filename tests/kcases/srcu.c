// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/srcu.h, one task: which domain a grace period waits for, and misuse.
 */
#include <linux/srcu.h>

#include <kcase.h>
#include <sim/report.h>

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

KCASE_LIST(srcu, KERNEL_CASE(static_domain), KERNEL_CASE(dynamic_domain),
	   KERNEL_CASE(grace_period_in_reader_of_another), SIM_CASE(legal_use_is_silent),
	   SIM_CASE(grace_period_in_own_reader), SIM_CASE(unlock_with_wrong_index),
	   SIM_CASE(unlock_of_another_domain), SIM_CASE(cleanup_with_reader));

// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/bug.h and linux/refcount.h and, where the configuration checks lists, linux/list.h.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/version.h>

#include <kcase.h>
#include <sim/report.h>

static void warn_on_names_file_and_line(void)
{
	char where[32];
	bool warned;

	snprintf(where, sizeof(where), "kcases/bug.c:%d", __LINE__ + 1);
	warned = WARN_ON(where[0]);
	KEXPECT(warned);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_WARN, "WARNING: at ", where), 1);
	KEXPECT(!WARN_ON(!where[0]));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void warn_on_names_its_function(void)
{
	WARN(1, "irqsim: %d\n", 5);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_WARN, "WARNING: at ", __func__), 1);
}

static void hit_bug(void)
{
	BUG();
}

static void bug_ends_the_run(void)
{
	KEXPECT_EQ(sim_kcase_child(hit_bug, "kernel BUG at "), 1);
	KEXPECT_EQ(sim_kcase_child(hit_bug, "kcases/bug.c:"), 1);
	KEXPECT_EQ(sim_kcase_child(hit_bug, "hit_bug+"), 1);
}

static void refcount_underflow(void)
{
	refcount_t r = REFCOUNT_INIT(1);

	KEXPECT(refcount_dec_and_test(&r));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	KEXPECT(!refcount_dec_and_test(&r));
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_WARN, "WARNING: refcount_t", __func__), 1);
}

#if defined(CONFIG_LIST_HARDENED) || \
	(defined(CONFIG_DEBUG_LIST) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0))
static void list_entry_deleted_twice(void)
{
	LIST_HEAD(head);
	struct list_head entry;

	list_add(&entry, &head);
	list_del(&entry);
	KEXPECT(list_empty(&head));
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	list_del(&entry);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_KASAN, "list_del of an entry deleted before",
				      __func__),
		   1);
}

static void list_entry_added_twice(void)
{
	LIST_HEAD(head);
	struct list_head entry;

	list_add(&entry, &head);
	list_add(&entry, &head);
	KEXPECT_EQ(sim_kcase_reported(SIM_REPORT_KASAN, "list_add double add", __func__), 1);
}
#define LIST_CASES SIM_CASE(list_entry_deleted_twice), SIM_CASE(list_entry_added_twice),
#else
#define LIST_CASES
#endif

KCASE_LIST(bug, LIST_CASES SIM_CASE(warn_on_names_file_and_line),
	   SIM_CASE(warn_on_names_its_function), SIM_CASE(bug_ends_the_run),
	   SIM_CASE(refcount_underflow));

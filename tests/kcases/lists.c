// SPDX-License-Identifier: GPL-2.0-only
/*
 * All lists of cases; the one symbol that the object exports.
 */
#include <generated/utsrelease.h>
#include <linux/kernel.h>

#include <kcase.h>

#ifdef CONFIG_LOCKDEP
#define VARIANT "lockdep"
#else
#define VARIANT "plain"
#endif

extern const struct kcase_list kcase_slab, kcase_context, kcase_srcu, kcase_rcu, kcase_locks,
	kcase_order, kcase_uaccess, kcase_bug, kcase_stress, kcase_wait, kcase_workqueue,
	kcase_timer, kcase_alone;

static const struct kcase_list *const lists[] = {
	&kcase_slab,  &kcase_context, &kcase_srcu, &kcase_rcu,	     &kcase_locks, &kcase_uaccess,
	&kcase_bug,   &kcase_stress,  &kcase_wait, &kcase_workqueue, &kcase_timer, &kcase_alone,
#ifdef CONFIG_LOCKDEP
	&kcase_order,
#endif
};

extern const struct kcase_lists kcases;
const struct kcase_lists kcases = { UTS_RELEASE " " VARIANT, lists, ARRAY_SIZE(lists) };

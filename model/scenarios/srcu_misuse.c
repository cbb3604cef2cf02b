// SPDX-License-Identifier: GPL-2.0-only
/*
 * SRCU used wrongly, each program in one way.
 */
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include "programs.h"

struct thing {
	int value;
};

DEFINE_STATIC_SRCU(first);
DEFINE_STATIC_SRCU(second);
static DEFINE_SPINLOCK(lock);
static struct thing __rcu *current_thing;
static int inside, cleaned;

static void setup(void)
{
	struct thing *t = kmalloc(sizeof(*t), GFP_KERNEL);

	t->value = 1;
	RCU_INIT_POINTER(current_thing, t);
}

static noinline void replace(void)
{
	struct thing *new = kmalloc(sizeof(*new), GFP_KERNEL), *old;

	if (!new)
		return;
	new->value = 2;
	old = rcu_dereference_protected(current_thing, true);
	rcu_assign_pointer(current_thing, new);
	synchronize_srcu(&first);
	kfree(old);
}

static int use(const struct thing *t)
{
	return READ_ONCE(t->value);
}

/* Waits for itself. */
static void wait_in_own_section(unsigned int n)
{
	int idx = srcu_read_lock(&first);

	synchronize_srcu(&first);
	srcu_read_unlock(&first, idx);
}

/* Each waits for the other's section. */
static void wait_for_each_other(unsigned int n)
{
	struct srcu_struct *mine = n ? &second : &first, *other = n ? &first : &second;
	int idx = srcu_read_lock(mine);

	synchronize_srcu(other);
	srcu_read_unlock(mine, idx);
}

/* The pointer is good in the section, and not after it. */
static void use_after_section(unsigned int n)
{
	struct thing *t;
	int idx;

	if (!n) {
		replace();
		return;
	}
	idx = srcu_read_lock(&first);
	t = srcu_dereference(current_thing, &first);
	srcu_read_unlock(&first, idx);
	DET_CHECK(use(t));
}

/* The update waits for readers of another domain. */
static void use_in_other_domain(unsigned int n)
{
	int idx;

	if (!n) {
		replace();
		return;
	}
	idx = srcu_read_lock(&second);
	DET_CHECK(use(srcu_dereference(current_thing, &second)));
	srcu_read_unlock(&second, idx);
}

static void leave_without_entering(unsigned int n)
{
	if (!n)
		srcu_read_unlock(&first, 0);
	else
		srcu_read_unlock(&first, srcu_read_lock(&first));
}

/* The reader's task ends in the middle of its section. */
static void never_leave(unsigned int n)
{
	if (!n) {
		replace();
		return;
	}
	srcu_read_lock(&first);
	DET_CHECK(use(srcu_dereference(current_thing, &first)));
}

static void wait_under_spinlock(unsigned int n)
{
	spin_lock(&lock);
	synchronize_srcu(&first);
	spin_unlock(&lock);
}

/* The domain is taken down while somebody reads. */
static void clean_up_too_early(unsigned int n)
{
	int idx;

	if (!n) {
		while (!smp_load_acquire(&inside))
			cpu_relax();
		cleanup_srcu_struct(&first);
		smp_store_release(&cleaned, 1);
		return;
	}
	idx = srcu_read_lock(&first);
	smp_store_release(&inside, 1);
	while (!smp_load_acquire(&cleaned))
		cpu_relax();
	srcu_read_unlock(&first, idx);
}

PROGRAM(srcu_own_section, "srcu-wait-in-own-section", "synchronize_srcu() in a section of it", 1,
	.actor = wait_in_own_section, .expects = "rcu");
PROGRAM(srcu_each_other, "srcu-wait-for-each-other", "two readers wait for each other's domain", 2,
	.actor = wait_for_each_other, .expects = "deadlock");
PROGRAM(srcu_after_section, "srcu-use-after-section", "a pointer is used after its section", 2,
	.setup = setup, .actor = use_after_section, .expects = "kasan");
PROGRAM(srcu_other_domain, "srcu-other-domain", "reader and update use different domains", 2,
	.setup = setup, .actor = use_in_other_domain, .expects = "kasan");
PROGRAM(srcu_not_entered, "srcu-leave-without-entering", "srcu_read_unlock() without a section", 2,
	.actor = leave_without_entering, .expects = "rcu");
PROGRAM(srcu_never_left, "srcu-never-left", "a section that does not end", 2, .setup = setup,
	.actor = never_leave, .expects = "context");
PROGRAM(srcu_under_spinlock, "srcu-wait-under-spinlock", "synchronize_srcu() under a spinlock", 1,
	.actor = wait_under_spinlock, .expects = "atomic-sleep");
PROGRAM(srcu_early_cleanup, "srcu-early-cleanup", "cleanup_srcu_struct() while somebody reads", 2,
	.actor = clean_up_too_early, .expects = "rcu");

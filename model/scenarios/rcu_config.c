// SPDX-License-Identifier: GPL-2.0-only
/*
 * A configuration that readers see whole: built where nobody can see it, published, the old one
 * freed after a grace period. Updates are serialised by a mutex.
 */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "programs.h"

struct config {
	u32 low, high;
	char name[24];
};

static struct config __rcu *config;
static DEFINE_MUTEX(update_lock);
static u32 seen[3];

static noinline struct config *new_config(u32 low)
{
	struct config *c = kmalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	memset(c, 0, sizeof(*c));
	c->low = low;
	c->high = low + 10;
	return c;
}

static noinline void replace(u32 low)
{
	struct config *new = new_config(low), *old;

	if (!new)
		return;
	mutex_lock(&update_lock);
	old = rcu_dereference_protected(config, lockdep_is_held(&update_lock));
	rcu_assign_pointer(config, new);
	mutex_unlock(&update_lock);
	synchronize_rcu();
	kfree(old);
}

static noinline void look(unsigned int n)
{
	const struct config *c;

	rcu_read_lock();
	c = rcu_dereference(config);
	DET_CHECK(c->high == c->low + 10 && !c->name[0]);
	seen[n] = c->low;
	rcu_read_unlock();
}

static void setup(void)
{
	RCU_INIT_POINTER(config, new_config(100));
}

static void end(void)
{
	kfree(rcu_dereference_protected(config, true));
	det_check_leaks();
}

static u64 what_was_seen(void)
{
	return seen[0] | (u64)seen[1] << 16 | (u64)seen[2] << 32;
}

static void replace_or_look(unsigned int n)
{
	if (n)
		look(n);
	else
		replace(200);
}

static void replace_twice_or_look(unsigned int n)
{
	if (n == 2)
		look(n);
	else
		replace(200 + 100 * n);
}

PROGRAM(config_replace, "config-replace", "an RCU-published configuration: an update and a reader",
	2, .setup = setup, .actor = replace_or_look, .final = end, .state = what_was_seen);
PROGRAM(config_two_updates, "config-two-updates", "the same with two updates", 3, .setup = setup,
	.actor = replace_twice_or_look, .final = end, .state = what_was_seen);

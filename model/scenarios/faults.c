// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pointers that lead nowhere: the execution that follows one ends there, the next begins.
 */
#include <linux/poison.h>
#include <linux/rcupdate.h>

#include "programs.h"

struct thing {
	struct thing *other;
	int id;
};

static struct thing __rcu *current_thing;
static struct thing *unset;

/* Looked at before somebody has set it. */
static void follow_null(unsigned int n)
{
	struct thing *t;

	if (n) {
		t = kzalloc(sizeof(*t), GFP_KERNEL);
		rcu_assign_pointer(current_thing, t);
		return;
	}
	rcu_read_lock();
	t = rcu_dereference(current_thing);
	DET_CHECK(READ_ONCE(t->id) == 0);
	rcu_read_unlock();
}

static void free_thing(void)
{
	kfree(rcu_dereference_raw(current_thing));
}

static void setup_poisoned(void)
{
	unset = kmalloc(sizeof(*unset), GFP_KERNEL);
	memset(unset, POISON_FREE, sizeof(*unset));
}

/* A pointer made of the poison of freed objects: no address of an x86-64 with four page levels. */
static void follow_poison(unsigned int n)
{
	WRITE_ONCE(unset->other->id, 1);
}

static void free_poisoned(void)
{
	kfree(unset);
}

PROGRAM(fault_null, "fault-null", "a NULL pointer is followed", 2, .actor = follow_null,
	.final = free_thing, .expects = "bug");
PROGRAM(fault_poison, "fault-poison", "a pointer read from freed memory is followed", 1,
	.setup = setup_poisoned, .actor = follow_poison, .final = free_poisoned, .expects = "bug");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * An object found by pointer and kept by a reference: whoever finds it takes one only while there
 * are others, and the last one frees it when nobody can be looking any more.
 */
#include <linux/rcupdate.h>
#include <linux/refcount.h>

#include "programs.h"

struct object {
	refcount_t users;
	int value;
};

static struct object __rcu *current_object;
static int used[3];

static noinline struct object *get(void)
{
	struct object *o;

	rcu_read_lock();
	o = rcu_dereference(current_object);
	if (o && !refcount_inc_not_zero(&o->users))
		o = NULL;
	rcu_read_unlock();
	return o;
}

static noinline void put(struct object *o)
{
	if (!refcount_dec_and_test(&o->users))
		return;
	synchronize_rcu();
	kfree(o);
}

static noinline void use(unsigned int n)
{
	struct object *o = get();

	if (!o)
		return;
	used[n] = READ_ONCE(o->value);
	put(o);
}

static noinline void take_away(void)
{
	struct object *o = xchg((__force struct object **)&current_object, NULL);

	if (o)
		put(o);
}

static void setup(void)
{
	struct object *o = kmalloc(sizeof(*o), GFP_KERNEL);

	refcount_set(&o->users, 1);
	o->value = 5;
	RCU_INIT_POINTER(current_object, o);
}

static void use_or_take_away(unsigned int n)
{
	if (n)
		use(n);
	else
		take_away();
}

static u64 who_used(void)
{
	return used[1] | (u64)used[2] << 32;
}

PROGRAM(refcounted_1, "refcounted", "a counted object that goes away while it is looked up", 2,
	.setup = setup, .actor = use_or_take_away, .final = det_check_leaks, .state = who_used);
PROGRAM(refcounted_2, "refcounted-2", "the same with two users", 3, .setup = setup,
	.actor = use_or_take_away, .final = det_check_leaks, .state = who_used);

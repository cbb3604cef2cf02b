// SPDX-License-Identifier: GPL-2.0-only
/*
 * An object of several allocations, each of which fails in turn (fail-nth), against a reader of the
 * one that is published.
 */
#include <linux/rcupdate.h>

#include <sim/fault.h>

#include "programs.h"

struct pair {
	int *left, *right;
};

static struct pair __rcu *current_pair;
static int seen;

static noinline struct pair *new_pair(int value)
{
	struct pair *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!p)
		return NULL;
	p->left = kmalloc(sizeof(*p->left), GFP_KERNEL);
	if (!p->left)
		goto free_outer;
	p->right = kmalloc(sizeof(*p->right), GFP_KERNEL);
	if (!p->right)
		goto free_left;
	*p->left = *p->right = value;
	return p;

free_left:
	kfree(p->left);
free_outer:
	kfree(p);
	return NULL;
}

static void free_pair(struct pair *p)
{
	kfree(p->left);
	kfree(p->right);
	kfree(p);
}

static noinline bool replace(int value)
{
	struct pair *new = new_pair(value), *old;

	if (!new)
		return false;
	old = rcu_dereference_protected(current_pair, true);
	rcu_assign_pointer(current_pair, new);
	synchronize_rcu();
	free_pair(old);
	return true;
}

/* The first point fails, then the second ..., until none is left to fail. */
static void replace_with_failures(void)
{
	unsigned long nth = 1;
	bool done, hit;

	do {
		sim_fail_nth_set(nth++);
		done = replace(2);
		hit = sim_fail_nth_hit();
		sim_fail_nth_set(0);
		DET_CHECK(done != hit);
	} while (!done);
}

static noinline void look(void)
{
	const struct pair *p;

	rcu_read_lock();
	p = rcu_dereference(current_pair);
	DET_CHECK(*p->left == *p->right);
	seen = *p->left;
	rcu_read_unlock();
}

static void setup(void)
{
	RCU_INIT_POINTER(current_pair, new_pair(1));
}

static void end(void)
{
	free_pair(rcu_dereference_protected(current_pair, true));
	det_check_leaks();
}

static void replace_or_look(unsigned int n)
{
	if (n)
		look();
	else
		replace_with_failures();
}

static u64 what_was_seen(void)
{
	return seen;
}

PROGRAM(failing_pair, "failing-pair", "an update whose allocations fail in turn, and a reader", 2,
	.setup = setup, .actor = replace_or_look, .final = end, .state = what_was_seen);

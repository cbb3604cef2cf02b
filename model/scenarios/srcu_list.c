// SPDX-License-Identifier: GPL-2.0-only
/*
 * A list that readers walk in an SRCU section while items come and go.
 */
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/srcu.h>

#include "programs.h"

struct item {
	struct hlist_node node;
	u32 key, value;
};

DEFINE_STATIC_SRCU(items_srcu);
static HLIST_HEAD(items);
static DEFINE_MUTEX(items_lock);
static u32 seen[3];

static noinline void add(u32 key)
{
	struct item *i = kmalloc(sizeof(*i), GFP_KERNEL);

	if (!i)
		return;
	i->key = key;
	i->value = 10 * key;
	mutex_lock(&items_lock);
	hlist_add_head_rcu(&i->node, &items);
	mutex_unlock(&items_lock);
}

static noinline void remove(u32 key)
{
	struct item *i, *found = NULL;

	mutex_lock(&items_lock);
	hlist_for_each_entry(i, &items, node)
		if (i->key == key)
			found = i;
	if (found)
		hlist_del_rcu(&found->node);
	mutex_unlock(&items_lock);
	if (!found)
		return;
	synchronize_srcu(&items_srcu);
	kfree(found);
}

static noinline void walk(unsigned int n)
{
	struct item *i;
	u32 keys = 0;
	int idx;

	idx = srcu_read_lock(&items_srcu);
	hlist_for_each_entry_srcu(i, &items, node, srcu_read_lock_held(&items_srcu))
	{
		DET_CHECK(i->value == 10 * i->key);
		keys |= 1 << i->key;
	}
	srcu_read_unlock(&items_srcu, idx);
	seen[n] = keys;
}

static void setup(void)
{
	add(1);
	add(2);
}

static void end(void)
{
	struct hlist_node *next;
	struct item *i;

	hlist_for_each_entry_safe(i, next, &items, node)
		kfree(i);
	det_check_leaks();
}

static u64 keys_seen(void)
{
	return seen[1] | (u64)seen[2] << 32;
}

static void add_or_walk(unsigned int n)
{
	if (n)
		walk(n);
	else
		add(3);
}

static void remove_or_walk(unsigned int n)
{
	if (n)
		walk(n);
	else
		remove(1);
}

static void change_or_walk(unsigned int n)
{
	if (!n)
		add(3);
	else if (n == 1)
		remove(1);
	else
		walk(n);
}

PROGRAM(srcu_list_add, "srcu-list-add", "an item is added to a list under SRCU that is walked", 2,
	.setup = setup, .actor = add_or_walk, .final = end, .state = keys_seen);
PROGRAM(srcu_list_remove, "srcu-list-remove",
	"an item is removed from a list under SRCU that is walked", 2, .setup = setup,
	.actor = remove_or_walk, .final = end, .state = keys_seen);
PROGRAM(srcu_list_change, "srcu-list-change", "the two at once", 3, .setup = setup,
	.actor = change_or_walk, .final = end, .state = keys_seen);

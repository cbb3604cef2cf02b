// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/xarray.h as a tree of nodes with 64 slots, for whole indices of any size: readers hold
 * nothing but rcu_read_lock(), changes are made under the array's lock. Marks and multi-index
 * entries are not supplied. The slots of a leaf (shift 0) are entries, all others are nodes.
 */
#include <linux/slab.h>
#include <linux/xarray.h>

#ifdef IRQSIM_DET
#include <sim/det.h>
#endif

#include "supply.h"

#define NODE_BITS  6
#define NODE_SLOTS (1U << NODE_BITS)
#define MAX_LEVELS DIV_ROUND_UP(BITS_PER_LONG, NODE_BITS)

struct node {
	struct rcu_head rcu;
	unsigned int shift; /* of an index, for the number of its slot */
	unsigned int used;
	void *slot[NODE_SLOTS];
};

static struct node *root_of(const struct xarray *xa)
{
	return rcu_dereference_raw(xa->xa_head);
}

static void *get(const struct node *node, unsigned int i)
{
	return smp_load_acquire(&node->slot[i]); /* rcu_dereference() is of typed pointers */
}

static void set(struct node *node, unsigned int i, void *what)
{
	smp_store_release(&node->slot[i], what);
}

static unsigned int slot_number(const struct node *node, unsigned long index)
{
	return index >> node->shift & (NODE_SLOTS - 1);
}

/* Is @index beyond what a tree whose root has @shift can hold? */
static bool beyond(unsigned int shift, unsigned long index)
{
	return shift + NODE_BITS < BITS_PER_LONG && index >> (shift + NODE_BITS);
}

SUPPLY(void *, xa_load, struct xarray *xa, unsigned long index)
{
	struct node *node = root_of(xa);

	if (!node || beyond(node->shift, index))
		return NULL;
	for (; node && node->shift; node = get(node, slot_number(node, index)))
		;
	return node ? get(node, slot_number(node, index)) : NULL;
}

/* ---- changes ---- */

/*
 * One node for @index that the tree does not have yet: below @last, the lowest that there is, or
 * above @root, or the first.
 */
static void add_node(struct xarray *xa, struct node *new, struct node *root, struct node *last,
		     unsigned long index)
{
	if (last) {
		new->shift = last->shift - NODE_BITS;
		last->used++;
		set(last, slot_number(last, index), new);
		return;
	}
	if (root) {
		new->shift = root->shift + NODE_BITS;
		new->used = 1;
		new->slot[0] = root;
	} else {
		while (beyond(new->shift, index))
			new->shift += NODE_BITS;
	}
	rcu_assign_pointer(xa->xa_head, (void *)new);
}

/* The leaf for @index, or NULL where a node is missing: below *@last, or at the root. */
static struct node *leaf_of(struct node *root, unsigned long index, struct node **last)
{
	struct node *node = root;

	*last = NULL;
	if (!root || beyond(root->shift, index))
		return NULL;
	for (; node && node->shift; node = node->slot[slot_number(node, index)])
		*last = node;
	return node;
}

/*
 * The same, with what is missing made. Called with the array's lock held, and dropped while memory
 * is allocated, as the kernel's xarray does for allocations that may sleep: whoever comes in between
 * wins.
 */
static struct node *make_leaf(struct xarray *xa, unsigned long index, gfp_t gfp)
{
	struct node *leaf, *last, *new;

	while (!(leaf = leaf_of(root_of(xa), index, &last))) {
		struct node *root = root_of(xa);

		xa_unlock(xa);
		new = kzalloc(sizeof(*new), gfp);
		xa_lock(xa);
		if (!new)
			return NULL;
		if (root_of(xa) == root && !leaf_of(root, index, &last))
			add_node(xa, new, root, last, index);
		else
			kfree(new);
	}
	return leaf;
}

static void retire(struct node *node)
{
#ifdef IRQSIM_DET
	/* A callback would be one more handler in every program; no user of an array sees nodes. */
	det_retire(node);
#else
	kfree_rcu(node, rcu);
#endif
}

/* An array that one node holds keeps it until xa_destroy(). */
static void remove_empty(struct xarray *xa, struct node **path, int level, unsigned long index)
{
	struct node *node;

	if (!root_of(xa)->shift)
		return;
	for (; level >= 0 && !path[level]->used; level--) {
		node = path[level];
		if (level) {
			path[level - 1]->used--;
			set(path[level - 1], slot_number(path[level - 1], index), NULL);
		} else {
			rcu_assign_pointer(xa->xa_head, NULL);
		}
		retire(node);
	}
}

static void *erase(struct xarray *xa, unsigned long index)
{
	struct node *path[MAX_LEVELS], *node = root_of(xa);
	int level = 0;
	void *old;

	if (!node || beyond(node->shift, index))
		return NULL;
	for (; node && node->shift; node = node->slot[slot_number(node, index)])
		path[level++] = node;
	old = node ? node->slot[slot_number(node, index)] : NULL;
	if (!old)
		return NULL;
	path[level] = node;
	set(node, slot_number(node, index), NULL);
	node->used--;
	remove_empty(xa, path, level, index);
	return old;
}

SUPPLY(void *, xa_erase, struct xarray *xa, unsigned long index)
{
	void *old;

	xa_lock(xa);
	old = erase(xa, index);
	xa_unlock(xa);
	return old;
}

SUPPLY(void *, xa_store, struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	struct node *leaf;
	void *old;

	if (!entry)
		return xa_erase(xa, index);
	xa_lock(xa);
	leaf = make_leaf(xa, index, gfp);
	if (leaf) {
		old = leaf->slot[slot_number(leaf, index)];
		leaf->used += !old;
		set(leaf, slot_number(leaf, index), entry);
	} else {
		old = XA_ERROR(-ENOMEM);
	}
	xa_unlock(xa);
	return old;
}

/* The inline xa_insert() holds the lock around this. */
SUPPLY(int, __xa_insert, struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	struct node *leaf = make_leaf(xa, index, gfp);

	if (!leaf)
		return -ENOMEM;
	if (leaf->slot[slot_number(leaf, index)])
		return -EBUSY;
	leaf->used++;
	set(leaf, slot_number(leaf, index), entry);
	return 0;
}

static void free_nodes(struct node *node)
{
	unsigned int i;

	for (i = 0; node->shift && i < NODE_SLOTS; i++)
		if (node->slot[i])
			free_nodes(node->slot[i]);
	kfree(node);
}

SUPPLY(void, xa_destroy, struct xarray *xa)
{
	if (root_of(xa))
		free_nodes(root_of(xa));
	xa->xa_head = NULL;
}

/* ---- looking for the next one ---- */

/* From @from to @last in @node, whose first index is @base. */
static void *find_in(const struct node *node, unsigned long base, unsigned long from,
		     unsigned long last, unsigned long *index)
{
	unsigned int i = from > base ? (from - base) >> node->shift : 0;

	for (; i < NODE_SLOTS; i++) {
		unsigned long at = base + ((unsigned long)i << node->shift);
		void *found = at > last ? NULL : get(node, i);

		if (at > last)
			break;
		if (found && node->shift)
			found = find_in(found, at, from, last, index);
		else if (found)
			*index = at;
		if (found)
			return found;
	}
	return NULL;
}

static void *find_from(struct xarray *xa, unsigned long *index, unsigned long from,
		       unsigned long last)
{
	struct node *root = root_of(xa);

	if (!root || beyond(root->shift, from))
		return NULL;
	return find_in(root, 0, from, last, index);
}

SUPPLY(void *, xa_find, struct xarray *xa, unsigned long *index, unsigned long max, xa_mark_t mark)
{
	return find_from(xa, index, *index, max);
}

SUPPLY(void *, xa_find_after, struct xarray *xa, unsigned long *index, unsigned long max,
       xa_mark_t mark)
{
	return *index == ULONG_MAX ? NULL : find_from(xa, index, *index + 1, max);
}

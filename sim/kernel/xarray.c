// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/xarray.h over one growing array of slots: the calls that KVM makes on small, dense indices
 * (vCPUs by number). Marks and multi-index entries are not supplied.
 */
#include <linux/slab.h>
#include <linux/xarray.h>

#include "supply.h"

struct slots {
	struct rcu_head rcu;
	unsigned long nr;
	void *slot[];
};

static struct slots *slots_of(const struct xarray *xa)
{
	return rcu_dereference_raw(xa->xa_head);
}

/*
 * Make room for @index. Called with the array's lock held, and dropped while memory is allocated,
 * as the kernel's xarray does for allocations that may sleep: whoever comes in between wins.
 */
static int grow(struct xarray *xa, unsigned long index, gfp_t gfp)
{
	struct slots *old, *new;
	unsigned long nr;

	/* One array: an index far out is no use of it. */
	BUG_ON(index >= 1UL << 20);

	for (;;) {
		old = slots_of(xa);
		if (old && index < old->nr)
			return 0;

		nr = max(index + 1, old ? 2 * old->nr : 4UL);
		xa_unlock(xa);
		new = kzalloc(struct_size(new, slot, nr), gfp);
		xa_lock(xa);
		if (!new)
			return -ENOMEM;
		if (slots_of(xa) == old)
			break;
		kfree(new);
	}

	new->nr = nr;
	if (old)
		memcpy(new->slot, old->slot, old->nr * sizeof(void *));
	rcu_assign_pointer(xa->xa_head, (void *)new);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

SUPPLY(void *, xa_load, struct xarray *xa, unsigned long index)
{
	struct slots *s = slots_of(xa);

	return s && index < s->nr ? READ_ONCE(s->slot[index]) : NULL;
}

SUPPLY(void *, xa_store, struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	void *old;
	int ret;

	xa_lock(xa);
	ret = grow(xa, index, gfp);
	if (ret) {
		old = XA_ERROR(ret);
	} else {
		old = slots_of(xa)->slot[index];
		smp_store_release(&slots_of(xa)->slot[index], entry);
	}
	xa_unlock(xa);
	return old;
}

/* The inline xa_insert() holds the lock around this. */
SUPPLY(int, __xa_insert, struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	int ret = grow(xa, index, gfp);

	if (ret)
		return ret;
	if (slots_of(xa)->slot[index])
		return -EBUSY;
	smp_store_release(&slots_of(xa)->slot[index], entry);
	return 0;
}

SUPPLY(void *, xa_erase, struct xarray *xa, unsigned long index)
{
	struct slots *s;
	void *old;

	xa_lock(xa);
	s = slots_of(xa);
	old = s && index < s->nr ? s->slot[index] : NULL;
	if (old)
		WRITE_ONCE(s->slot[index], NULL);
	xa_unlock(xa);

	return old;
}

static void *find_from(struct xarray *xa, unsigned long *index, unsigned long from,
		       unsigned long last)
{
	struct slots *s = slots_of(xa);

	for (; s && from < s->nr && from <= last; from++) {
		void *entry = READ_ONCE(s->slot[from]);

		if (entry) {
			*index = from;
			return entry;
		}
	}
	return NULL;
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

SUPPLY(void, xa_destroy, struct xarray *xa)
{
	kfree(slots_of(xa));
	xa->xa_head = NULL;
}

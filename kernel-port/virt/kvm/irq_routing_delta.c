// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routing strategy "delta": a new table shares the entries that did not change with the old one.
 *
 * User space passes the whole table each time, but in recorded traffic 61 % of all updates carry a
 * table equal to the one before, and most of the others change a few entries (an affinity change,
 * one more MSI-X vector). So:
 *
 * - A list of entries is never modified once its table is published; a GSI whose routes are the
 *   same in old and new table has the same list in both. Only what changed needs an entry, and an
 *   architecture that can tell (kvm_arch_irq_route_is()) does not even translate the rest.
 * - Entries come from page-sized chunks that belong to the VM; those that a table drops go back to
 *   their chunk after the grace period and serve the next update. Nothing larger than a page is
 *   asked for, and a steady VM asks for nothing.
 * - The list heads of the table before last are kept for the next one. They are the only request
 *   above a page (order 4 from 4058 GSIs on); it is a kvmalloc, so that a fragmented host is slow
 *   once, not out of memory each time.
 * - A table that turns out equal is not published: no grace period, unless that of an earlier
 *   update is still going on, which is waited for, because user space may rely on nobody using
 *   anything older than what it passed. The architecture is told all the same: vCPUs may have been
 *   added.
 *
 * Compared with the others in steady state it allocates nothing (per-entry: n + 1 objects, chunked:
 * n / 64 + 2, array: 2, cached: 1), holds one set of entries plus the changed ones at the peak in
 * place of two, and skips most grace periods.
 *
 * What it pays: kvm->irq_lock is held while a table is built, since new routes are compared with
 * those of the current table. Up to one chunk and one set of list heads sit idle, or as many chunks
 * as the last update changed. A first table of n routes takes n / 56 + 1 allocations, where "array"
 * takes 2; and while every update changes every route, entries are as many as in "chunked", with a
 * pointer more each.
 */
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "irq_routing.h"
#include "irq_routing_pool.h"

typedef struct kvm_kernel_irq_routing_entry entry_t;

/* One a VM, handed from table to table. Under kvm->irq_lock. */
struct delta_vm {
	struct irq_entry_pool pool;
	struct delta_table *spare;  /* list heads to build the next table in, or NULL */
	unsigned int grace_periods; /* updates that wait for one */
};

struct delta_table {
	struct delta_vm *vm;
	u32 capacity;			 /* list heads that there is room for */
	struct kvm_irq_routing_table rt; /* last: ends in the list heads */
};

static struct delta_table *to_delta(struct kvm_irq_routing_table *rt)
{
	return container_of(rt, struct delta_table, rt);
}

static struct delta_table *current_table(struct kvm *kvm)
{
	return to_delta(
		rcu_dereference_protected(kvm->irq_routing, lockdep_is_held(&kvm->irq_lock)));
}

/* Entries that a table dropped, until its grace period is over: readers may be copying them. */
static void drop_entry(entry_t **dropped, entry_t *e)
{
	*irq_pool_next(e) = *dropped;
	*dropped = e;
}

static u32 put_dropped(struct irq_entry_pool *pool, entry_t *dropped)
{
	u32 n = 0;

	while (dropped) {
		entry_t *next = *irq_pool_next(dropped);

		irq_pool_put(pool, dropped);
		dropped = next;
		n++;
	}

	return n;
}

/* ---- tables ---- */

static struct hlist_node *list_of(const struct kvm_irq_routing_table *rt, u32 gsi)
{
	return gsi < rt->nr_rt_entries ? rt->map[gsi].first : NULL;
}

static bool is_in_list(const struct hlist_node *node, const struct hlist_node *list)
{
	for (; list; list = list->next)
		if (list == node)
			return true;
	return false;
}

/*
 * Lists grow at the head, so two tables share the tails of a GSI's lists. Returns the entries of
 * @from that are not in @other, chained to @dropped.
 */
static entry_t *entries_not_in(const struct kvm_irq_routing_table *from,
			       const struct kvm_irq_routing_table *other, entry_t *dropped)
{
	u32 gsi;

	for (gsi = 0; gsi < from->nr_rt_entries; gsi++) {
		struct hlist_node *node = from->map[gsi].first;
		struct hlist_node *there = list_of(other, gsi);

		/* Mostly the whole list is shared; else look for the tail that is. */
		if (node == there)
			continue;
		for (; node && !is_in_list(node, there); node = node->next)
			drop_entry(&dropped, hlist_entry(node, entry_t, link));
	}

	return dropped;
}

static struct delta_table *alloc_table(struct delta_vm *vm, u32 nr_gsis)
{
	size_t size = offsetof(struct delta_table, rt) + kvm_irq_rt_size(nr_gsis);
	struct delta_table *t;

	/* What the allocator rounds up to is room for the GSIs of the next updates. */
	size = size <= KMALLOC_MAX_CACHE_SIZE ? kmalloc_size_roundup(size) : PAGE_ALIGN(size);
	t = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!t)
		return NULL;

	t->vm = vm;
	t->capacity = (size - offsetof(struct delta_table, rt) - kvm_irq_rt_size(0)) /
		      sizeof(struct hlist_head);
	return t;
}

/* A table without routes for @nr_gsis GSIs; the spare one if it is large enough. */
static struct delta_table *new_table(struct delta_vm *vm, u32 nr_gsis)
{
	struct delta_table *t = vm->spare;

	if (t && t->capacity >= nr_gsis) {
		vm->spare = NULL;
		memset(t->rt.map, 0, array_size(nr_gsis, sizeof(struct hlist_head)));
	} else {
		t = alloc_table(vm, nr_gsis);
		if (!t)
			return NULL;
	}
	kvm_irq_rt_init(&t->rt, nr_gsis);

	return t;
}

/* @t holds no entries any more. The larger one of two spares is the one that will fit. */
static void put_table(struct delta_vm *vm, struct delta_table *t)
{
	if (!vm->spare || vm->spare->capacity < t->capacity)
		swap(vm->spare, t);
	kvfree(t);
}

/* ---- update ---- */

/* The largest member of the entry's union: what is zero here is zero in all of them. */
typedef typeof(((entry_t *)0)->adapter) payload_t;

static void clear_route(entry_t *e)
{
	BUILD_BUG_ON(offsetof(entry_t, adapter) + sizeof(payload_t) != offsetof(entry_t, link));

	e->set = NULL;
	e->adapter = (payload_t){};
}

/*
 * Same handler, same payload, for the same GSI; what a type has no use for is zero. Compared by the
 * 32 bits that fields have: @b was written a moment ago, and a wider load would wait for its
 * stores.
 */
static bool same_route(const entry_t *a, const entry_t *b)
{
	const u32 *x = (const u32 *)&a->adapter, *y = (const u32 *)&b->adapter;

	BUILD_BUG_ON(sizeof(payload_t) != 8 * sizeof(u32));

	return a->set == b->set &&
	       !((a->type ^ b->type) | (x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) |
		 (x[3] ^ y[3]) | (x[4] ^ y[4]) | (x[5] ^ y[5]) | (x[6] ^ y[6]) | (x[7] ^ y[7]));
}

/*
 * The entry that says what @e says and has the same entries behind it, in the current table @old;
 * so that it can stand in @rt's list as it is.
 */
static entry_t *find_shared(const struct kvm_irq_routing_table *old,
			    const struct kvm_irq_routing_table *rt, const entry_t *e)
{
	struct hlist_node *node;

	for (node = list_of(old, e->gsi); node; node = node->next) {
		entry_t *there = hlist_entry(node, entry_t, link);

		if (node->next == rt->map[e->gsi].first && same_route(there, e))
			return there;
	}

	return NULL;
}

/* An architecture that can tell without translating says so; else the route is translated. */
bool __weak kvm_arch_irq_route_is(struct kvm *kvm, const entry_t *e,
				  const struct kvm_irq_routing_entry *ue)
{
	return false;
}

/* The usual case, looked at first: one route for the GSI, and the same as before. */
static bool keep_route(struct kvm *kvm, const struct kvm_irq_routing_table *old,
		       struct kvm_irq_routing_table *rt, const struct kvm_irq_routing_entry *ue)
{
	u32 gsi = array_index_nospec(ue->gsi, KVM_MAX_IRQ_ROUTES);
	struct hlist_node *node = list_of(old, gsi);

	if (!node || node->next || rt->map[gsi].first || ue->flags)
		return false;
	if (!kvm_arch_irq_route_is(kvm, hlist_entry(node, entry_t, link), ue))
		return false;

	rt->map[gsi].first = node;
	return true;
}

static int add_route(struct kvm *kvm, struct delta_vm *vm, const struct kvm_irq_routing_table *old,
		     struct kvm_irq_routing_table *rt, const struct kvm_irq_routing_entry *ue)
{
	entry_t route, *e;
	int ret;

	if (keep_route(kvm, old, rt, ue))
		return 0;

	clear_route(&route);
	ret = kvm_irq_rt_translate(kvm, rt, &route, ue);
	if (ret)
		return ret;

	e = find_shared(old, rt, &route);
	if (!e) {
		e = irq_pool_get(&vm->pool);
		if (!e)
			return -ENOMEM;
		*e = route;
		e->link.next = rt->map[route.gsi].first;
	}
	rt->map[route.gsi].first = &e->link;

	return 0;
}

static int fill_table(struct kvm *kvm, struct delta_table *old, struct delta_table *new,
		      const struct kvm_irq_routing_entry *ue, unsigned int nr)
{
	struct irq_entry_pool *pool = &old->vm->pool;
	u32 was_free = pool->nr_free;
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = add_route(kvm, old->vm, &old->rt, &new->rt, &ue[i]);
		if (ret) {
			put_dropped(pool, entries_not_in(&new->rt, &old->rt, NULL));
			irq_pool_trim(pool, was_free);
			return ret;
		}
	}

	return 0;
}

static bool same_table(const struct kvm_irq_routing_table *a, const struct kvm_irq_routing_table *b)
{
	/* Shared lists make equal tables equal to the byte; pins depend on the order of routes too.
	 */
	return a->nr_rt_entries == b->nr_rt_entries && !memcmp(a->chip, b->chip, sizeof(a->chip)) &&
	       !memcmp(a->map, b->map, array_size(a->nr_rt_entries, sizeof(a->map[0])));
}

/* @old was replaced and its grace period is over. */
static void retire(struct kvm *kvm, struct delta_table *old, entry_t *dropped)
{
	struct delta_vm *vm = old->vm;

	mutex_lock(&kvm->irq_lock);
	vm->grace_periods--;
	/* The next update will change about as much. */
	irq_pool_trim(&vm->pool, put_dropped(&vm->pool, dropped));
	put_table(vm, old);
	mutex_unlock(&kvm->irq_lock);
}

int kvm_set_irq_routing(struct kvm *kvm, const struct kvm_irq_routing_entry *ue, unsigned int nr,
			unsigned int flags)
{
	struct delta_table *new, *old;
	bool had_spare, wait;
	struct delta_vm *vm;
	entry_t *dropped;
	int nr_gsis, ret;

	nr_gsis = kvm_irq_rt_nr_gsis(ue, nr);
	if (nr_gsis < 0)
		return nr_gsis;

	mutex_lock(&kvm->irq_lock);
	old = current_table(kvm);
	vm = old->vm;
	had_spare = vm->spare;
	new = new_table(vm, nr_gsis);
	if (!new) {
		ret = -ENOMEM;
		goto unlock;
	}

	ret = fill_table(kvm, old, new, ue, nr);
	if (ret) {
		/* Leave the VM with what it had before. */
		if (had_spare && !vm->spare)
			vm->spare = new;
		else
			kvfree(new);
		goto unlock;
	}

	if (same_table(&old->rt, &new->rt)) {
		put_table(vm, new);
		wait = vm->grace_periods;
		kvm_arch_irq_routing_update(kvm);
		mutex_unlock(&kvm->irq_lock);
		kvm_arch_post_irq_routing_update(kvm);
		if (wait)
			synchronize_srcu_expedited(&kvm->irq_srcu);
		return 0;
	}

	dropped = entries_not_in(&old->rt, &new->rt, NULL);
	kvm_irq_rt_publish(kvm, &new->rt);
	vm->grace_periods++;
	mutex_unlock(&kvm->irq_lock);

	kvm_arch_post_irq_routing_update(kvm);
	synchronize_srcu_expedited(&kvm->irq_srcu);
	retire(kvm, old, dropped);

	return 0;

unlock:
	mutex_unlock(&kvm->irq_lock);
	return ret;
}

int kvm_init_irq_routing(struct kvm *kvm)
{
	struct delta_table *t;
	struct delta_vm *vm;

	vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	if (!vm)
		return -ENOMEM;

	irq_pool_init(&vm->pool);
	t = alloc_table(vm, 1);
	if (!t) {
		kfree(vm);
		return -ENOMEM;
	}
	kvm_irq_rt_init(&t->rt, 1);
	RCU_INIT_POINTER(kvm->irq_routing, &t->rt);

	return 0;
}

/* The VM has no users left: no reader, no update. */
void kvm_free_irq_routing(struct kvm *kvm)
{
	struct kvm_irq_routing_table *rt = rcu_dereference_protected(kvm->irq_routing, 1);
	struct delta_vm *vm;

	if (!rt)
		return;

	vm = to_delta(rt)->vm;
	irq_pool_destroy(&vm->pool);
	kvfree(vm->spare);
	kvfree(to_delta(rt));
	kfree(vm);
}

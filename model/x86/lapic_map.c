// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom a destination means: by asking each LAPIC, and by a map from ids to LAPICs that saves that.
 * The map is rebuilt when an id, a mode or a software enable changed, and read under RCU.
 */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/version.h>

#include "model.h"

/* How the map's LAPICs read a logical destination. The field has other names before 6.3. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define map_mode(map) ((map)->mode)
enum { MODE_NONE, MODE_X2APIC, MODE_FLAT, MODE_CLUSTER, MODE_MIXED };
#else
#define map_mode(map) ((map)->logical_mode)
#define MODE_NONE     KVM_APIC_MODE_SW_DISABLED
#define MODE_X2APIC   KVM_APIC_MODE_X2APIC
#define MODE_FLAT     KVM_APIC_MODE_XAPIC_FLAT
#define MODE_CLUSTER  KVM_APIC_MODE_XAPIC_CLUSTER
#define MODE_MIXED    KVM_APIC_MODE_MAP_DISABLED
#endif

#define MAX_TARGETS 16 /* of one logical destination: an x2APIC cluster */

/* Cluster number and the bit in it (Intel SDM vol. 3, "Deriving Logical x2APIC ID"). */
u32 model_lapic_x2apic_ldr(u32 id)
{
	return id >> 4 << 16 | 1u << (id & 15);
}

/* ---- one LAPIC ---- */

static bool is_broadcast(struct kvm_lapic *apic, u32 dest)
{
	return dest == (kvm_apic_x2apic_mode(apic) ? KVM_X2APIC_BROADCAST : KVM_XAPIC_BROADCAST);
}

static bool match_physical(struct kvm_lapic *apic, u32 dest)
{
	if (is_broadcast(apic, dest))
		return true;
	/* A vCPU whose id needs more than 8 bits is reached by it in xAPIC mode too. */
	if (kvm_apic_x2apic_mode(apic) || dest > 0xff)
		return dest == kvm_apic_x2apic_id(apic);
	return dest == kvm_apic_xapic_id(apic);
}

static bool match_logical(struct kvm_lapic *apic, u32 dest)
{
	u32 ldr = kvm_lapic_get(apic, APIC_LDR);

	if (is_broadcast(apic, dest))
		return true;
	if (kvm_apic_x2apic_mode(apic))
		return ldr >> 16 == dest >> 16 && (ldr & dest & 0xffff);

	ldr = GET_APIC_LOGICAL_ID(ldr);
	switch (kvm_lapic_get(apic, APIC_DFR)) {
	case APIC_DFR_FLAT:
		return ldr & dest;
	case APIC_DFR_CLUSTER:
		return ldr >> 4 == dest >> 4 && (ldr & dest & 0xf);
	}
	return false;
}

bool kvm_lapic_match_dest(struct kvm_vcpu *vcpu, struct kvm_lapic *source, u32 shorthand, u32 dest,
			  u16 dest_mode)
{
	struct kvm_lapic *target = vcpu->arch.apic;

	if (shorthand == APIC_DEST_ALLINC)
		return true;
	if (shorthand == APIC_DEST_SELF || shorthand == APIC_DEST_ALLBUT)
		return (target == source) == (shorthand == APIC_DEST_SELF);
	if (shorthand != KVM_APIC_NO_SHORTHAND)
		return false;

	/* The quirk: a device's 8-bit broadcast reaches x2APICs as well. */
	if (!source && dest == KVM_XAPIC_BROADCAST && kvm_apic_x2apic_mode(target) &&
	    !vcpu->kvm->arch.x2apic_broadcast_quirk_disabled)
		dest = KVM_X2APIC_BROADCAST;

	return dest_mode == APIC_DEST_PHYSICAL ? match_physical(target, dest)
					       : match_logical(target, dest);
}

/* ---- the map ---- */

/* 0, -E2BIG: an id above what the map has room for, -EINVAL: two LAPICs of one id. */
static int add_physical(struct kvm_apic_map *map, struct kvm_lapic *apic)
{
	u32 x2apic_id = kvm_apic_x2apic_id(apic), xapic_id = kvm_apic_xapic_id(apic), id;
	bool x2apic = kvm_apic_x2apic_mode(apic);

	if (x2apic_id > map->max_apic_id)
		return -E2BIG;

	if (apic->vcpu->kvm->arch.x2apic_format) {
		/* An id of 8 bits may be that of another's lower 8; the x2APIC wins. */
		if (x2apic || x2apic_id > 0xff)
			map->phys_map[x2apic_id] = apic;
		if (!x2apic && !map->phys_map[xapic_id])
			map->phys_map[xapic_id] = apic;
		return 0;
	}

	id = x2apic ? x2apic_id : xapic_id;
	if (map->phys_map[id])
		return -EINVAL;
	map->phys_map[id] = apic;

	return 0;
}

/* LAPICs of @dest, a logical one, by bit in @bits. NULL: the map cannot tell. */
static struct kvm_lapic **logical_targets(struct kvm_apic_map *map, u32 dest, unsigned long *bits)
{
	u32 first = dest >> 16 << 4;

	switch ((int)map_mode(map)) {
	case MODE_NONE:
		*bits = 0;
		return map->xapic_flat_map;
	case MODE_FLAT:
		*bits = dest & 0xff;
		return map->xapic_flat_map;
	case MODE_CLUSTER:
		*bits = dest & 0xf;
		return map->xapic_cluster_map[dest >> 4 & 0xf];
	case MODE_X2APIC:
		if (first > map->max_apic_id) {
			*bits = 0;
			return map->phys_map;
		}
		*bits = dest & 0xffff;
		if (map->max_apic_id - first < MAX_TARGETS - 1)
			*bits &= (1u << (map->max_apic_id - first + 1)) - 1;
		return map->phys_map + first;
	}
	return NULL;
}

static void add_logical(struct kvm_apic_map *map, struct kvm_lapic *apic)
{
	u32 ldr = kvm_lapic_get(apic, APIC_LDR);
	struct kvm_lapic **targets;
	unsigned long bits;
	int mode = MODE_X2APIC;

	if (map_mode(map) == MODE_MIXED || !apic->sw_enabled || !ldr)
		return;
	if (!kvm_apic_x2apic_mode(apic))
		mode = kvm_lapic_get(apic, APIC_DFR) == APIC_DFR_FLAT ? MODE_FLAT : MODE_CLUSTER;
	if (map_mode(map) != MODE_NONE && map_mode(map) != mode) {
		map_mode(map) = MODE_MIXED;
		return;
	}
	map_mode(map) = mode;
	/* An x2APIC's logical id follows from its id: phys_map serves both. */
	if (mode == MODE_X2APIC)
		return;

	targets = logical_targets(map, GET_APIC_LOGICAL_ID(ldr), &bits);
	if (!bits)
		return;
	/* Several bits, or a bit that another has: only asking each LAPIC tells. */
	if (bits & (bits - 1) || targets[__ffs(bits)])
		map_mode(map) = MODE_MIXED;
	else
		targets[__ffs(bits)] = apic;
}

static u32 highest_id(struct kvm *kvm)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;
	u32 max_id = 0xff; /* every xAPIC id has a place */

	kvm_for_each_vcpu(i, vcpu, kvm)
		if (kvm_vcpu_apic_present(vcpu))
			max_id = max_t(u32, max_id, vcpu->vcpu_id);

	return max_id;
}

/* NULL without memory, or where ids clash: then every LAPIC is asked. */
static struct kvm_apic_map *make_map(struct kvm *kvm, u32 max_id)
{
	struct kvm_apic_map *map;
	struct kvm_vcpu *vcpu;
	unsigned long i;
	int ret;

	map = kvzalloc(struct_size(map, phys_map, (size_t)max_id + 1), GFP_KERNEL_ACCOUNT);
	if (!map)
		return NULL;
	map->max_apic_id = max_id;
	map_mode(map) = MODE_NONE;
	kvm_for_each_vcpu(i, vcpu, kvm) {
		if (!kvm_vcpu_apic_present(vcpu))
			continue;
		ret = add_physical(map, vcpu->arch.apic);
		if (ret) {
			kvfree(map);
			/* A vCPU came meanwhile. */
			return ret == -E2BIG ? ERR_PTR(ret) : NULL;
		}
		add_logical(map, vcpu->arch.apic);
	}

	return map;
}

static void publish(struct kvm *kvm, struct kvm_apic_map *map)
{
	struct kvm_apic_map *old;

	old = rcu_replace_pointer(kvm->arch.apic_map, map,
				  lockdep_is_held(&kvm->arch.apic_map_lock));
	if (old)
		kvfree_rcu(old, rcu);
}

/* The same LAPICs in the same places? Both were zeroed before they were filled. */
static bool same_map(const struct kvm_apic_map *a, const struct kvm_apic_map *b)
{
	size_t from = offsetofend(struct kvm_apic_map, rcu);

	return a && b && a->max_apic_id == b->max_apic_id &&
	       !memcmp((const char *)a + from, (const char *)b + from,
		       struct_size(a, phys_map, (size_t)a->max_apic_id + 1) - from);
}

static void rebuild(struct kvm *kvm)
{
	struct kvm_apic_map *map;

	do {
		map = make_map(kvm, highest_id(kvm));
	} while (IS_ERR(map));

	/* Most images change nothing here: then there is no grace period to wait for. */
	if (same_map(map, rcu_dereference_protected(kvm->arch.apic_map,
						    lockdep_is_held(&kvm->arch.apic_map_lock))))
		kvfree(map);
	else
		publish(kvm, map);
	kvm_make_scan_ioapic_request(kvm);
}

void model_map_changed(struct kvm *kvm)
{
	atomic_set_release(&kvm->arch.apic_map_dirty, 1);
}

void model_map_update(struct kvm *kvm)
{
	/* Who changed something waits for a map that has it, whoever builds it. */
	mutex_lock(&kvm->arch.apic_map_lock);
	if (atomic_xchg(&kvm->arch.apic_map_dirty, 0))
		rebuild(kvm);
	mutex_unlock(&kvm->arch.apic_map_lock);
}

void model_map_drop(struct kvm *kvm)
{
	mutex_lock(&kvm->arch.apic_map_lock);
	publish(kvm, NULL);
	mutex_unlock(&kvm->arch.apic_map_lock);
}

void model_map_destroy(struct kvm *kvm)
{
	kvfree(rcu_replace_pointer(kvm->arch.apic_map, NULL, true));
}

/* ---- delivery by the map ---- */

int kvm_lapic_hash(u8 vector, unsigned int nr, const unsigned long *bitmap, unsigned int size)
{
	unsigned int skip = vector % nr;
	int bit = find_first_bit(bitmap, size);

	while (skip--)
		bit = find_next_bit(bitmap, size, bit + 1);

	return bit;
}

/* Is @dest one that reaches LAPICs of other modes than the map's? */
static bool dest_is_broadcast(struct kvm *kvm, struct kvm_lapic *source, u32 dest,
			      struct kvm_apic_map *map)
{
	bool x2apic_ipi = source && kvm_apic_x2apic_mode(source);

	if (kvm->arch.x2apic_broadcast_quirk_disabled)
		return dest == KVM_X2APIC_BROADCAST ||
		       (dest == KVM_XAPIC_BROADCAST && map_mode(map) != MODE_X2APIC);

	return dest == (x2apic_ipi ? KVM_X2APIC_BROADCAST : KVM_XAPIC_BROADCAST);
}

/* The LAPICs of @irq by bit; NULL: ask each. */
static struct kvm_lapic **find_targets(struct kvm *kvm, struct kvm_lapic *source,
				       const struct kvm_lapic_irq *irq, struct kvm_apic_map *map,
				       unsigned long *bits)
{
	struct kvm_lapic **targets;
	int one;

	if (dest_is_broadcast(kvm, source, irq->dest_id, map))
		return NULL;
	if (irq->dest_mode == APIC_DEST_PHYSICAL) {
		*bits = irq->dest_id <= map->max_apic_id;
		return map->phys_map + (*bits ? irq->dest_id : 0);
	}

	targets = logical_targets(map, irq->dest_id, bits);
	if (!targets || !kvm_lowest_prio_delivery(irq) || !*bits)
		return targets;
	one = kvm_lapic_hash(irq->vector, hweight_long(*bits), bits, MAX_TARGETS);
	/* Hashed to a vCPU that is not there, or whose LAPIC is off: lost, as in the kernel. */
	*bits = targets[one] ? BIT(one) : 0;

	return targets;
}

bool kvm_lapic_deliver_fast(struct kvm *kvm, struct kvm_lapic *source,
			    const struct kvm_lapic_irq *irq, int *delivered,
			    struct dest_map *dest_map)
{
	struct kvm_lapic **targets = NULL;
	struct kvm_apic_map *map;
	unsigned long bits, i;

	*delivered = -1;
	if (irq->shorthand == APIC_DEST_SELF && source) {
		*delivered = kvm_lapic_accept(source->vcpu, irq, dest_map);
		return true;
	}
	if (irq->shorthand != KVM_APIC_NO_SHORTHAND)
		return false;

	rcu_read_lock();
	map = rcu_dereference(kvm->arch.apic_map);
	if (map)
		targets = find_targets(kvm, source, irq, map, &bits);
	if (targets) {
		*delivered = 0;
		for_each_set_bit(i, &bits, MAX_TARGETS)
			if (targets[i])
				*delivered += kvm_lapic_accept(targets[i]->vcpu, irq, dest_map);
	}
	rcu_read_unlock();

	return targets;
}

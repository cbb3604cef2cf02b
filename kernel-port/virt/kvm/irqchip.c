// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupt routing: from a GSI to the pins and messages that it stands for.
 *
 * The lookup side, the same whatever holds the entries. Readers are in an irq_srcu read section and
 * see one table, whole; kvm->irq_routing is never NULL between kvm_init_irq_routing() and
 * kvm_free_irq_routing().
 */
#include <linux/kvm_host.h>
#include <linux/nospec.h>
#include <linux/srcu.h>

#include "irq_routing.h"

static struct kvm_irq_routing_table *current_table(struct kvm *kvm)
{
	return srcu_dereference_check(kvm->irq_routing, &kvm->irq_srcu,
				      lockdep_is_held(&kvm->irq_lock));
}

int kvm_irq_map_gsi(struct kvm *kvm, struct kvm_kernel_irq_routing_entry *entries, int gsi)
{
	const struct kvm_irq_routing_table *rt = current_table(kvm);
	const struct kvm_kernel_irq_routing_entry *e;
	int found = 0;

	/* As u32 a negative GSI is far above every table. */
	if (!rt || (u32)gsi >= rt->nr_rt_entries)
		return 0;

	hlist_for_each_entry(e, &rt->map[gsi], link)
		entries[found++] = *e;

	return found;
}

int kvm_irq_map_chip_pin(struct kvm *kvm, unsigned int irqchip, unsigned int pin)
{
	return current_table(kvm)->chip[irqchip][pin];
}

int kvm_send_userspace_msi(struct kvm *kvm, struct kvm_msi *msi)
{
	struct kvm_kernel_irq_routing_entry e = {
		.type = KVM_IRQ_ROUTING_MSI,
		.set = kvm_set_msi,
		.msi = {
			.address_lo = msi->address_lo,
			.address_hi = msi->address_hi,
			.data = msi->data,
			.flags = msi->flags,
			.devid = msi->devid,
		},
	};

	if (!kvm_arch_irqchip_in_kernel(kvm))
		return -EINVAL;
	if (msi->flags & ~KVM_MSI_VALID_DEVID)
		return -EINVAL;

	return e.set(&e, kvm, KVM_USERSPACE_IRQ_SOURCE_ID, 1, false);
}

/*
 * A GSI may stand for a pin of several irqchips, since the guest programs only one of them; each
 * gets the level, in the order in which user space listed them. The answers of those that took it
 * are added up: negative if none did, 0 if all had it pending already.
 */
int kvm_set_irq(struct kvm *kvm, int irq_source_id, u32 irq, int level, bool line_status)
{
	struct kvm_kernel_irq_routing_entry route[KVM_NR_IRQCHIPS];
	int delivered = -1;
	int idx, i;

	idx = srcu_read_lock(&kvm->irq_srcu);
	i = kvm_irq_map_gsi(kvm, route, irq);
	srcu_read_unlock(&kvm->irq_srcu, idx);

	/* Lists are built head first, so the last one found was listed first. */
	for (i--; i >= 0; i--) {
		int ret = route[i].set(&route[i], kvm, irq_source_id, level, line_status);

		if (ret >= 0)
			delivered = max(delivered, 0) + ret;
	}

	return delivered;
}

int kvm_irq_rt_nr_gsis(const struct kvm_irq_routing_entry *ue, unsigned int nr)
{
	u32 highest = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (ue[i].gsi >= KVM_MAX_IRQ_ROUTES)
			return -EINVAL;
		highest = max(highest, ue[i].gsi);
	}

	return highest + 1;
}

void kvm_irq_rt_init(struct kvm_irq_routing_table *rt, u32 nr_gsis)
{
	rt->nr_rt_entries = nr_gsis;
	/* No GSI: -1 in every pin. */
	memset(rt->chip, 0xff, sizeof(rt->chip));
}

static bool shares_gsi(const struct kvm_irq_routing_entry *ue,
		       const struct kvm_kernel_irq_routing_entry *other)
{
	return ue->type == KVM_IRQ_ROUTING_IRQCHIP && other->type == KVM_IRQ_ROUTING_IRQCHIP &&
	       ue->u.irqchip.irqchip != other->irqchip.irqchip;
}

int kvm_irq_rt_translate(struct kvm *kvm, struct kvm_irq_routing_table *rt,
			 struct kvm_kernel_irq_routing_entry *e,
			 const struct kvm_irq_routing_entry *ue)
{
	u32 valid = ue->type == KVM_IRQ_ROUTING_MSI ? KVM_MSI_VALID_DEVID : 0;
	const struct kvm_kernel_irq_routing_entry *other;
	int ret;

	if (ue->flags & ~valid)
		return -EINVAL;

	/* ue->gsi was checked, but not for a mispredicted branch. */
	e->gsi = array_index_nospec(ue->gsi, KVM_MAX_IRQ_ROUTES);
	e->type = ue->type;

	hlist_for_each_entry(other, &rt->map[e->gsi], link) {
		if (!shares_gsi(ue, other))
			return -EINVAL;
	}

	ret = kvm_set_routing_entry(kvm, e, ue);
	if (ret)
		return ret;

	if (e->type == KVM_IRQ_ROUTING_IRQCHIP)
		rt->chip[e->irqchip.irqchip][e->irqchip.pin] = e->gsi;

	return 0;
}

void __weak kvm_arch_irq_routing_update(struct kvm *kvm)
{
}

bool __weak kvm_arch_can_set_irq_routing(struct kvm *kvm)
{
	return true;
}

struct kvm_irq_routing_table *kvm_irq_rt_publish(struct kvm *kvm, struct kvm_irq_routing_table *new)
{
	struct kvm_irq_routing_table *old;

	old = rcu_replace_pointer(kvm->irq_routing, new, lockdep_is_held(&kvm->irq_lock));
	kvm_irq_routing_update(kvm);
	kvm_arch_irq_routing_update(kvm);

	return old;
}

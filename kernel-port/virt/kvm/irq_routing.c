// SPDX-License-Identifier: GPL-2.0-only
/*
 * The update that replaces whole tables: build a new one from what user space passed, publish it,
 * wait until nobody can hold the old one, free that. Where memory comes from is the strategy's.
 */
#include <linux/kvm_host.h>
#include <linux/srcu.h>

#include "irq_routing.h"

static int fill_table(struct kvm *kvm, struct kvm_irq_routing_table *rt,
		      const struct kvm_irq_routing_entry *ue, unsigned int nr)
{
	unsigned int i;
	int ret;

	for (i = 0; i < nr; i++) {
		struct kvm_kernel_irq_routing_entry *e = kvm_irq_rt_entry(rt, i);

		if (!e)
			return -ENOMEM;

		ret = kvm_irq_rt_translate(kvm, rt, e, &ue[i]);
		if (ret) {
			kvm_irq_rt_refused(rt, e);
			return ret;
		}
		hlist_add_head(&e->link, &rt->map[e->gsi]);
	}

	return 0;
}

static void *vm_state(struct kvm *kvm)
{
	void *state;
	int idx;

	idx = srcu_read_lock(&kvm->irq_srcu);
	state = kvm_irq_rt_vm_state(srcu_dereference(kvm->irq_routing, &kvm->irq_srcu));
	srcu_read_unlock(&kvm->irq_srcu, idx);

	return state;
}

int kvm_set_irq_routing(struct kvm *kvm, const struct kvm_irq_routing_entry *ue, unsigned int nr,
			unsigned int flags)
{
	struct kvm_irq_routing_table *new, *old;
	int nr_gsis, ret;

	nr_gsis = kvm_irq_rt_nr_gsis(ue, nr);
	if (nr_gsis < 0)
		return nr_gsis;

	new = kvm_irq_rt_alloc(vm_state(kvm), false, nr_gsis, nr);
	if (!new)
		return -ENOMEM;

	kvm_irq_rt_init(new, nr_gsis);
	ret = fill_table(kvm, new, ue, nr);
	if (ret) {
		kvm_irq_rt_free(new, false);
		return ret;
	}

	mutex_lock(&kvm->irq_lock);
	old = kvm_irq_rt_publish(kvm, new);
	mutex_unlock(&kvm->irq_lock);

	kvm_arch_post_irq_routing_update(kvm);
	synchronize_srcu_expedited(&kvm->irq_srcu);
	kvm_irq_rt_free(old, true);

	return 0;
}

/* Every VM starts with a table without routes, so that no reader has to ask whether there is one.
 */
int kvm_init_irq_routing(struct kvm *kvm)
{
	struct kvm_irq_routing_table *rt = kvm_irq_rt_alloc(NULL, true, 1, 0);

	if (!rt)
		return -ENOMEM;

	kvm_irq_rt_init(rt, 1);
	RCU_INIT_POINTER(kvm->irq_routing, rt);

	return 0;
}

/* The VM has no users left: no reader, no update. */
void kvm_free_irq_routing(struct kvm *kvm)
{
	struct kvm_irq_routing_table *rt = rcu_dereference_protected(kvm->irq_routing, 1);

	if (rt)
		kvm_irq_rt_free_last(rt);
}

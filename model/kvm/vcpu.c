// SPDX-License-Identifier: GPL-2.0-only
/*
 * vCPUs, as far as routing sees them: that they exist, and under which id.
 */
#include <linux/slab.h>

#include "door.h"

static int add_vcpu(struct kvm *kvm, struct kvm_vcpu *vcpu)
{
	int ret = 0;

	mutex_lock(&kvm->lock);
	if (kvm_get_vcpu_by_id(kvm, vcpu->vcpu_id)) {
		ret = -EEXIST;
		goto unlock;
	}
	vcpu->vcpu_idx = atomic_read(&kvm->online_vcpus);
	ret = xa_insert(&kvm->vcpu_array, vcpu->vcpu_idx, vcpu, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto unlock;

	refcount_inc(&kvm->users_count);
	ret = door_open(DOOR_VCPU, vcpu);
	if (ret < 0) {
		xa_erase(&kvm->vcpu_array, vcpu->vcpu_idx);
		refcount_dec(&kvm->users_count);
		goto unlock;
	}
	/* The vCPU can be found from here on. */
	smp_wmb();
	atomic_inc(&kvm->online_vcpus);
unlock:
	mutex_unlock(&kvm->lock);
	return ret;
}

long door_create_vcpu(struct kvm *kvm, unsigned long id)
{
	struct kvm_vcpu *vcpu;
	int ret;

	if (id >= KVM_MAX_VCPU_IDS)
		return -EINVAL;

	/* Counted before it exists: no irqchip can be created from here on. */
	mutex_lock(&kvm->lock);
	if (kvm->created_vcpus >= kvm->max_vcpus) {
		mutex_unlock(&kvm->lock);
		return -EINVAL;
	}
	kvm->created_vcpus++;
	mutex_unlock(&kvm->lock);

	vcpu = kzalloc(sizeof(*vcpu), GFP_KERNEL_ACCOUNT);
	if (!vcpu) {
		ret = -ENOMEM;
		goto uncount;
	}
	vcpu->kvm = kvm;
	vcpu->vcpu_id = id;

	ret = add_vcpu(kvm, vcpu);
	if (ret >= 0)
		return ret;

	kfree(vcpu);
uncount:
	mutex_lock(&kvm->lock);
	kvm->created_vcpus--;
	mutex_unlock(&kvm->lock);
	return ret;
}

void door_free_vcpus(struct kvm *kvm)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;

	kvm_for_each_vcpu(i, vcpu, kvm) {
		xa_erase(&kvm->vcpu_array, i);
		kfree(vcpu);
	}
	xa_destroy(&kvm->vcpu_array);
}

long door_vcpu_ioctl(struct kvm_vcpu *vcpu, unsigned int cmd, unsigned long arg)
{
	return -EINVAL;
}

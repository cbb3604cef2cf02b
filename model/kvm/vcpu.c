// SPDX-License-Identifier: GPL-2.0-only
/*
 * vCPUs: their life. They have a LAPIC where the VM has an irqchip, and no guest to run.
 */
#include <linux/slab.h>

#include "door.h"
#include "../x86/model.h"

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

static void free_vcpu(struct kvm_vcpu *vcpu)
{
	model_lapic_destroy(vcpu);
	kvfree(vcpu->arch.cpuid_entries);
	kfree(vcpu->run);
	kfree(vcpu);
}

static struct kvm_vcpu *make_vcpu(struct kvm *kvm, unsigned long id)
{
	struct kvm_vcpu *vcpu = kzalloc(sizeof(*vcpu), GFP_KERNEL_ACCOUNT);

	if (!vcpu)
		return NULL;
	mutex_init(&vcpu->mutex);
	vcpu->kvm = kvm;
	vcpu->vcpu_id = id;
	vcpu->arch.maxphyaddr = 36; /* no CPUID yet */
	vcpu->run = kzalloc(sizeof(*vcpu->run), GFP_KERNEL_ACCOUNT);
	if (!vcpu->run || model_lapic_create(vcpu)) {
		free_vcpu(vcpu);
		return NULL;
	}
	vcpu->arch.mp_state = !vcpu->arch.apic || id == kvm->arch.bsp_vcpu_id
				      ? KVM_MP_STATE_RUNNABLE
				      : KVM_MP_STATE_UNINITIALIZED;
	/* It is in no map before something changes its LAPIC or another one: as in the kernel. */
	model_lapic_reset(vcpu, false);

	return vcpu;
}

long door_create_vcpu(struct kvm *kvm, unsigned long id)
{
	struct kvm_vcpu *vcpu;
	bool had_map;
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

	had_map = rcu_access_pointer(kvm->arch.apic_map);
	vcpu = make_vcpu(kvm, id);
	ret = vcpu ? add_vcpu(kvm, vcpu) : -ENOMEM;
	if (ret >= 0)
		return ret;

	if (vcpu)
		free_vcpu(vcpu);
	/* A call that fails leaves no more memory in use than there was. */
	if (!had_map)
		model_map_drop(kvm);
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
		free_vcpu(vcpu);
	}
	xa_destroy(&kvm->vcpu_array);
}

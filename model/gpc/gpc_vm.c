// SPDX-License-Identifier: GPL-2.0-only
#include "gpc_vm.h"

#define INFOS_A_PAGE (PAGE_SIZE / sizeof(struct vcpu_info))

struct kvm gpc_kvm;
static struct kvm_vcpu *all;
static unsigned int nr_all;

static int init_vcpu(struct kvm_vcpu *vcpu, unsigned int n)
{
	vcpu->kvm = &gpc_kvm;
	vcpu->vcpu_id = (int)n;
	vcpu->vcpu_idx = (int)n;
	kvm_gpc_init(&vcpu->arch.xen.vcpu_info_cache, &gpc_kvm);
	kvm_xen_init_timer(vcpu);
	if (xa_err(xa_store(&gpc_kvm.vcpu_array, n, vcpu, GFP_KERNEL)))
		return -ENOMEM;
	atomic_inc(&gpc_kvm.online_vcpus);
	return gpc_map_vcpu_info(n);
}

struct kvm_vcpu *gpc_one_vcpu(void)
{
	struct kvm_vcpu *vcpu = kzalloc(sizeof(*vcpu), GFP_KERNEL);

	return vcpu && !gpc_vm_init(vcpu, 1) ? vcpu : NULL;
}

int gpc_map_shinfo(unsigned int user_page)
{
	int idx = srcu_read_lock(&gpc_kvm.srcu), ret;

	ret = kvm_gpc_activate(&gpc_kvm.arch.xen.shinfo_cache, gpc_gpa(user_page), PAGE_SIZE);
	srcu_read_unlock(&gpc_kvm.srcu, idx);
	return ret;
}

int gpc_map_vcpu_info(unsigned int n)
{
	gpa_t gpa = gpc_gpa(GPC_VCPU_INFO + n / INFOS_A_PAGE) +
		    n % INFOS_A_PAGE * sizeof(struct vcpu_info);
	int idx = srcu_read_lock(&gpc_kvm.srcu), ret;

	ret = kvm_gpc_activate(&all[n].arch.xen.vcpu_info_cache, gpa, sizeof(struct vcpu_info));
	srcu_read_unlock(&gpc_kvm.srcu, idx);
	return ret;
}

int gpc_vm_init(struct kvm_vcpu *vcpus, unsigned int nr)
{
	struct kvm *kvm = &gpc_kvm;
	int ret;

	mutex_init(&kvm->slots_lock);
	rwlock_init(&kvm->mmu_lock);
	mutex_init(&kvm->arch.xen.xen_lock);
	xa_init(&kvm->vcpu_array);
	kvm->arch.xen.long_mode = true;
	ret = init_srcu_struct(&kvm->srcu);
	if (!ret)
		ret = kvm_gpc_init_vm(kvm);
	if (ret)
		return ret;

	user_memory_init(kvm);
	user_memslot(kvm, GPC_GFN, 0, USER_PAGES);
	kvm_gpc_init(&kvm->arch.xen.shinfo_cache, kvm);
	ret = gpc_map_shinfo(GPC_SHINFO);
	all = vcpus;
	for (nr_all = 0; !ret && nr_all < nr; nr_all++)
		ret = init_vcpu(&vcpus[nr_all], nr_all);
	return ret;
}

void gpc_vm_exit(void)
{
	kvm_gpc_deactivate(&gpc_kvm.arch.xen.shinfo_cache);
	while (nr_all)
		kvm_gpc_deactivate(&all[--nr_all].arch.xen.vcpu_info_cache);
	xa_destroy(&gpc_kvm.vcpu_array);
	user_memory_exit();
	kvm_gpc_destroy_vm(&gpc_kvm);
	cleanup_srcu_struct(&gpc_kvm.srcu);
}

/* No guest runs: what a kick would stop is nothing. */
void kvm_vcpu_kick(struct kvm_vcpu *vcpu)
{
}

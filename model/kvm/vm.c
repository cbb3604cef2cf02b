// SPDX-License-Identifier: GPL-2.0-only
/*
 * VMs: creation, destruction and their ioctls, with the kernel's checks in the kernel's order.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <sim/ops.h>

#include "door.h"
#include "../../kernel-port/arch/x86/kvm/irq.h"

/* Not in kernels before 6.11, whose VMs start without a table. */
extern typeof(kvm_init_irq_routing) kvm_init_irq_routing __weak;

/* ---- life ---- */

static int init_vm(struct kvm *kvm)
{
	int ret;

	mutex_init(&kvm->lock);
	mutex_init(&kvm->irq_lock);
	mutex_init(&kvm->slots_lock);
	spin_lock_init(&kvm->irqfds.lock);
	INIT_LIST_HEAD(&kvm->irqfds.items);
	INIT_LIST_HEAD(&kvm->irqfds.resampler_list);
	mutex_init(&kvm->irqfds.resampler_lock);
	INIT_HLIST_HEAD(&kvm->irq_ack_notifier_list);
	mutex_init(&kvm->arch.apic_map_lock);
	xa_init(&kvm->vcpu_array);
	refcount_set(&kvm->users_count, 1);
	kvm->max_vcpus = KVM_MAX_VCPUS;
	/*
	 * No hardware delivers to a guest behind KVM's back: the reason is the first, "disabled".
	 */
	kvm->arch.apicv_inhibit_reasons = BIT(0);

	ret = init_srcu_struct(&kvm->srcu);
	if (ret)
		return ret;
	ret = init_srcu_struct(&kvm->irq_srcu);
	if (ret)
		goto free_srcu;

	if (kvm_init_irq_routing) {
		ret = kvm_init_irq_routing(kvm);
		if (ret)
			goto free_irq_srcu;
	}

	return 0;

free_irq_srcu:
	cleanup_srcu_struct(&kvm->irq_srcu);
free_srcu:
	cleanup_srcu_struct(&kvm->srcu);
	return ret;
}

static void destroy_vm(struct kvm *kvm)
{
	door_free_vcpus(kvm);
	door_destroy_irqchip(kvm);
	kvm_free_irq_routing(kvm);
	cleanup_srcu_struct(&kvm->irq_srcu);
	cleanup_srcu_struct(&kvm->srcu);
	kfree(container_of(kvm, struct door_vm, kvm));
	door_module_put();
}

void door_put_vm(struct kvm *kvm)
{
	if (refcount_dec_and_test(&kvm->users_count))
		destroy_vm(kvm);
}

void door_put_vm_file(struct kvm *kvm)
{
	struct door_vm *d = container_of(kvm, struct door_vm, kvm);

	if (!refcount_dec_and_test(&d->file_users))
		return;
	kvm_irqfd_release(kvm);
	door_put_vm(kvm);
}

long door_create_vm(unsigned long type)
{
	struct door_vm *d;
	int ret;

	d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);
	if (!d)
		return -ENOMEM;

	/* KVM_X86_DEFAULT_VM; protected VMs are not simulated. */
	ret = type ? -EINVAL : init_vm(&d->kvm);
	if (ret) {
		kfree(d);
		return ret;
	}
	refcount_set(&d->file_users, 1);
	door_module_hold();

	ret = door_open(DOOR_VM, &d->kvm);
	if (ret < 0)
		door_put_vm_file(&d->kvm);

	return ret;
}

/* ---- ioctls ---- */

/* For the cost of it. Where there is no cost model, the lock would be one more step to order. */
static unsigned int nr_irqfds(struct kvm *kvm)
{
	unsigned int nr = 0;

#ifndef IRQSIM_DET
	if (!sim_count_walks)
		return 0;
	spin_lock_irq(&kvm->irqfds.lock);
	nr = list_count_nodes(&kvm->irqfds.items);
	spin_unlock_irq(&kvm->irqfds.lock);
#endif
	return nr;
}

static long set_gsi_routing(struct kvm *kvm, struct kvm_irq_routing __user *user)
{
	struct kvm_irq_routing_entry *entries = NULL;
	struct kvm_irq_routing head;
	int section;
	long ret;

	if (copy_from_user(&head, user, sizeof(head)))
		return -EFAULT;
	if (!kvm_arch_can_set_irq_routing(kvm))
		return -EINVAL;
	if (head.nr > KVM_MAX_IRQ_ROUTES || head.flags)
		return -EINVAL;

	if (head.nr) {
		entries = vmemdup_user(user->entries, array_size(head.nr, sizeof(*entries)));
		if (IS_ERR(entries))
			return PTR_ERR(entries);
	}

	section = sim_section_set(SIM_SECTION_ROUTING);
	sim_count(SIM_OP_ROUTE, head.nr);
	sim_count(SIM_OP_IRQFD_UPDATE, nr_irqfds(kvm));
	ret = kvm_set_irq_routing(kvm, entries, head.nr, head.flags);
	sim_section_set(section);
	kvfree(entries);

	return ret;
}

static long signal_msi(struct kvm *kvm, struct kvm_msi __user *user)
{
	struct kvm_msi msi;
	long ret;

	if (copy_from_user(&msi, user, sizeof(msi)))
		return -EFAULT;

	model_event_from_msi(true);
	ret = kvm_send_userspace_msi(kvm, &msi);
	model_event_from_msi(false);

	return ret;
}

static long irq_line(struct kvm *kvm, struct kvm_irq_level __user *user, bool with_status)
{
	struct kvm_irq_level line;

	if (copy_from_user(&line, user, sizeof(line)))
		return -EFAULT;
	if (!irqchip_in_kernel(kvm))
		return -ENXIO;

	line.status =
		kvm_set_irq(kvm, KVM_USERSPACE_IRQ_SOURCE_ID, line.irq, line.level, with_status);
	if (with_status && copy_to_user(user, &line, sizeof(line)))
		return -EFAULT;

	return 0;
}

static long irqfd(struct kvm *kvm, struct kvm_irqfd __user *user)
{
	struct kvm_irqfd args;

	if (copy_from_user(&args, user, sizeof(args)))
		return -EFAULT;

	if (!(args.flags & KVM_IRQFD_FLAG_DEASSIGN)) {
		sim_count(SIM_OP_IRQFD_ASSIGN, 1);
		sim_count(SIM_OP_IRQFD_SCAN, nr_irqfds(kvm));
	}

	return kvm_irqfd(kvm, &args);
}

static long enable_x2apic_api(struct kvm *kvm, u64 flags)
{
	if (flags & ~(u64)(KVM_X2APIC_API_USE_32BIT_IDS | KVM_X2APIC_API_DISABLE_BROADCAST_QUIRK))
		return -EINVAL;

	if (flags & KVM_X2APIC_API_USE_32BIT_IDS)
		kvm->arch.x2apic_format = true;
	if (flags & KVM_X2APIC_API_DISABLE_BROADCAST_QUIRK)
		kvm->arch.x2apic_broadcast_quirk_disabled = true;

	return 0;
}

static long enable_cap(struct kvm *kvm, struct kvm_enable_cap __user *user)
{
	struct kvm_enable_cap cap;

	if (copy_from_user(&cap, user, sizeof(cap)))
		return -EFAULT;
	if (cap.flags)
		return -EINVAL;

	switch (cap.cap) {
	case KVM_CAP_SPLIT_IRQCHIP:
		return door_enable_split_irqchip(kvm, cap.args[0]);
	case KVM_CAP_X2APIC_API:
		return enable_x2apic_api(kvm, cap.args[0]);
	}

	return -EINVAL;
}

long door_vm_ioctl(struct kvm *kvm, unsigned int cmd, unsigned long arg)
{
	void __user *argp = (void __user *)arg;

	switch (cmd) {
	case KVM_CREATE_VCPU:
		return door_create_vcpu(kvm, arg);
	case KVM_ENABLE_CAP:
		return enable_cap(kvm, argp);
	case KVM_CHECK_EXTENSION:
		return door_check_extension(kvm, arg);
	case KVM_CREATE_IRQCHIP:
		return door_create_irqchip(kvm);
	case KVM_GET_IRQCHIP:
		return door_get_irqchip(kvm, argp);
	case KVM_SET_IRQCHIP:
		return door_set_irqchip(kvm, argp);
	case KVM_CREATE_PIT:
		return door_create_pit(kvm, NULL);
	case KVM_CREATE_PIT2:
		return door_create_pit(kvm, argp);
	case KVM_SET_GSI_ROUTING:
		return set_gsi_routing(kvm, argp);
	case KVM_IRQFD:
		return irqfd(kvm, argp);
	case KVM_SIGNAL_MSI:
		return signal_msi(kvm, argp);
	case KVM_IRQ_LINE:
		return irq_line(kvm, argp, false);
	case KVM_IRQ_LINE_STATUS:
		return irq_line(kvm, argp, true);
	}

	return -ENOTTY;
}

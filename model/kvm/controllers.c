// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls of a VM's interrupt controllers: which it has, and their state as images
 * (Documentation/virt/kvm/api.rst, 4.24 to 4.27 and KVM_CAP_SPLIT_IRQCHIP).
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "door.h"
#include "../x86/model.h"

#define MAX_RESERVED_PINS KVM_MAX_IRQ_ROUTES

static void set_irqchip_mode(struct kvm *kvm, enum kvm_irqchip_mode mode)
{
	/* Whoever sees the mode sees the controllers and the routes as well. */
	smp_wmb();
	WRITE_ONCE(kvm->arch.irqchip_mode, mode);
}

static long create_controllers(struct kvm *kvm)
{
	long ret = model_pic_create(kvm);

	if (ret)
		return ret;
	ret = model_ioapic_create(kvm);
	if (ret)
		goto no_ioapic;
	ret = kvm_setup_default_irq_routing(kvm);
	if (ret)
		goto no_routes;

	return 0;

no_routes:
	model_ioapic_destroy(kvm);
no_ioapic:
	model_pic_destroy(kvm);
	return ret;
}

long door_create_irqchip(struct kvm *kvm)
{
	long ret;

	mutex_lock(&kvm->lock);
	if (irqchip_in_kernel(kvm))
		ret = -EEXIST;
	else if (kvm->created_vcpus)
		ret = -EINVAL;
	else
		ret = create_controllers(kvm);
	if (!ret)
		set_irqchip_mode(kvm, KVM_IRQCHIP_KERNEL);
	mutex_unlock(&kvm->lock);

	return ret;
}

long door_enable_split_irqchip(struct kvm *kvm, u64 nr_pins)
{
	long ret = 0;

	mutex_lock(&kvm->lock);
	if (nr_pins > MAX_RESERVED_PINS)
		ret = -EINVAL;
	else if (irqchip_in_kernel(kvm) || kvm->created_vcpus)
		ret = -EEXIST;
	else if (!rcu_access_pointer(kvm->irq_routing))
		ret = kvm_set_irq_routing(kvm, NULL, 0, 0); /* before 6.11 */
	if (!ret) {
		kvm->arch.nr_reserved_ioapic_pins = nr_pins;
		set_irqchip_mode(kvm, KVM_IRQCHIP_SPLIT);
	}
	mutex_unlock(&kvm->lock);

	return ret;
}

void door_destroy_irqchip(struct kvm *kvm)
{
	model_map_destroy(kvm);
	model_ioapic_destroy(kvm);
	model_pic_destroy(kvm);
}

/* ---- images ---- */

static long read_chip(struct kvm *kvm, struct kvm_irqchip *chip)
{
	switch (chip->chip_id) {
	case KVM_IRQCHIP_PIC_MASTER:
	case KVM_IRQCHIP_PIC_SLAVE:
		model_pic_get(kvm, chip->chip_id, &chip->chip.pic);
		return 0;
	case KVM_IRQCHIP_IOAPIC:
		model_ioapic_get(kvm, &chip->chip.ioapic);
		return 0;
	}

	return -EINVAL;
}

static long write_chip(struct kvm *kvm, const struct kvm_irqchip *chip)
{
	long ret = 0;

	switch (chip->chip_id) {
	case KVM_IRQCHIP_PIC_MASTER:
	case KVM_IRQCHIP_PIC_SLAVE:
		model_pic_set(kvm, chip->chip_id, &chip->chip.pic);
		break;
	case KVM_IRQCHIP_IOAPIC:
		model_ioapic_set(kvm, &chip->chip.ioapic);
		break;
	default:
		ret = -EINVAL;
	}
	/* Whichever it was: the kernel looks at the PIC's output in any case. */
	model_pic_refresh(kvm);

	return ret;
}

long door_get_irqchip(struct kvm *kvm, struct kvm_irqchip __user *user)
{
	struct kvm_irqchip *chip = memdup_user(user, sizeof(*chip));
	long ret;

	if (IS_ERR(chip))
		return PTR_ERR(chip);

	ret = irqchip_full(kvm) ? read_chip(kvm, chip) : -ENXIO;
	if (!ret && copy_to_user(user, chip, sizeof(*chip)))
		ret = -EFAULT;
	kfree(chip);

	return ret;
}

long door_set_irqchip(struct kvm *kvm, struct kvm_irqchip __user *user)
{
	struct kvm_irqchip *chip = memdup_user(user, sizeof(*chip));
	long ret;

	if (IS_ERR(chip))
		return PTR_ERR(chip);

	ret = irqchip_full(kvm) ? write_chip(kvm, chip) : -ENXIO;
	kfree(chip);

	return ret;
}

/* A PIT needs the PIC pair. There is none to be had here, but its absence has the right name. */
long door_create_pit(struct kvm *kvm, struct kvm_pit_config __user *user)
{
	struct kvm_pit_config config;

	if (user && copy_from_user(&config, user, sizeof(config)))
		return -EFAULT;

	return irqchip_full(kvm) ? -ENOTTY : -ENOENT;
}

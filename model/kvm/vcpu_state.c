// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vCPU's state as far as its LAPIC is made of it: the image, the MSRs of the APIC, of the special
 * registers the APIC's base and the task priority, of CPUID what it says of x2APIC and of
 * addresses.
 */
#include <linux/kvm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "door.h"
#include "../x86/model.h"

#define MAX_IO_MSRS	   256 /* of one call (x86.c) */
#define X2APIC_MSR_FIRST   0x800
#define X2APIC_MSR_LAST	   0x8ff
#define DEFAULT_PHYS_BITS  36 /* where CPUID does not say (Intel SDM vol. 2, CPUID) */

#define CPUID_FEATURES	   1
#define CPUID_1_ECX_X2APIC BIT(21)
#define CPUID_EXT_MAX	   0x80000000
#define CPUID_ADDRESSES	   0x80000008

/* ---- LAPIC ---- */

static long get_lapic(struct kvm_vcpu *vcpu, struct kvm_lapic_state __user *user)
{
	struct kvm_lapic_state *state;
	long ret;

	if (!vcpu->arch.apic)
		return -EINVAL;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	ret = model_lapic_get(vcpu, state);
	if (!ret && copy_to_user(user, state, sizeof(*state)))
		ret = -EFAULT;
	kfree(state);

	return ret;
}

static long set_lapic(struct kvm_vcpu *vcpu, struct kvm_lapic_state __user *user)
{
	struct kvm_lapic_state *state;
	long ret;

	if (!vcpu->arch.apic)
		return -EINVAL;
	state = memdup_user(user, sizeof(*state));
	if (IS_ERR(state))
		return PTR_ERR(state);
	ret = model_lapic_set(vcpu, state);
	kfree(state);

	return ret;
}

/* ---- special registers ---- */

static long get_sregs(struct kvm_vcpu *vcpu, struct kvm_sregs __user *user)
{
	struct kvm_sregs sregs = { .apic_base = vcpu->arch.apic_base };

	if (vcpu->arch.apic)
		sregs.cr8 = kvm_lapic_get(vcpu->arch.apic, APIC_TASKPRI) >> 4 & 0xf;
	else
		sregs.cr8 = vcpu->arch.cr8;

	return copy_to_user(user, &sregs, sizeof(sregs)) ? -EFAULT : 0;
}

static void set_cr8(struct kvm_vcpu *vcpu, u64 cr8)
{
	if (!vcpu->arch.apic) {
		vcpu->arch.cr8 = cr8;
		return;
	}
	kvm_lapic_set(vcpu->arch.apic, APIC_TASKPRI, (cr8 & 0xf) << 4);
	model_lapic_update_ppr(vcpu->arch.apic);
}

/* All other registers are a guest's, which does not run. */
static long set_sregs(struct kvm_vcpu *vcpu, struct kvm_sregs __user *user)
{
	struct kvm_sregs *sregs = memdup_user(user, sizeof(*sregs));
	bool ok;

	if (IS_ERR(sregs))
		return PTR_ERR(sregs);
	ok = model_lapic_set_base(vcpu, sregs->apic_base);
	if (ok && !(sregs->cr8 & ~0xfULL))
		set_cr8(vcpu, sregs->cr8);
	kfree(sregs);

	return ok ? 0 : -EINVAL;
}

/* ---- CPUID ---- */

static const struct kvm_cpuid_entry2 *find_leaf(struct kvm_vcpu *vcpu, u32 function)
{
	int i;

	for (i = 0; i < vcpu->arch.cpuid_nent; i++)
		if (vcpu->arch.cpuid_entries[i].function == function)
			return &vcpu->arch.cpuid_entries[i];

	return NULL;
}

bool model_vcpu_has_x2apic(struct kvm_vcpu *vcpu)
{
	const struct kvm_cpuid_entry2 *leaf = find_leaf(vcpu, CPUID_FEATURES);

	return leaf && leaf->ecx & CPUID_1_ECX_X2APIC;
}

/* Linear addresses of other sizes than 48 and 57 bits do not exist; 0: not said. */
static bool cpuid_is_possible(const struct kvm_cpuid_entry2 *e, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		u32 bits = e[i].eax >> 8 & 0xff;

		if (e[i].function == CPUID_ADDRESSES && bits && bits != 48 && bits != 57)
			return false;
	}

	return true;
}

static void cpuid_changed(struct kvm_vcpu *vcpu)
{
	const struct kvm_cpuid_entry2 *max = find_leaf(vcpu, CPUID_EXT_MAX), *addresses = NULL;
	int bits;

	if (max && max->eax >= CPUID_ADDRESSES)
		addresses = find_leaf(vcpu, CPUID_ADDRESSES);
	bits = addresses ? addresses->eax & 0xff : DEFAULT_PHYS_BITS;
	/* A shift by more than 63 is none; the widest machines have 52. */
	vcpu->arch.maxphyaddr = clamp(bits, 1, 63);
	model_lapic_set_version(vcpu);
}

static long set_cpuid(struct kvm_vcpu *vcpu, struct kvm_cpuid2 __user *user)
{
	struct kvm_cpuid_entry2 *entries = NULL;
	struct kvm_cpuid2 head;

	if (copy_from_user(&head, user, sizeof(head)))
		return -EFAULT;
	if (head.nent > KVM_MAX_CPUID_ENTRIES)
		return -E2BIG;
	if (head.nent) {
		entries = vmemdup_user(user->entries, array_size(head.nent, sizeof(*entries)));
		if (IS_ERR(entries))
			return PTR_ERR(entries);
	}
	if (!cpuid_is_possible(entries, head.nent)) {
		kvfree(entries);
		return -EINVAL;
	}

	kvfree(vcpu->arch.cpuid_entries);
	vcpu->arch.cpuid_entries = entries;
	vcpu->arch.cpuid_nent = head.nent;
	cpuid_changed(vcpu);

	return 0;
}

long door_supported_cpuid(struct kvm_cpuid2 __user *user)
{
	static const struct kvm_cpuid_entry2 leaves[] = {
		{ .function = 0, .eax = CPUID_FEATURES },
		{ .function = CPUID_FEATURES, .ecx = CPUID_1_ECX_X2APIC },
		{ .function = CPUID_EXT_MAX, .eax = CPUID_ADDRESSES },
		{ .function = CPUID_ADDRESSES, .eax = 48 << 8 | 48 },
	};
	struct kvm_cpuid2 head;

	if (copy_from_user(&head, user, sizeof(head)))
		return -EFAULT;
	if (head.nent < ARRAY_SIZE(leaves))
		return -E2BIG;
	head.nent = ARRAY_SIZE(leaves);
	if (copy_to_user(user->entries, leaves, sizeof(leaves)) ||
	    copy_to_user(user, &head, sizeof(head)))
		return -EFAULT;

	return 0;
}

/* ---- MSRs ---- */

static bool set_msr(struct kvm_vcpu *vcpu, struct kvm_msr_entry *e)
{
	if (e->index == MSR_IA32_APICBASE)
		return model_lapic_set_base(vcpu, e->data);
	if (e->index >= X2APIC_MSR_FIRST && e->index <= X2APIC_MSR_LAST)
		return model_x2apic_write(vcpu, e->index, e->data);

	return false;
}

static bool get_msr(struct kvm_vcpu *vcpu, struct kvm_msr_entry *e)
{
	u64 value = vcpu->arch.apic_base;
	bool ok = e->index == MSR_IA32_APICBASE;

	if (e->index >= X2APIC_MSR_FIRST && e->index <= X2APIC_MSR_LAST)
		ok = model_x2apic_read(vcpu, e->index, &value);
	if (ok)
		e->data = value;

	return ok;
}

/* As many as could be done, from the first on. */
static long msr_io(struct kvm_vcpu *vcpu, struct kvm_msrs __user *user, bool write)
{
	struct kvm_msr_entry *entries;
	struct kvm_msrs head;
	size_t size;
	u32 done = 0;

	if (copy_from_user(&head, user, sizeof(head)))
		return -EFAULT;
	if (head.nmsrs >= MAX_IO_MSRS)
		return -E2BIG;
	size = head.nmsrs * sizeof(*entries);
	entries = memdup_user(user->entries, size);
	if (IS_ERR(entries))
		return PTR_ERR(entries);

	while (done < head.nmsrs &&
	       (write ? set_msr(vcpu, &entries[done]) : get_msr(vcpu, &entries[done])))
		done++;
	if (!write && copy_to_user(user->entries, entries, size)) {
		kfree(entries);
		return -EFAULT;
	}
	kfree(entries);

	return done;
}

/* ---- running ---- */

static long set_mp_state(struct kvm_vcpu *vcpu, struct kvm_mp_state __user *user)
{
	struct kvm_mp_state state;

	if (copy_from_user(&state, user, sizeof(state)))
		return -EFAULT;

	switch (state.mp_state) {
	case KVM_MP_STATE_RUNNABLE:
		break;
	case KVM_MP_STATE_UNINITIALIZED:
	case KVM_MP_STATE_HALTED:
	case KVM_MP_STATE_INIT_RECEIVED:
	case KVM_MP_STATE_AP_RESET_HOLD:
		if (!vcpu->arch.apic)
			return -EINVAL;
		break;
	case KVM_MP_STATE_SIPI_RECEIVED:
		if (!vcpu->arch.apic)
			return -EINVAL;
		set_bit(KVM_LAPIC_SIPI, &vcpu->arch.apic->pending_events);
		state.mp_state = KVM_MP_STATE_INIT_RECEIVED;
		break;
	default:
		return -EINVAL;
	}
	vcpu->arch.mp_state = state.mp_state;
	kvm_make_request(KVM_REQ_EVENT, vcpu);

	return 0;
}

static long get_mp_state(struct kvm_vcpu *vcpu, struct kvm_mp_state __user *user)
{
	struct kvm_mp_state state = { .mp_state = vcpu->arch.mp_state };

	return copy_to_user(user, &state, sizeof(state)) ? -EFAULT : 0;
}

/* There is no guest: KVM does what it does before it would enter one, and a signal is pending. */
static long run(struct kvm_vcpu *vcpu, unsigned long arg)
{
	if (arg)
		return -EINVAL;
	if (model_vcpu_requests(vcpu))
		return 0;
	vcpu->run->exit_reason = KVM_EXIT_INTR;

	return -EINTR;
}

static long dispatch(struct kvm_vcpu *vcpu, unsigned int cmd, unsigned long arg)
{
	void __user *argp = (void __user *)arg;

	switch (cmd) {
	case KVM_RUN:
		return run(vcpu, arg);
	case KVM_GET_LAPIC:
		return get_lapic(vcpu, argp);
	case KVM_SET_LAPIC:
		return set_lapic(vcpu, argp);
	case KVM_GET_SREGS:
		return get_sregs(vcpu, argp);
	case KVM_SET_SREGS:
		return set_sregs(vcpu, argp);
	case KVM_SET_CPUID2:
		return set_cpuid(vcpu, argp);
	case KVM_GET_MSRS:
		return msr_io(vcpu, argp, false);
	case KVM_SET_MSRS:
		return msr_io(vcpu, argp, true);
	case KVM_GET_MP_STATE:
		return get_mp_state(vcpu, argp);
	case KVM_SET_MP_STATE:
		return set_mp_state(vcpu, argp);
	}

	return -EINVAL;
}

long door_vcpu_ioctl(struct kvm_vcpu *vcpu, unsigned int cmd, unsigned long arg)
{
	long ret;

	mutex_lock(&vcpu->mutex);
	ret = dispatch(vcpu, cmd, arg);
	mutex_unlock(&vcpu->mutex);

	return ret;
}

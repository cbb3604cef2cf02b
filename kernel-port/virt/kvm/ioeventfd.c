// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioeventfd: a guest's write to an address that signals an eventfd (KVM_IOEVENTFD in
 * Documentation/virt/kvm/api.rst).
 *
 * The list changes under slots_lock; writers of the guest walk it in kvm->srcu read sections. There
 * is no bus of other devices before or behind it, so none of their limits either.
 */
#include <linux/eventfd.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/srcu.h>

#include "../../compat/kvm_compat.h"
#include "ioeventfd.h"

struct ioeventfd {
	struct list_head link;
	struct eventfd_ctx *eventfd;
	enum kvm_bus bus;
	u64 addr;
	u32 len;   /* 0: any */
	bool any;  /* whatever is written */
	u64 value; /* else this */
};

static enum kvm_bus bus_of(u32 flags)
{
	if (flags & KVM_IOEVENTFD_FLAG_PIO)
		return KVM_PIO_BUS;
	return flags & KVM_IOEVENTFD_FLAG_VIRTIO_CCW_NOTIFY ? KVM_VIRTIO_CCW_NOTIFY_BUS
							    : KVM_MMIO_BUS;
}

/* All but its link; the eventfd with a reference. */
static int fill(struct ioeventfd *e, const struct kvm_ioeventfd *args)
{
	struct eventfd_ctx *ctx = eventfd_ctx_fdget(args->fd);

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	e->eventfd = ctx;
	e->bus = bus_of(args->flags);
	e->addr = args->addr;
	e->len = args->len;
	e->any = !(args->flags & KVM_IOEVENTFD_FLAG_DATAMATCH);
	e->value = e->any ? 0 : args->datamatch;

	return 0;
}

static void destroy(struct ioeventfd *e)
{
	eventfd_ctx_put(e->eventfd);
	kfree(e);
}

/* Would one write mean both? */
static bool collide(const struct ioeventfd *a, const struct ioeventfd *b)
{
	if (a->bus != b->bus || a->addr != b->addr)
		return false;
	if (!a->len || !b->len)
		return true;
	return a->len == b->len && (a->any || b->any || a->value == b->value);
}

static bool is_taken(struct kvm *kvm, const struct ioeventfd *new)
{
	struct ioeventfd *e;

	list_for_each_entry(e, &kvm->ioeventfds, link)
		if (collide(e, new))
			return true;
	return false;
}

static bool is_valid(const struct kvm_ioeventfd *args)
{
	/* A width that an instruction can write, or 0 for any. */
	if (args->len > 8 || (args->len & (args->len - 1)))
		return false;
	if (args->addr + args->len < args->addr)
		return false;
	if (args->flags & ~KVM_IOEVENTFD_VALID_FLAG_MASK)
		return false;
	/* Of a width that is not known no value can be compared. */
	return args->len || !(args->flags & KVM_IOEVENTFD_FLAG_DATAMATCH);
}

static int assign(struct kvm *kvm, const struct kvm_ioeventfd *args)
{
	struct ioeventfd *e;
	int ret;

	if (!is_valid(args))
		return -EINVAL;
	e = kzalloc(sizeof(*e), GFP_KERNEL_ACCOUNT);
	if (!e)
		return -ENOMEM;
	ret = fill(e, args);
	if (ret) {
		kfree(e);
		return ret;
	}

	mutex_lock(&kvm->slots_lock);
	if (is_taken(kvm, e))
		ret = -EEXIST;
	else
		list_add_tail_rcu(&e->link, &kvm->ioeventfds);
	mutex_unlock(&kvm->slots_lock);
	if (ret)
		destroy(e);

	return ret;
}

static struct ioeventfd *find(struct kvm *kvm, const struct ioeventfd *like)
{
	struct ioeventfd *e;

	list_for_each_entry(e, &kvm->ioeventfds, link)
		if (e->eventfd == like->eventfd && e->bus == like->bus && e->addr == like->addr &&
		    e->len == like->len && e->any == like->any && e->value == like->value)
			return e;
	return NULL;
}

static int deassign(struct kvm *kvm, const struct kvm_ioeventfd *args)
{
	struct ioeventfd like, *e;
	int ret = fill(&like, args);

	if (ret)
		return ret;

	mutex_lock(&kvm->slots_lock);
	e = find(kvm, &like);
	if (e) {
		list_del_rcu(&e->link);
		synchronize_srcu_expedited(&kvm->srcu);
		destroy(e);
	}
	mutex_unlock(&kvm->slots_lock);
	eventfd_ctx_put(like.eventfd);

	return e ? 0 : -ENOENT;
}

int kvm_ioeventfd(struct kvm *kvm, struct kvm_ioeventfd *args)
{
	return args->flags & KVM_IOEVENTFD_FLAG_DEASSIGN ? deassign(kvm, args) : assign(kvm, args);
}

static bool matches(const struct ioeventfd *e, enum kvm_bus bus, gpa_t addr, int len,
		    const void *val)
{
	u64 value = 0;

	if (e->bus != bus || e->addr != addr)
		return false;
	if (!e->len)
		return true;
	if (e->len != len)
		return false;
	if (e->any)
		return true;
	memcpy(&value, val, len); /* little-endian, as the guest is */
	return value == e->value;
}

int kvm_ioeventfd_write(struct kvm *kvm, enum kvm_bus bus, gpa_t addr, int len, const void *val)
{
	struct ioeventfd *e;
	int ret = -EOPNOTSUPP, idx;

	idx = srcu_read_lock(&kvm->srcu);
	list_for_each_entry_srcu(e, &kvm->ioeventfds, link, srcu_read_lock_held(&kvm->srcu))
	{
		if (!matches(e, bus, addr, len, val))
			continue;
		kvm_eventfd_signal(e->eventfd);
		ret = 0;
		break; /* no other can match, see collide() */
	}
	srcu_read_unlock(&kvm->srcu, idx);

	return ret;
}

void kvm_ioeventfd_release(struct kvm *kvm)
{
	struct ioeventfd *e, *next;

	list_for_each_entry_safe(e, next, &kvm->ioeventfds, link) {
		list_del(&e->link);
		destroy(e);
	}
}

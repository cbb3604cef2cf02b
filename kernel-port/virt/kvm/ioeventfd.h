/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __KVM_IOEVENTFD_H
#define __KVM_IOEVENTFD_H

#include <linux/kvm_host.h>

/*
 * A guest wrote @len bytes to @addr. 0: an eventfd was signalled, nobody else has to know;
 * -EOPNOTSUPP: the address is nobody's. May sleep.
 */
int kvm_ioeventfd_write(struct kvm *kvm, enum kvm_bus bus, gpa_t addr, int len, const void *val);

/* The VM goes away; nobody writes any more. */
void kvm_ioeventfd_release(struct kvm *kvm);

#endif

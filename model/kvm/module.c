// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module: what lives as long as anybody uses KVM. It comes with the first descriptor and goes
 * with the last VM or descriptor of the system, so that nothing is left behind.
 */
#include <linux/mutex.h>
#include <linux/refcount.h>

#include "door.h"

static refcount_t users = REFCOUNT_INIT(0);
static DEFINE_MUTEX(lock); /* the first and the last user */

int door_module_use(void)
{
	int ret = 0;

	mutex_lock(&lock);
	if (!refcount_inc_not_zero(&users)) {
		ret = kvm_irqfd_init();
		if (!ret)
			refcount_set(&users, 1);
	}
	mutex_unlock(&lock);

	return ret;
}

void door_module_hold(void)
{
	refcount_inc(&users);
}

void door_module_put(void)
{
	mutex_lock(&lock);
	if (refcount_dec_and_test(&users))
		kvm_irqfd_exit();
	mutex_unlock(&lock);
}

void door_module_forget(void)
{
	refcount_set(&users, 0);
}

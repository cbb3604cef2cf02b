// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/uaccess.h: copies that end at a page that is not there.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <kcase.h>
#include <sim/report.h>

static bool is_all(const u8 *p, u8 value, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void copy_from_user_stops_at_a_hole(void)
{
	u8 *user = sim_kcase_user_pages(1), buf[64];

	memset(user, 0xa5, PAGE_SIZE);
	memset(buf, 0xff, sizeof(buf));
	KEXPECT_EQ(copy_from_user(buf, (void __user *)(user + PAGE_SIZE - 24), 64), 40);
	KEXPECT(is_all(buf, 0xa5, 24));
	KEXPECT(is_all(buf + 24, 0, 40));
	memset(buf, 0xff, sizeof(buf));
	KEXPECT_EQ(copy_from_user(buf, (void __user *)(user + PAGE_SIZE), 64), 64);
	KEXPECT(is_all(buf, 0, 64));
	KEXPECT_EQ(copy_from_user(buf, (void __user *)(user + PAGE_SIZE - 64), 64), 0);
	KEXPECT(is_all(buf, 0xa5, 64));
	sim_kcase_user_free(user, 1);
}

static void copy_to_user_stops_at_a_hole(void)
{
	u8 *user = sim_kcase_user_pages(1), buf[64];

	memset(buf, 0x5a, sizeof(buf));
	memset(user, 0, PAGE_SIZE);
	KEXPECT_EQ(copy_to_user((void __user *)(user + PAGE_SIZE - 24), buf, 64), 40);
	KEXPECT(is_all(user + PAGE_SIZE - 24, 0x5a, 24));
	KEXPECT(is_all(user, 0, PAGE_SIZE - 24));
	KEXPECT_EQ(copy_to_user((void __user *)user, buf, 64), 0);
	KEXPECT(is_all(user, 0x5a, 64));
	sim_kcase_user_free(user, 1);
}

static void kernel_addresses_are_refused(void)
{
	u8 buf[16];

	KEXPECT_EQ(copy_from_user(buf, (void __user *)0xffff888000000000UL, 16), 16);
	KEXPECT_EQ(copy_from_user(buf, (void __user *)(-8UL), 16), 16);
	KEXPECT_EQ(copy_from_user(buf, NULL, 16), 16);
	KEXPECT_EQ(copy_from_user(buf, (void __user *)-1UL, 0), 0);
}

static void memdup_user_gives_all_or_an_error(void)
{
	u8 *user = sim_kcase_user_pages(1), *p;

	memset(user, 0x11, PAGE_SIZE);
	p = memdup_user((void __user *)user, 100);
	KEXPECT(!IS_ERR(p));
	KEXPECT(is_all(p, 0x11, 100));
	kfree(p);
	p = memdup_user((void __user *)(user + PAGE_SIZE - 50), 100);
	KEXPECT_EQ(PTR_ERR(p), -EFAULT);
	p = vmemdup_user((void __user *)(user + 8), PAGE_SIZE);
	KEXPECT_EQ(PTR_ERR(p), -EFAULT);
	p = vmemdup_user((void __user *)user, PAGE_SIZE);
	KEXPECT(!IS_ERR(p));
	kvfree(p);
	sim_kcase_user_free(user, 1);
}

KCASE_LIST(uaccess, SIM_CASE(copy_from_user_stops_at_a_hole),
	   SIM_CASE(copy_to_user_stops_at_a_hole), KERNEL_CASE(kernel_addresses_are_refused),
	   SIM_CASE(memdup_user_gives_all_or_an_error));

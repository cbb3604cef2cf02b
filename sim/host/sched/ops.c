// SPDX-License-Identifier: GPL-2.0-only
#include <sim/ops.h>

bool sim_count_walks = true;

static const char *const names[SIM_NR_OPS] = {
	[SIM_OP_KMALLOC] = "kmalloc",
	[SIM_OP_KFREE] = "kfree",
	[SIM_OP_PAGE_ALLOC] = "page_alloc",
	[SIM_OP_PAGE_ALLOC_PAGES] = "page_alloc_pages",
	[SIM_OP_PAGE_FREE] = "page_free",
	[SIM_OP_VMALLOC] = "vmalloc",
	[SIM_OP_VMALLOC_PAGES] = "vmalloc_pages",
	[SIM_OP_VFREE] = "vfree",
	[SIM_OP_VFREE_PAGES] = "vfree_pages",
	[SIM_OP_CHARGE] = "charge",
	[SIM_OP_ZERO_BYTES] = "zero_bytes",
	[SIM_OP_COMPACT] = "compact",
	[SIM_OP_MIGRATE] = "migrate",
	[SIM_OP_VMALLOC_FALLBACK] = "vmalloc_fallback",
	[SIM_OP_HIGH_ORDER_FAIL] = "high_order_fail",
	[SIM_OP_ALLOC_FAIL] = "alloc_fail",
	[SIM_OP_FAULT] = "fault",
	[SIM_OP_IOCTL] = "ioctl",
	[SIM_OP_USER_BYTES] = "user_bytes",
	[SIM_OP_GRACE_PERIOD] = "grace_period",
	[SIM_OP_ROUTE] = "route",
	[SIM_OP_IRQFD_ASSIGN] = "irqfd_assign",
	[SIM_OP_IRQFD_SCAN] = "irqfd_scan",
	[SIM_OP_IRQFD_UPDATE] = "irqfd_update",
	[SIM_OP_IRTE] = "irte",
	[SIM_OP_VFIO_ENABLE] = "vfio_enable",
};

const char *sim_op_name(enum sim_op op)
{
	return op < SIM_NR_OPS ? names[op] : "?";
}

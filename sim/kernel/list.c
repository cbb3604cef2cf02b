// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/list.h with CONFIG_DEBUG_LIST: a list whose neighbours do not point back is reported and
 * left as it is. The names are those of 6.1 and of today.
 */
#include <linux/list.h>
#include <linux/poison.h>

#include <sim/report.h>

#include "supply.h"

static bool corrupt(const char *what, const void *caller)
{
	sim_report(SIM_REPORT_KASAN, caller, "list_%s corruption", what);
	return false;
}

static bool may_add(const struct list_head *new, const struct list_head *prev,
		    const struct list_head *next, const void *caller)
{
	if (!prev || !next)
		return corrupt("add", caller);
	if (next->prev != prev || prev->next != next)
		return corrupt("add", caller);
	if (new == prev || new == next)
		return corrupt("add double add", caller);
	return true;
}

static bool may_del(const struct list_head *entry, const void *caller)
{
	if (entry->next == LIST_POISON1 || entry->prev == LIST_POISON2)
		return corrupt("del of an entry deleted before,", caller);
	if (!entry->next || !entry->prev)
		return corrupt("del of an entry in no list,", caller);
	if (entry->prev->next != entry || entry->next->prev != entry)
		return corrupt("del", caller);
	return true;
}

SUPPLY(bool, __list_add_valid_or_report, struct list_head *new, struct list_head *prev,
       struct list_head *next)
{
	return may_add(new, prev, next, CALLER);
}

SUPPLY(bool, __list_del_entry_valid_or_report, struct list_head *entry)
{
	return may_del(entry, CALLER);
}

#ifndef CONFIG_LIST_HARDENED
SUPPLY(bool, __list_add_valid, struct list_head *new, struct list_head *prev,
       struct list_head *next)
{
	return may_add(new, prev, next, CALLER);
}

SUPPLY(bool, __list_del_entry_valid, struct list_head *entry)
{
	return may_del(entry, CALLER);
}
#endif
